/** Opens the working folder, or fails with the reason why it can't be used. */
import * as Effect from "effect/Effect"
import { access, constants, stat } from "node:fs/promises"
import { resolve } from "node:path"
import { InputError } from "../process/CliError.ts"

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a folder",
  EACCES: "can't be read: permission denied",
  EPERM: "can't be read: permission denied"
}

/** The absolute path of the folder; `to` is the value of `-C`. */
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
