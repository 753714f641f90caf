/** Opens the working folder, or fails with the reason why it can't be used. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import * as FolderCheck from "../../layers/workspace/files/FolderCheck.ts"
import { InputError } from "../process/CliError.ts"

/** The absolute path of the folder; `to` is the value of `-C`. */
export const open = (cwd: string, to: string | undefined): Effect.Effect<string, InputError> => {
  const folder = resolve(cwd, to ?? ".")
  return Effect.flatMap(
    Effect.promise(() => FolderCheck.problem(folder)),
    (message) => message === undefined ? Effect.succeed(folder) : Effect.fail(new InputError({ message }))
  )
}
