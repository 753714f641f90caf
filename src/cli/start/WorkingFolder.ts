/** The folder to work in: there, a folder, and readable, or a sentence that says which it is not. */
import * as Effect from "effect/Effect"
import { access, constants, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { InputError } from "../process/CliError.ts"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  ENOTDIR: "is not a folder",
  EACCES: "can't be read: permission denied",
  EPERM: "can't be read: permission denied"
}

/** Absolute. `to` is what `-C` said. */
export const open = (cwd: string, to: string | undefined): Effect.Effect<string, InputError> => {
  const folder = resolve(cwd, to ?? ".")
  return Effect.tryPromise({
    try: async () => {
      if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" })
      await access(folder, constants.R_OK | constants.X_OK)
      return folder
    },
    catch: (error) => {
      const code = (error as NodeJS.ErrnoException).code ?? ""
      return new InputError({ message: `The folder ${folder} ${reasons[code] ?? `can't be used (${code})`}.` })
    }
  })
}
