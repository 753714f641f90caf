/** `dacapo init`: creates AGENTS.md with what the project's files show. */
import * as Effect from "effect/Effect"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as RulesTemplate from "../../domain/context/RulesTemplate.ts"
import { InputError } from "../process/CliError.ts"
import type { Run } from "../Command.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*({ values }) {
  const { cwd: hostCwd, stdout } = yield* Host
  const folder = yield* WorkingFolder.open(hostCwd, values.cd)
  const file = join(folder, RulesTemplate.name)
  const isCreated = yield* Effect.tryPromise({
    try: async () => {
      const sources = await Promise.all(
        RulesTemplate.sources.map(async (name) => [name, await readFile(join(folder, name), "utf8").catch(() => undefined)] as const)
      )
      const files = new Map(sources.flatMap(([name, text]) => text === undefined ? [] : [[name, text] as const]))
      return await writeFile(file, RulesTemplate.rulesTemplate(files), { flag: "wx" }).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === "EEXIST" ? false : Promise.reject(error)
      )
    },
    catch: (error) => new InputError({ message: `Can't write ${file}: ${(error as NodeJS.ErrnoException).code}.` })
  })
  yield* stdout.write(
    isCreated
      ? `Created ${RulesTemplate.name}. The agent reads it at the start of each session here. Add what it can't know from the code.\n`
      : `${RulesTemplate.name} already exists. Nothing was changed.\n`
  )
  return 0
})
