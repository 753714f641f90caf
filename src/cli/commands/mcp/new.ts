/** `dacapo mcp new <name> [folder]`: creates a small MCP server with a test; never overwrites a file. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Naming from "../../../domain/mcp/Naming.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as Template from "./Template.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, args: [name, target = name ?? "", ...extraArgs] }) {
  if (name === undefined || extraArgs.length > 0) {
    return yield* new UsageError({ message: "Give a name, and a folder if it should differ: `dacapo mcp new <name> [folder]`." })
  }
  const problem = Naming.problem(name)
  if (problem !== undefined) return yield* new UsageError({ message: `${JSON.stringify(name)} is not a valid server name: ${problem}.` })
  const { stdout } = yield* Host
  const folder = resolve(cwd, target)
  const created = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true })
      const created = await Promise.all(
        Object.entries(Template.files(name)).map(async ([file, text]) =>
          await writeFile(join(folder, file), text, { flag: "wx" }).then(
              () => true,
              (error: NodeJS.ErrnoException) => error.code === "EEXIST" ? false : Promise.reject(error)
            )
            ? [file]
            : []
        )
      )
      return created.flat()
    },
    catch: (error) => new InputError({ message: `Can't create ${folder}: ${(error as Error).message}.` })
  })
  if (created.length === 0) return yield* new InputError({ message: `${folder} already has these files. Nothing was changed.` })
  yield* stdout.write(
    [
      `Created ${created.join(", ")} in ${View.line(folder)}. Next steps:`,
      `  cd ${View.line(folder)} && npm install && npm test`,
      `  dacapo mcp add ${name} -- node ${View.line(join(folder, "server.mjs"))}`
    ].map((line) => `${line}\n`).join("")
  )
  return 0
})
