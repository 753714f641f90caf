/**
 * Keys that the user gave us to keep: in the OS keyring where there is one, else in a file that only the user can read.
 * A key is kept under the name of the environment variable that it stands for, so that routes which share one share it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { SettingsError } from "../domain/config/SettingsError.ts"

/** A key, and in words where it was found. */
export interface Found {
  readonly key: Redacted.Redacted
  readonly from: string
}

export interface Kept {
  readonly find: (name: string) => Effect.Effect<Found | undefined, SettingsError>
  /** Gives where it is now, in words. */
  readonly save: (name: string, key: Redacted.Redacted) => Effect.Effect<string, SettingsError>
  /** Whether there was one. */
  readonly remove: (name: string) => Effect.Effect<boolean, SettingsError>
}

const nowhere: Kept = {
  find: () => Effect.succeed(undefined),
  save: (where) => Effect.fail(new SettingsError({ where, message: "there is no place to keep a key here" })),
  remove: () => Effect.succeed(false)
}

export const Keys = Context.Reference<Kept>("dacapo/Keys", { defaultValue: () => nowhere })

/** The first key that one of these names gives: all of them in the environment, then all that are kept. */
export const find = (names: ReadonlyArray<string>, variables: Readonly<Record<string, string | undefined>>, make: (key: string) => Redacted.Redacted) =>
  Effect.gen(function*() {
    for (const name of names) {
      const value = variables[name]?.trim()
      if (value !== undefined && value !== "") return { key: make(value), from: `${name} in the environment` } satisfies Found
    }
    const kept = yield* Keys
    for (const name of names) {
      const found = yield* kept.find(name)
      if (found !== undefined) return found
    }
    return undefined
  })
