/** mcp_guide: the guide to writing an MCP server, loaded when the model asks for it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { guide } from "../../domain/mcp/Guide.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

export const McpGuide = define({
  name: "mcp_guide",
  description: "Load the guide to writing an MCP server. Use it only when the user asks you to write one.",
  params: Schema.Struct({}),
  aliases: ["load_mcp_documentation"],
  kind: "read",
  idempotent: true,
  hasNoOtherEffects: true,
  tags: ["mcp"],
  when: ({ mentionsMcp }) => mentionsMcp,
  access: () => [Access.other("mcp_guide")],
  run: () => Effect.succeed(Outcome.succeeded(guide))
})
