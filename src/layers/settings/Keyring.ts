/**
 * The OS keyring: the Keychain, or the Secret Service. It counts as there only after a round trip of its own, because
 * one without a desktop answers nothing at all instead of failing; DACAPO_DISABLE_KEYRING=1 does without.
 */
import * as Effect from "effect/Effect"

/** Values by name; null for what is not there. Promises never settle late: each call is bounded. */
export interface Keyring {
  readonly get: (name: string) => Effect.Effect<string | null>
  readonly set: (name: string, value: string) => Effect.Effect<boolean>
  readonly delete: (name: string) => Effect.Effect<boolean>
}

const service = "dacapo"
const probe = "dacapo-probe"

/** How long a keyring may take: one that asks for its own password does that elsewhere. */
const patience = "5 seconds"

const bounded = <A>(ask: (signal: AbortSignal) => Promise<A>, otherwise: A) =>
  Effect.tryPromise(ask).pipe(
    Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(otherwise) }),
    Effect.catch(() => Effect.succeed(otherwise))
  )

/** Null where there is none. */
export const open = Effect.fnUntraced(function*(variables: Readonly<Record<string, string | undefined>>, platform: string) {
  const off = (variables["DACAPO_DISABLE_KEYRING"] ?? "") !== ""
  const mute = platform === "linux" && (variables["DBUS_SESSION_BUS_ADDRESS"] ?? "") === ""
  if (off || mute) return null
  const library = yield* Effect.tryPromise(() => import("@napi-rs/keyring")).pipe(Effect.catch(() => Effect.succeed(null)))
  if (library === null) return null
  // The kernel's own keyring, which the library would fall back to, forgets everything at the next start.
  const entry = (name: string) => new library.AsyncEntry(service, name, { linux: { store: "secret-service" } })
  const keyring: Keyring = {
    get: (name) => bounded(async (signal) => await entry(name).getPassword(signal) ?? null, null),
    set: (name, value) => bounded(async (signal) => (await entry(name).setPassword(value, signal), true), false),
    delete: (name) => bounded(async (signal) => (await entry(name).deletePassword(signal), true), false)
  }
  const works = (yield* keyring.set(probe, probe)) && (yield* keyring.get(probe)) === probe && (yield* keyring.delete(probe))
  return works ? keyring : null
})
