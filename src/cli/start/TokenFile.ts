/** `--token-file`: the token of a server in a file that only this user can read. */
import * as Effect from "effect/Effect"
import { rmSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { InputError } from "../process/CliError.ts"

/** Writes the file, and removes it when the scope closes. */
export const write = (cwd: string, name: string, token: string) => {
  const file = resolve(cwd, name)
  return Effect.acquireRelease(
    Effect.try({
      // An existing file or link of this name is removed first, so the token never goes through a link.
      try: () => (rmSync(file, { force: true }), writeFileSync(file, `${token}\n`, { flag: "wx", mode: 0o600 })),
      catch: (error) => new InputError({ message: `Can't write the token to ${file}: ${(error as Error).message}.` })
    }),
    () => Effect.sync(() => rmSync(file, { force: true }))
  )
}
