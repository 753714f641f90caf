/** Sessions with the sessions of their subagents. */
import * as Effect from "effect/Effect"
import type { LogError } from "../../../domain/session/LogError.ts"
import { Storage, type Summary } from "../../../services/Storage.ts"

/** A session in a list; `depth` is the number of its ancestors. */
export interface Member {
  readonly session: Summary
  readonly depth: number
}

/** Each session, followed by its subagents' sessions, oldest first. */
export const of = (sessions: ReadonlyArray<Summary>, depth = 0): Effect.Effect<ReadonlyArray<Member>, LogError, Storage> =>
  Effect.flatMap(Storage, (storage) =>
    Effect.map(
      Effect.forEach(sessions, (session) =>
        Effect.map(
          Effect.flatMap(
            storage.list({ parent: session.id }),
            (subagents) => of(subagents.toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1)), depth + 1)
          ),
          (subagents) => [{ session, depth }, ...subagents]
        )),
      (all) => all.flat()
    ))

/** The same as a plain list of sessions. */
export const withSubagents = (sessions: ReadonlyArray<Summary>): Effect.Effect<ReadonlyArray<Summary>, LogError, Storage> =>
  Effect.map(of(sessions), (members) => members.map(({ session }) => session))
