/** `dacapo init`: a file of rules for a project, begun with what its files tell. */
import * as Effect from "effect/Effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as ProjectRules from "../../domain/context/RulesTemplate.ts"
import { InputError } from "../process/CliError.ts"
import type { Run } from "../Commands.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { cwd: here, stdout } = yield* Host
  const folder = yield* Folder.open(here, values.cd)
  const file = join(folder, ProjectRules.name)
  const made = yield* Effect.tryPromise({
    try: async () => {
      const found = await Promise.all(ProjectRules.sources.map(async (name) => [name, await readFile(join(folder, name), "utf8").catch(() => undefined)] as const))
      const files = new Map(found.flatMap(([name, text]) => text === undefined ? [] : [[name, text] as const]))
      return await writeFile(file, ProjectRules.begin(files), { flag: "wx" }).then(() => true, (error: NodeJS.ErrnoException) =>
        error.code === "EEXIST" ? false : Promise.reject(error))
    },
    catch: (error) => new InputError({ message: `${file} can't be written: ${(error as NodeJS.ErrnoException).code}.` })
  })
  yield* stdout.write(made
    ? `Made ${ProjectRules.name}. The model reads it at the start of each session here; write down what it could not know.\n`
    : `${ProjectRules.name} is there already; nothing was changed.\n`)
  return 0
})
