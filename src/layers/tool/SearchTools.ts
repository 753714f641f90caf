/** search_tools: where servers have more tools than there is room for, the model looks for those that it needs. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Find from "../../domain/mcp/ToolSearch.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define, ToolContext } from "../../services/Tool.ts"

/** Tools that a search finds. */
const most = 8

const params = Schema.Struct({
  query: Schema.String.annotate({ description: "A few words of what the tool is to do, or names of tools." })
})

export const SearchTools = define<typeof params.Type>({
  name: "search_tools",
  description: "Find tools of MCP servers by words. Those that are found are described, and can be called from then on.",
  params,
  aliases: ["tool_search"],
  paramAliases: { q: "query", words: "query", search: "query" },
  kind: "read",
  idempotent: true,
  quiet: true,
  tags: ["mcp"],
  when: ({ crowded }) => crowded,
  access: () => [Access.other("search_tools")],
  run: Effect.fn("search_tools")(function*({ query }) {
    const { offer } = yield* ToolContext
    const found = Find.tools(offer.tools, query, most)
    if (found.length === 0) return Outcome.succeeded(`No tool has these words. The servers are: ${offer.servers.map(({ name }) => name).join(", ") || "none"}.`)
    return {
      ...Outcome.succeeded(found.map(({ description, name, schema }) => `${name}: ${description}\n${JSON.stringify(schema)}`).join("\n\n")),
      loads: found.map(({ name }) => name)
    }
  })
})
