/**
 * The OS keyring: the Keychain, or the Secret Service. It counts as available only after a round trip, because without
 * a desktop it does not respond at all instead of failing; DACAPO_DISABLE_KEYRING=1 disables it.
 */
import * as Effect from "effect/Effect"

/** Values by name; null for a missing one. Promises always settle in time: each call has a timeout. */
export interface Keyring {
  readonly get: (name: string) => Effect.Effect<string | null>
  readonly set: (name: string, value: string) => Effect.Effect<boolean>
  readonly delete: (name: string) => Effect.Effect<boolean>
}

const service = "dacapo"
const probe = "dacapo-probe"

/** The timeout of a keyring: one that asks for its own password does that elsewhere. */
const timeout = "5 seconds"

const withTimeout = <A>(run: (signal: AbortSignal) => Promise<A>, fallback: A) =>
  Effect.tryPromise(run).pipe(
    Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.succeed(fallback) }),
    Effect.catch(() => Effect.succeed(fallback))
  )

/** Null if there is none. */
export const open = Effect.fnUntraced(function*(variables: Readonly<Record<string, string | undefined>>, platform: string) {
  const isDisabled = (variables["DACAPO_DISABLE_KEYRING"] ?? "") !== ""
  const hasNoBus = platform === "linux" && (variables["DBUS_SESSION_BUS_ADDRESS"] ?? "") === ""
  if (isDisabled || hasNoBus) return null
  const library = yield* Effect.tryPromise(() => import("@napi-rs/keyring")).pipe(Effect.catch(() => Effect.succeed(null)))
  if (library === null) return null
  // The kernel's own keyring, the library's fallback, forgets everything at the next start.
  const entry = (name: string) => new library.AsyncEntry(service, name, { linux: { store: "secret-service" } })
  const keyring: Keyring = {
    get: (name) => withTimeout(async (signal) => await entry(name).getPassword(signal) ?? null, null),
    set: (name, value) => withTimeout(async (signal) => (await entry(name).setPassword(value, signal), true), false),
    delete: (name) => withTimeout(async (signal) => (await entry(name).deletePassword(signal), true), false)
  }
  const isUsable = (yield* keyring.set(probe, probe)) && (yield* keyring.get(probe)) === probe && (yield* keyring.delete(probe))
  return isUsable ? keyring : null
})
