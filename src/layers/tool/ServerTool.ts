/**
 * An MCP tool as a tool of ours. It always counts as a command that reaches outside: a server's description of its own
 * tools (readOnlyHint and the like) is foreign text and lowers no risk.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ServerTool } from "../../domain/mcp/ServerTools.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as JsonCheck from "../../domain/tool/JsonCheck.ts"
import { Mcp } from "../../services/Mcp.ts"
import { define, type Tool } from "../../services/Tool.ts"

export const of = ({ description, name, schema, server, tool }: ServerTool): Tool<Schema.JsonObject> =>
  define<Schema.JsonObject>({
    name,
    description,
    params: JsonCheck.codec(schema),
    schema,
    kind: "command",
    destructive: true,
    openWorld: true,
    tags: ["mcp"],
    access: (input) => [Access.mcp(server, tool, input)],
    run: (input) => Effect.flatMap(Mcp, (mcp) => mcp.call(server, tool, input))
  })
