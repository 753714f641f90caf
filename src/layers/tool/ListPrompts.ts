/** list_prompts: prompts that MCP servers offer. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Prompt from "../../domain/mcp/Prompt.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Mcp } from "../../services/Mcp.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  name: Schema.optionalKey(Schema.String.annotate({ description: "A prompt from the list, to get its text." })),
  arguments: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "The arguments of the prompt, in the order listed." }))
})

export const ListPrompts = define<typeof params.Type>({
  name: "list_prompts",
  description: "List the prompts of MCP servers, or get the text of one by name. Users run them as slash commands.",
  params,
  aliases: ["get_prompt"],
  paramAliases: { prompt: "name", args: "arguments" },
  kind: "read",
  idempotent: true,
  openWorld: true,
  hasNoOtherEffects: true,
  tags: ["mcp"],
  when: ({ offer: { servers } }) => servers.some(({ prompts }) => prompts),
  access: () => [Access.other("list_prompts")],
  run: Effect.fn("list_prompts")(function*({ arguments: args = [], name }) {
    const mcp = yield* Mcp
    const { cwd, session } = yield* ToolContext
    const prompts = yield* mcp.prompts(cwd, session)
    if (name === undefined) return Outcome.succeeded(prompts.length === 0 ? "No prompts are available." : prompts.map(line).join("\n"))
    const text = yield* mcp.prompt(cwd, session, name, (prompt) => Prompt.promptArguments(prompt, args))
    return text === undefined ? Outcome.mistaken(`There is no prompt ${JSON.stringify(name)}. Available prompts: ${
      prompts.map(({ name }) => name).join(", ") || "none"
    }.`) : Outcome.succeeded(text)
  })
})

const line = ({ arguments: parameters, description, name }: Prompt.Prompt): string =>
  `${name}(${parameters.map(({ name, required }) => required ? name : `${name}?`).join(", ")})${
    description === "" ? "" : `: ${description}`
  }`
