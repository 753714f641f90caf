/**
 * Keys in the OS keyring, else in `auth.json` (mode 0600) of the data folder. The file also says which names the keyring
 * holds: where it names none, nobody pays for asking.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { chmod, readFile } from "node:fs/promises"
import { join } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type Found, Keys } from "../../services/Keys.ts"
import * as Keyring from "./Keyring.ts"
import { replace } from "./ReplaceFile.ts"

const Names = Schema.Record(Schema.String, Schema.Union([
  Schema.Struct({ key: Schema.String }),
  Schema.Struct({ in: Schema.Literal("keyring") })
]))
type Names = typeof Names.Type
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Names))

const inKeyring = "the OS keyring"

/** Over a keyring that `open` gives, or null where there is none. */
export const layerOver = (open: typeof Keyring.open): Layer.Layer<never, never, Environment> => Layer.effect(Keys, Effect.gen(function*() {
  const { folders, platform, variables } = yield* Environment
  const file = join(folders.data, "auth.json")
  const broken = (why: string) => new SettingsError({ where: file, message: why })
  const keyring = yield* Effect.cached(open(variables, platform))

  const read = Effect.gen(function*() {
    const text = yield* Effect.tryPromise({
      try: () => readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error.code === "ENOENT" ? "{}" : Promise.reject(error)),
      catch: (error) => broken(`can't be read: ${(error as Error).message}`)
    })
    // Its text never stands in an error: it may hold keys.
    return yield* decode(text).pipe(Effect.mapError(() => broken("is not as dacapo wrote it. Mend it, or delete it and log in again.")))
  })
  const save = (names: Names) =>
    replace(file, `${JSON.stringify(names, null, 2)}\n`).pipe(
      Effect.andThen(Effect.promise(() => chmod(file, 0o600)))
    )

  return {
    find: Effect.fn("Keys.find")(function*(name) {
      const at = (yield* read)[name]
      if (at === undefined) return undefined
      if ("key" in at) return { key: Redacted.make(at.key, { label: name }), from: file } satisfies Found
      const kept = yield* (yield* keyring)?.get(name) ?? Effect.succeed(null)
      return kept === null ? undefined : { key: Redacted.make(kept, { label: name }), from: inKeyring } satisfies Found
    }),
    save: Effect.fn("Keys.save")(function*(name, key) {
      const value = Redacted.value(key)
      const names = yield* read
      const kept = yield* (yield* keyring)?.set(name, value) ?? Effect.succeed(false)
      yield* save({ ...names, [name]: kept ? { in: "keyring" } : { key: value } })
      return kept ? inKeyring : file
    }),
    remove: Effect.fn("Keys.remove")(function*(name) {
      const { [name]: at, ...rest } = yield* read
      if (at === undefined) return false
      if ("in" in at) yield* (yield* keyring)?.delete(name) ?? Effect.void
      yield* save(rest)
      return true
    })
  }
}))

/** Over the keyring of this machine. */
export const layer = layerOver(Keyring.open)
