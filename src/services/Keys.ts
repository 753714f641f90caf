/**
 * API keys saved by the user: in the OS keyring if there is one, else in a file that only the user can read. A key is
 * stored under the name of the environment variable that it replaces, so that routes that share one share it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { SettingsError } from "../domain/config/SettingsError.ts"

/** A key, and a description of its source. */
export interface ApiKey {
  readonly key: Redacted.Redacted
  readonly source: string
}

/** The key of one provider, in place of the environment's and the saved one. */
export interface ProviderKey {
  readonly provider: string
  readonly key: Redacted.Redacted
}

/** Saved keys by the name of their environment variable. */
export interface KeyStore {
  readonly find: (name: string) => Effect.Effect<ApiKey | undefined, SettingsError>
  /** Returns a description of where it is stored now. */
  readonly save: (name: string, key: Redacted.Redacted) => Effect.Effect<string, SettingsError>
  /** Whether there was one. */
  readonly remove: (name: string) => Effect.Effect<boolean, SettingsError>
  /**
   * How to add a key that is missing, as a sentence. It is present if nothing but this store may be used: neither the environment nor
   * other credentials of the machine.
   */
  readonly advice?: (names: ReadonlyArray<string>) => string
}

const noStore: KeyStore = {
  find: () => Effect.succeed(undefined),
  save: (where) => Effect.fail(new SettingsError({ where, message: "no key store is available here" })),
  remove: () => Effect.succeed(false)
}

export const Keys = Context.Reference<KeyStore>("dacapo/Keys", { defaultValue: () => noStore })

/** The first key under one of these names: all of them in the environment, if it may be used, then all stored ones. */
export const find = (
  names: ReadonlyArray<string>,
  variables: Readonly<Record<string, string | undefined>>,
  make: (key: string) => Redacted.Redacted
) =>
  Effect.gen(function*() {
    const store = yield* Keys
    for (const name of store.advice === undefined ? names : []) {
      const value = variables[name]?.trim()
      if (value !== undefined && value !== "") return { key: make(value), source: `${name} in the environment` } satisfies ApiKey
    }
    for (const name of names) {
      const key = yield* store.find(name)
      if (key !== undefined) return key
    }
    return undefined
  })
