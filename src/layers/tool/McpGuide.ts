/** mcp_guide: how a server is written, loaded when one is to be written. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { guide } from "../../domain/mcp/Guide.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

export const McpGuide = define({
  name: "mcp_guide",
  description: "Load the guide for writing an MCP server. Only when the user wants one written.",
  params: Schema.Struct({}),
  aliases: ["load_mcp_documentation"],
  kind: "read",
  idempotent: true,
  quiet: true,
  tags: ["mcp"],
  access: () => [Access.other("mcp_guide")],
  run: () => Effect.succeed(Outcome.succeeded(guide))
})
