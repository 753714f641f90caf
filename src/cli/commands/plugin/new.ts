/** `dacapo plugin new <name> [folder]`: creates a small plugin with a test; never overwrites a file. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join, relative, resolve } from "node:path"
import * as PluginManifest from "../../../domain/extension/PluginManifest.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import type { Action } from "../mcp/Action.ts"
import * as Template from "./Template.ts"

export const run: Action = Effect.fnUntraced(function*({ args: [name, target = name ?? "", ...extraArgs], cwd }) {
  if (name === undefined || extraArgs.length > 0) {
    return yield* new UsageError({ message: "Give a name, and a folder if it should differ: `dacapo plugin new <name> [folder]`." })
  }
  const problem = PluginManifest.nameProblem(name)
  if (problem !== undefined) return yield* new UsageError({ message: `${JSON.stringify(name)} is not a valid plugin name: ${problem}.` })
  const { stdout } = yield* Host
  const folder = resolve(cwd, target)
  const created = yield* Effect.tryPromise({
    try: () => createFiles(folder, Template.files(name)),
    catch: (error) => new InputError({ message: `Can't create ${folder}: ${(error as Error).message}.` })
  })
  if (created.length === 0) return yield* new InputError({ message: `${folder} already has these files. Nothing was changed.` })
  const place = View.line(relative(cwd, folder) || ".")
  yield* stdout.write(
    [
      `Created ${created.join(", ")} in ${View.line(folder)}. Next steps:`,
      `  cd ${place} && npm test`,
      `  dacapo plugin install ./${place}`
    ].map((line) => `${line}\n`).join("")
  )
  return 0
})

const createFiles = async (folder: string, files: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> => {
  const created: Array<string> = []
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    try {
      await writeFile(join(folder, file), text, { flag: "wx" })
      created.push(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    }
  }
  return created
}
