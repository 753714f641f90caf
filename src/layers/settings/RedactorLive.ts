/** The redactor of this installation: keyed by a file that nobody else reads, knowing the secrets of the environment. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Redact } from "../../domain/secret/Redactor.ts"
import * as CommandEnvironment from "../../domain/tool/CommandEnvironment.ts"
import { Environment } from "../../services/Environment.ts"
import { Redactor } from "../../services/Redactor.ts"
import * as Folder from "../storage/PrivateFolder.ts"

/** The redactor of a key: the same key and secret give the same placeholder. `known` are secrets that we hold. */
export const make = async (key: string, known: ReadonlyArray<string> = []): Promise<Redact> => {
  const [{ createHmac }, domain] = await Promise.all([import("node:crypto"), import("../../domain/secret/Redactor.ts")])
  return domain.make({ known, tag: (secret) => createHmac("sha256", key).update(secret).digest("hex").slice(0, 8) })
}

/** Where it can't be kept the key lives as long as this process. */
const keyOf = async (folder: string): Promise<string> => {
  const [fs, { randomBytes }, { join }] = await Promise.all([import("node:fs/promises"), import("node:crypto"), import("node:path")])
  const file = join(folder, "redaction.key")
  const kept = () => fs.readFile(file, "utf8").then((text) => text.trim())
  const fresh = randomBytes(32).toString("hex")
  try {
    Folder.make(folder)
    await fs.writeFile(file, `${fresh}\n`, { mode: 0o600, flag: "wx" })
    return fresh
  } catch {
    return kept().then((key) => key === "" ? fresh : key, () => fresh)
  }
}

export const layer: Layer.Layer<Redactor, never, Environment> = Layer.effect(Redactor, Effect.gen(function*() {
  const { folders, variables } = yield* Environment
  const secrets = Object.entries(variables).flatMap(([name, value]) => value !== undefined && !value.startsWith("/") && CommandEnvironment.isSecret(name, value) ? [value] : [])
  const redact = yield* Effect.cached(Effect.promise(async () => make(await keyOf(folders.state), secrets)))
  return Redactor.of({ redact })
}))
