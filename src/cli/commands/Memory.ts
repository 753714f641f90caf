/** `dacapo memory init`: a folder for what a project wants remembered from session to session. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Memory from "../../domain/context/MemoryBank.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import type { Run } from "../Commands.ts"
import * as Folder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"

export const run: Run = Effect.fnUntraced(function*({ values, words: [action = ""] }) {
  if (action !== "init") return yield* new UsageError({ message: `\`dacapo memory\` knows init${action === "" ? "" : `; "${action}" is not that`}.` })
  const { cwd: here, stdout } = yield* Host
  const folder = join(yield* Folder.open(here, values.cd), Memory.folder)
  const made = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true })
      const fresh = await Promise.all(Memory.core.map(async (file) => {
        const isNew = await writeFile(join(folder, file.name), Memory.template(file), { flag: "wx" }).then(() => true, (error: NodeJS.ErrnoException) =>
          error.code === "EEXIST" ? false : Promise.reject(error))
        return isNew ? [file.name] : []
      }))
      return fresh.flat()
    },
    catch: (error) => new InputError({ message: `${folder} can't be made: ${(error as Error).message}.` })
  })
  yield* stdout.write(made.length === 0
    ? `${folder} is there already; nothing was changed.\n`
    : `Made ${made.map((name) => `${Memory.folder}/${name}`).join(", ")}.\nThe model reads them at the start of each session here, and keeps them up to date. Ask it: "fill the memory bank".\n`)
  return 0
})
