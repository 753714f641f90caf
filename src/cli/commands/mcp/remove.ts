/** `dacapo mcp remove <name>`: takes a server out of the file that names it. */
import * as Effect from "effect/Effect"
import { basename } from "node:path"
import { near } from "../../../domain/provider/SimilarNames.ts"
import { Mcp } from "../../../services/Mcp.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, words: [name, ...more] }) {
  if (name === undefined || more.length > 0) return yield* new UsageError({ message: "`dacapo mcp remove` takes one server's name." })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.known(cwd)
    const known = servers.find(({ definition }) => definition.name === name)
    if (known === undefined) {
      const names = near(name, servers.map(({ definition }) => definition.name))
      return yield* new InputError({ message: `There is no MCP server "${name}" here.${names.length === 0 ? " `dacapo mcp list` shows those that there are." : ` Did you mean ${names.join(" or ")}?`}` })
    }
    const file = yield* mcp.write(cwd, basename(known.file) === ".mcp.json" ? "project" : "user", name, undefined)
    if (file !== known.file) return yield* new InputError({ message: `${name} stands in ${known.file}, which is changed by hand alone.` })
    yield* stdout.write(`${View.text(name)} is taken out of ${View.text(file)}.\n`)
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})
