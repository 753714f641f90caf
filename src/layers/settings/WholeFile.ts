/** Small files of ours: old or new, never half, and nobody else reads them. */
import * as Effect from "effect/Effect"
import { mkdir, open, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { SettingsError } from "../../domain/config/SettingsError.ts"

export const write = (file: string, text: string): Effect.Effect<void, SettingsError> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      const handle = await open(`${file}.new`, "w", 0o600)
      await handle.writeFile(text)
      await handle.sync()
      await handle.close()
      await rename(`${file}.new`, file)
    },
    catch: (error) => new SettingsError({ where: file, message: `can't be written: ${(error as Error).message}` })
  })
