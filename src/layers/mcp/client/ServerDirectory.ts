/** The servers that are written down for a folder, found by name. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { join } from "node:path"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import { Environment } from "../../../services/Environment.ts"
import { KeptFiles } from "../../../services/JsonFiles.ts"
import type { Servers } from "../../../services/Mcp.ts"
import { Settings } from "../../../services/Settings.ts"
import type { Trust } from "../../../services/Trust.ts"
import * as Definitions from "./LoadDefinitions.ts"

export type Directory = ReturnType<typeof make>

/** `given` stand beside those of settings and project, as if the user had written them there. */
export const make = (services: Context.Context<Environment | KeptFiles | Settings | Trust>, given: Readonly<Record<string, Schema.Json>>) => {
  const { variables } = Context.get(services, Environment)
  const load = (cwd: string) => Effect.provide(Definitions.load(cwd, given), services)

  const named = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { servers, timeouts } = yield* load(cwd)
    const known = servers.find(({ definition }) => definition.name === name)
    if (known !== undefined) return { known, timeouts }
    const others = servers.map(({ definition }) => definition.name).join(", ")
    return yield* new McpError({ server: name, reason: "Unknown", message: `is not there. ${others === "" ? "No MCP server is set up here" : `The servers are ${others}`}` })
  })

  /** One at an address, its variables filled in. */
  const remote = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { known: { definition } } = yield* named(cwd, name)
    const transport = Definition.filled(definition.transport, variables)
    if (Result.isFailure(transport)) return yield* new McpError({ server: name, reason: "NotStarted", message: `can't be reached: ${transport.failure}` })
    if (transport.success._tag === "Stdio") return yield* new McpError({ server: name, reason: "Unwanted", message: "is started here: there is nothing to log in to" })
    return { definition, transport: transport.success }
  })

  const write: Servers["write"] = Effect.fn("Mcp.write")(function*(cwd, where, name, entry) {
    if (where === "user") return yield* Context.get(services, Settings).set(cwd, ["mcpServers", name], entry)
    const file = join(cwd, Definitions.projectFile)
    const kept = yield* Context.get(services, KeptFiles).at(file)
    yield* kept.changeNow(["mcpServers", name], () => [undefined, entry])
    return file
  })

  return { load, named, remote, write }
}
