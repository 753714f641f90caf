/** `dacapo mcp new <name> [folder]`: lays out a small server with a test; files that are there stay as they are. */
import * as Effect from "effect/Effect"
import { mkdir, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import * as Naming from "../../../domain/mcp/Naming.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as Template from "./Template.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, words: [name, to = name ?? "", ...more] }) {
  if (name === undefined || more.length > 0) return yield* new UsageError({ message: "`dacapo mcp new` takes a name, and a folder where it is not to be of that name." })
  const bad = Naming.problem(name)
  if (bad !== undefined) return yield* new UsageError({ message: `The server can't be called ${JSON.stringify(name)}: ${bad}.` })
  const { stdout } = yield* Host
  const folder = resolve(cwd, to)
  const made = yield* Effect.tryPromise({
    try: async () => {
      await mkdir(folder, { recursive: true })
      const fresh = await Promise.all(Object.entries(Template.files(name)).map(async ([file, text]) =>
        await writeFile(join(folder, file), text, { flag: "wx" }).then(() => true, (error: NodeJS.ErrnoException) => error.code === "EEXIST" ? false : Promise.reject(error)) ? [file] : []))
      return fresh.flat()
    },
    catch: (error) => new InputError({ message: `${folder} can't be made: ${(error as Error).message}.` })
  })
  if (made.length === 0) return yield* new InputError({ message: `${folder} holds a server already; nothing was changed.` })
  yield* stdout.write([
    `Made ${made.join(", ")} in ${View.text(folder)}. Next:`,
    `  cd ${View.text(folder)} && npm install && npm test`,
    `  dacapo mcp add ${name} -- node ${View.text(join(folder, "server.mjs"))}`
  ].map((line) => `${line}\n`).join(""))
  return 0
})
