/** Sessions with those that they started. */
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import { Storage, type Summary } from "../../../services/Storage.ts"

/** A session in a list; `depth` counts those above it. */
export interface Member {
  readonly session: Summary
  readonly depth: number
}

/** Each with its children behind it, the oldest first. */
export const of = (sessions: ReadonlyArray<Summary>, depth = 0): Effect.Effect<ReadonlyArray<Member>, LogError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      Effect.forEach(sessions, (session) =>
        Effect.map(
          Effect.flatMap(storage.list({ parent: session.id }), (children) => of(children.toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)), depth + 1)),
          (children) => [{ session, depth }, ...children]
        )),
      (all) => all.flat()
    ))

/** The same without their places. */
export const whole = (sessions: ReadonlyArray<Summary>): Effect.Effect<ReadonlyArray<Summary>, LogError, Storage> =>
  Effect.map(of(sessions), (members) => members.map(({ session }) => session))
