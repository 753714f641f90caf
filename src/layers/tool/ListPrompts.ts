/** list_prompts: prompts that MCP servers have written for their own use. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Prompt from "../../domain/mcp/Prompt.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Mcp } from "../../services/Mcp.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  name: Schema.optionalKey(Schema.String.annotate({ description: "A prompt of the list, to have it written out." })),
  arguments: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Its arguments, in the order of the list." }))
})

export const ListPrompts = define<typeof params.Type>({
  name: "list_prompts",
  description: "List the prompts of MCP servers, or write one out by its name. The user calls them as slash commands.",
  params,
  aliases: ["get_prompt"],
  paramAliases: { prompt: "name", args: "arguments" },
  kind: "read",
  idempotent: true,
  openWorld: true,
  quiet: true,
  tags: ["mcp"],
  when: ({ offer: { servers } }) => servers.some(({ prompts }) => prompts),
  access: () => [Access.other("list_prompts")],
  run: Effect.fn("list_prompts")(function*({ arguments: given = [], name }) {
    const mcp = yield* Mcp
    const { cwd, session } = yield* ToolContext
    const all = yield* mcp.prompts(cwd, session)
    if (name === undefined) return Outcome.succeeded(all.length === 0 ? "There are no prompts." : all.map(line).join("\n"))
    const written = yield* mcp.prompt(cwd, session, name, (prompt) => Prompt.given(prompt, given))
    return written === undefined ? Outcome.mistaken(`There is no prompt ${JSON.stringify(name)}. There are: ${all.map(({ name }) => name).join(", ") || "none"}.`) : Outcome.succeeded(written)
  })
})

const line = ({ arguments: asked, description, name }: Prompt.Prompt): string =>
  `${name}(${asked.map(({ name, required }) => required ? name : `${name}?`).join(", ")})${description === "" ? "" : `: ${description}`}`
