/** `dacapo memory init`: creates a memory bank, files that keep project knowledge across sessions. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as MemoryBank from "../../domain/context/MemoryBank.ts"
import { InputError, UsageError, unknownAction } from "../process/CliError.ts"
import type { Run } from "../Command.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import { Host } from "../process/Host.ts"
import * as View from "../render/view/View.ts"

export const run: Run = Effect.fnUntraced(function*({ values, args: [action = ""] }) {
  if (action === "") return yield* new UsageError({ message: "Name an action: `dacapo memory init`." })
  if (action !== "init") return yield* unknownAction("memory", action, ["init"])
  const { cwd: hostCwd, stdout } = yield* Host
  const folder = join(yield* WorkingFolder.open(hostCwd, values.cd), MemoryBank.folder)
  const created = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true })
      const created = await Promise.all(MemoryBank.coreFiles.map(async (file) => {
        const isNew = await writeFile(join(folder, file.name), MemoryBank.template(file), { flag: "wx" }).then(
          () => true,
          (error: NodeJS.ErrnoException) => error.code === "EEXIST" ? false : Promise.reject(error)
        )
        return isNew ? [file.name] : []
      }))
      return created.flat()
    },
    catch: (error) => new InputError({ message: `Can't create ${folder}: ${(error as Error).message}.` })
  })
  yield* stdout.write(
    created.length === 0
      ? `${View.line(folder)} already exists. Nothing was changed.\n`
      : `Created ${created.map((name) => `${MemoryBank.folder}/${name}`).join(", ")}.\n` +
        "The agent reads these files at the start of each session here and keeps them up to date. " +
        "To begin, ask it: \"fill the memory bank\".\n"
  )
  return 0
})
