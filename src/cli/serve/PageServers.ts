/** MCP servers of a folder, for the page: what they would start, the approval of exactly that, and a test of the connection. */
import * as Effect from "effect/Effect"
import * as PageData from "../../domain/control/PageData.ts"
import * as Definition from "../../domain/mcp/Definition.ts"
import { Mcp } from "../../services/Mcp.ts"
import type { Values } from "../args/Flags.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"

/** The services of a folder with the flags of the server: its sandbox and its `--mcp-config`, as in a session. */
export const layer = Effect.fnUntraced(function*(cwd: string, values: Values) {
  const { mcpServers, sandbox } = yield* SessionOptions.layerOptions(values, { cwd, roots: [] })
  return yield* UnattendedAgent.unattendedLayer(cwd, {
    ...(mcpServers === undefined ? {} : { mcpServers }),
    ...(sandbox === undefined ? {} : { sandbox })
  })
})

/** Starts none. One that can't start has the reason as its only detail. */
export const list = Effect.fnUntraced(function*(cwd: string) {
  const mcp = yield* Mcp
  const { notes, servers } = yield* mcp.list(cwd)
  const reviewed = yield* Effect.forEach(servers, ({ allowed, definition, file, isUserDefined }) =>
    mcp.review(cwd, definition.name).pipe(
      Effect.catchTag("McpError", ({ message }) => Effect.succeed({ details: [message], start: "" })),
      Effect.map(({ details, start }): PageData.FolderServer => ({
        name: definition.name,
        transport: Definition.commandLine(definition),
        source: file,
        state: definition.disabled ? "disabled" : allowed ? "approved" : "needs approval",
        isOwn: isUserDefined,
        details,
        start
      }))
    ))
  return { servers: reviewed, notes }
})

/** Approves a server as the page showed it, or connects to it; what it offers is the response to both. */
export const request = Effect.fnUntraced(function*(operation: PageData.ServerRequest, values: Values) {
  const cwd = yield* WorkingFolder.open(operation.cwd, undefined)
  const { name } = operation
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    if (operation._tag === "Allow") yield* mcp.allow(cwd, name, operation.start)
    // The definition is approved now; the tools are known only after a connection.
    const { protocol, server, tools, version } = yield* mcp.test(cwd, name)
    return {
      ...{ name, protocol, version, resources: server.resources, prompts: server.prompts },
      tools: tools.map(({ description, tool }) => ({ name: tool, description }))
    } satisfies PageData.ServerTest
  })
  return yield* Effect.provide(work, yield* layer(cwd, values))
})
