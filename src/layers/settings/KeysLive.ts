/**
 * Keys in the OS keyring, else in `auth.json` (mode 0600) of the data folder, encrypted if the user set a passphrase or a key file.
 * The file also lists the names in the keyring: without any, the keyring is not queried.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { chmod, readFile } from "node:fs/promises"
import { join } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type ApiKey, Keys } from "../../services/Keys.ts"
import * as Keyring from "./Keyring.ts"
import { replace } from "./ReplaceFile.ts"
import * as SealedKeys from "./SealedKeys.ts"

const Names = Schema.Record(
  Schema.String,
  Schema.Union([
    Schema.Struct({ key: Schema.String }),
    Schema.Struct({ in: Schema.Literal("keyring") }),
    SealedKeys.Sealed
  ])
)
type Names = typeof Names.Type
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Names))

const inKeyring = "the OS keyring"

/** Over a keyring that `open` returns, or null if there is none. */
export const layerOver = (open: typeof Keyring.open): Layer.Layer<never, never, Environment> =>
  Layer.effect(
    Keys,
    Effect.gen(function*() {
      const { folders, platform, variables } = yield* Environment
      const file = join(folders.data, "auth.json")
      const authFileError = (why: string) => new SettingsError({ where: file, message: why })
      const keyring = yield* Effect.cached(open(variables, platform))

      const read = Effect.gen(function*() {
        const text = yield* Effect.tryPromise({
          try: () => readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error.code === "ENOENT" ? "{}" : Promise.reject(error)),
          catch: (error) => authFileError(`can't be read: ${(error as Error).message}`)
        })
        // Its text never appears in an error: it may contain keys.
        return yield* decode(text).pipe(
          Effect.mapError(() => authFileError("was not written by dacapo. Fix it, or delete it and log in again."))
        )
      })
      const save = (names: Names) =>
        replace(file, `${JSON.stringify(names, null, 2)}\n`).pipe(
          Effect.andThen(Effect.promise(() => chmod(file, 0o600)))
        )

      const unlock = yield* Effect.cached(SealedKeys.secret(variables))
      const openSealed = Effect.fnUntraced(function*(name: string, entry: SealedKeys.Sealed) {
        const secret = yield* unlock
        if (secret === undefined) return yield* authFileError(`holds the key of ${name} encrypted. ${SealedKeys.advice}`)
        const value = yield* SealedKeys.open(secret, name, entry)
        return value === null
          ? yield* authFileError(`holds the key of ${name} encrypted with another passphrase or key file, or was changed.`)
          : value
      })

      return {
        find: Effect.fn("Keys.find")(function*(name) {
          const entry = (yield* read)[name]
          if (entry === undefined) return undefined
          if ("key" in entry) return { key: Redacted.make(entry.key, { label: name }), source: file } satisfies ApiKey
          if ("sealed" in entry) {
            return { key: Redacted.make(yield* openSealed(name, entry), { label: name }), source: `${file} (encrypted)` } satisfies ApiKey
          }
          const secret = yield* (yield* keyring)?.get(name) ?? Effect.succeed(null)
          return secret === null ? undefined : { key: Redacted.make(secret, { label: name }), source: inKeyring } satisfies ApiKey
        }),
        save: Effect.fn("Keys.save")(function*(name, key) {
          const value = Redacted.value(key)
          const names = yield* read
          const isInKeyring = yield* (yield* keyring)?.set(name, value) ?? Effect.succeed(false)
          const secret = isInKeyring ? undefined : yield* unlock
          const entry = isInKeyring ? { in: "keyring" } as const
            : secret === undefined ? { key: value } : yield* SealedKeys.seal(secret, name, value)
          yield* save({ ...names, [name]: entry })
          return isInKeyring ? inKeyring : secret === undefined ? file : `${file} (encrypted)`
        }),
        remove: Effect.fn("Keys.remove")(function*(name) {
          const { [name]: entry, ...rest } = yield* read
          if (entry === undefined) return false
          if ("in" in entry) yield* (yield* keyring)?.delete(name) ?? Effect.void
          yield* save(rest)
          return true
        })
      }
    })
  )

/** Over the keyring of this machine. */
export const layer = layerOver(Keyring.open)
