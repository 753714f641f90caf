/**
 * Secrets of tenants in a folder, `<folder>/<tenant>/<NAME>`, as Kubernetes and Docker mount them: files that may be links, and that
 * change while the process runs. A file is read each time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { join } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { SecretStore } from "../../services/cluster/SecretStore.ts"

const isName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_-]*$/.test(name)

/** The secret store over a folder. A missing or empty file is no secret. */
export const layer = (folder: string): Layer.Layer<SecretStore> =>
  Layer.succeed(SecretStore, {
    get: Effect.fn("SecretStore.get")(function*(tenant, name) {
      if (!isName(tenant) || !isName(name)) return undefined
      const file = join(folder, tenant, name)
      const text = yield* Effect.tryPromise({
        try: async () => {
          const { readFile } = await import("node:fs/promises")
          return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) =>
            error.code === "ENOENT" || error.code === "ENOTDIR" ? "" : Promise.reject(error)
          )
        },
        catch: (error) =>
          new SettingsError({
            where: file,
            message: `can't be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}. Check its permissions.`
          })
      })
      const secret = text.trim()
      return secret === "" ? undefined : Redacted.make(secret, { label: name })
    })
  })
