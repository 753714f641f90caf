/** The model's name for a server's tool: `mcp__server__tool`, in characters and a length that every provider accepts. */
import * as Hash from "effect/Hash"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ToolCall } from "../message/Message.ts"
import type { ServerTool, ServerTools } from "./ServerTools.ts"

/** The name length that every provider accepts. */
const maxLength = 64

/** The name unchanged if possible, else its beginning and a hash of all of it, so that two tools never share one. */
export const toolName = (server: string, tool: string): string => {
  const fullName = `mcp__${server}__${tool}`
  const safeName = fullName.replace(/[^A-Za-z0-9_-]/g, "_")
  if (safeName === fullName && fullName.length <= maxLength) return fullName
  const hash = (Hash.string(fullName) >>> 0).toString(36).padStart(7, "0")
  return `${safeName.slice(0, maxLength - hash.length - 1)}_${hash}`
}

/** Why a server can't have this name; undefined for a valid one. Two underscores separate server and tool in tool names. */
export const problem = (server: string): string | undefined =>
  !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$/.test(server) ?
    "its name must consist of letters, digits, dots, hyphens and underscores, at most 40 of them, beginning with a letter or digit"
    : server.includes("__") ? "its name must not contain two consecutive underscores"
    : undefined

// Calls in the style of other agents: `use_mcp_tool` names the server's tool in its params. It is converted to the
// intended call before any rule sees it.

const UseMcpToolParams = Schema.Struct({
  server_name: Schema.String,
  tool_name: Schema.String,
  arguments: Schema.optionalKey(Schema.Json)
})
const decode = Schema.decodeUnknownResult(UseMcpToolParams)

/** The call itself if it has no such form; a failure is a report for the model. */
export const resolveAlias = (call: ToolCall, { tools }: ServerTools): Result.Result<ToolCall, string> => {
  if (call.name !== "use_mcp_tool") return Result.succeed(call)
  return Result.flatMap(
    Result.mapError(
      decode(call.params),
      () => "use_mcp_tool was not run: it needs server_name, tool_name, and arguments as a JSON object."
    ),
    ({ arguments: params = {}, server_name, tool_name }) => {
      const match = tools.find(({ server, tool }) => server === server_name && tool === tool_name)
      return match === undefined ? Result.fail(unknownToolMessage(server_name, tool_name, tools))
        : Result.succeed({ ...call, name: match.name, params })
    }
  )
}

const unknownToolMessage = (server: string, tool: string, tools: ReadonlyArray<ServerTool>): string => {
  const serverTools = tools.filter((one) => one.server === server)
  return serverTools.length === 0
    ? `Unknown MCP server ${JSON.stringify(server)}. Available servers: ${
      [...new Set(tools.map(({ server }) => server))].join(", ") || "none"
    }.`
    : `The server ${server} has no tool ${JSON.stringify(tool)}. Its tools are: ${serverTools.map(({ tool }) => tool).join(", ")}.`
}
