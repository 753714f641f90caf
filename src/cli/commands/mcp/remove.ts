/** `dacapo mcp remove <name>`: removes a server from the file that configures it. */
import * as Effect from "effect/Effect"
import { basename } from "node:path"
import { alternatives, similarNames } from "../../../domain/provider/SimilarNames.ts"
import { projectFile } from "../../../layers/mcp/client/LoadDefinitions.ts"
import { Mcp } from "../../../services/Mcp.ts"
import { Trust } from "../../../services/Trust.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, args: [name, ...extraArgs] }) {
  if (name === undefined || extraArgs.length > 0) return yield* new UsageError({ message: "Name one server: `dacapo mcp remove <name>`." })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.list(cwd)
    const server = servers.find(({ definition }) => definition.name === name)
    if (server === undefined) {
      const names = similarNames(name, servers.map(({ definition }) => definition.name))
      return yield* new InputError({
        message: `No MCP server is called "${name}".` +
          (names.length === 0 ? " Run `dacapo mcp list` to list the servers." : ` Did you mean ${alternatives(names)}?`)
      })
    }
    const isProject = basename(server.file) === projectFile
    const write = mcp.write(cwd, isProject ? "project" : "user", name, undefined)
    const file = yield* isProject ? (yield* Trust).preserveTrust(cwd, projectFile, write) : write
    if (file !== server.file) {
      return yield* new InputError({ message: `${name} is configured in ${server.file}, which dacapo does not edit. Remove it there.` })
    }
    yield* stdout.write(`Removed ${View.line(name)} from ${View.line(file)}.\n`)
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})
