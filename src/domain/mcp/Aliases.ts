/** Calls in the shape of other agents: `use_mcp_tool` names the server's tool in its params. It becomes the call that is meant before any rule sees it. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ToolCall } from "../message/Message.ts"
import type { Offer, OfferedTool } from "./ServerTools.ts"

const Asked = Schema.Struct({
  server_name: Schema.String,
  tool_name: Schema.String,
  arguments: Schema.optionalKey(Schema.Json)
})
const decode = Schema.decodeUnknownResult(Asked)

/** The call itself where it is of no such shape; a failure is a report for the model. */
export const direct = (call: ToolCall, { tools }: Offer): Result.Result<ToolCall, string> => {
  if (call.name !== "use_mcp_tool") return Result.succeed(call)
  return Result.flatMap(
    Result.mapError(decode(call.params), () => "use_mcp_tool was not run: it needs server_name, tool_name, and arguments as a JSON object."),
    ({ arguments: params = {}, server_name, tool_name }) => {
      const found = tools.find(({ server, tool }) => server === server_name && tool === tool_name)
      return found === undefined ? Result.fail(unknown(server_name, tool_name, tools)) : Result.succeed({ ...call, name: found.name, params })
    }
  )
}

const unknown = (server: string, tool: string, tools: ReadonlyArray<OfferedTool>): string => {
  const own = tools.filter((one) => one.server === server)
  return own.length === 0
    ? `There is no MCP server ${JSON.stringify(server)}. The servers are: ${[...new Set(tools.map(({ server }) => server))].join(", ") || "none"}.`
    : `The server ${server} has no tool ${JSON.stringify(tool)}. Its tools are: ${own.map(({ tool }) => tool).join(", ")}.`
}
