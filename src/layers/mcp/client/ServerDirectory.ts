/** The servers defined for a folder, by name. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { join } from "node:path"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import { Environment } from "../../../services/Environment.ts"
import { JsonFiles } from "../../../services/JsonFiles.ts"
import type { Servers } from "../../../services/Mcp.ts"
import { Settings } from "../../../services/Settings.ts"
import type { Trust } from "../../../services/Trust.ts"
import * as LoadDefinitions from "./LoadDefinitions.ts"

export type Directory = ReturnType<typeof make>

/** `extraServers` are treated like those of settings and project, as if the user had written them there. */
export const make = (
  services: Context.Context<Environment | JsonFiles | Settings | Trust>,
  extraServers: Readonly<Record<string, Schema.Json>>
) => {
  const { variables } = Context.get(services, Environment)
  const load = (cwd: string) => Effect.provide(LoadDefinitions.load(cwd, extraServers), services)

  const named = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { rules, servers, timeouts } = yield* load(cwd)
    const entry = servers.find(({ definition }) => definition.name === name)
    if (entry !== undefined) return { known: entry, rules, timeouts }
    const otherNames = servers.map(({ definition }) => definition.name).join(", ")
    return yield* new McpError({
      server: name,
      reason: "Unknown",
      message: `does not exist. ${otherNames === "" ? "No MCP server is configured here" : `Available servers: ${otherNames}`}`
    })
  })

  /** A remote server, with its variables filled in. */
  const remote = Effect.fnUntraced(function*(cwd: string, name: string) {
    const { known, rules } = yield* named(cwd, name)
    const { definition } = known
    const transport = Definition.expandVariables(definition.transport, variables)
    if (Result.isFailure(transport))
      return yield* new McpError({ server: name, reason: "NotStarted", message: `can't be reached: ${transport.failure}` })
    if (transport.success._tag === "Stdio" || transport.success._tag === "Program")
      return yield* new McpError({ server: name, reason: "Unwanted", message: "is a local server: it needs no login" })
    return { known, definition, rules, transport: transport.success }
  })

  const write: Servers["write"] = Effect.fn("Mcp.write")(function*(cwd, scope, name, entry) {
    if (scope === "user") return yield* Context.get(services, Settings).set(cwd, ["mcpServers", name], entry)
    const file = join(cwd, LoadDefinitions.projectFile)
    const document = yield* Context.get(services, JsonFiles).at(file)
    yield* document.changeNow(["mcpServers", name], () => [undefined, entry])
    return file
  })

  return { load, named, remote, write }
}
