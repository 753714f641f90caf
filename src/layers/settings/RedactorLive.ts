/** The redactor of this installation: keyed by a private file, and aware of the secrets in the environment. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Redact } from "../../domain/secret/Redactor.ts"
import { isPlaceholder } from "../../domain/secret/LooksSecret.ts"
import { Environment } from "../../services/Environment.ts"
import { Redactor } from "../../services/Redactor.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"

/** The redactor of a key: the same key and secret give the same placeholder. `secrets` are secrets that we hold. */
export const make = async (key: string, secrets: ReadonlyArray<string> = []): Promise<Redact> => {
  const [{ createHmac }, domain] = await Promise.all([import("node:crypto"), import("../../domain/secret/Redactor.ts")])
  return domain.make({ secrets: secrets, tag: (secret) => createHmac("sha256", key).update(secret).digest("hex").slice(0, 8) })
}

/** If it can't be saved, the key lasts as long as this process. */
const keyOf = async (folder: string): Promise<string> => {
  const [fs, { randomBytes }, { join }] = await Promise.all([import("node:fs/promises"), import("node:crypto"), import("node:path")])
  const file = join(folder, "redaction.key")
  const readKey = () => fs.readFile(file, "utf8").then((text) => text.trim())
  const newKey = randomBytes(32).toString("hex")
  try {
    PrivateFolder.make(folder)
    await fs.writeFile(file, `${newKey}\n`, { mode: 0o600, flag: "wx" })
    return newKey
  } catch {
    return readKey().then((key) => key === "" ? newKey : key, () => newKey)
  }
}

/** Knows the secrets in the environment, and those that `later` returns: this process learns of them while it runs. */
export const layerWith = (later: () => ReadonlyArray<string>): Layer.Layer<Redactor, never, Environment> =>
  Layer.effect(
    Redactor,
    Effect.gen(function*() {
      const { folders, variables } = yield* Environment
      const origin = yield* Effect.cached(Effect.promise(async () => {
        const { secrets } = await import("../../domain/tool/CommandEnvironment.ts")
        const ambient = [...secrets(variables).values()].filter((value) => !value.startsWith("/") && !isPlaceholder(value))
        return { ambient, key: await keyOf(folders.state) }
      }))
      let latest: { readonly count: number; readonly redact: Redact } | undefined
      return Redactor.of({
        redact: Effect.gen(function*() {
          const secrets = later()
          if (latest?.count === secrets.length) return latest.redact
          const { ambient, key } = yield* origin
          const redact = yield* Effect.promise(() => make(key, [...ambient, ...secrets]))
          latest = { count: secrets.length, redact }
          return redact
        })
      })
    })
  )

export const layer: Layer.Layer<Redactor, never, Environment> = layerWith(() => [])
