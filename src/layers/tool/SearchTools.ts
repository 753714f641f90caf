/** search_tools: with more MCP tools than there is room for, the model searches for those that it needs. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ToolSearch from "../../domain/mcp/ToolSearch.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define, ToolContext } from "../../services/Tool.ts"

/** The maximum number of tools that a search returns. */
const maxTools = 8

const params = Schema.Struct({
  query: Schema.String.annotate({ description: "A few words describing what the tool should do, or tool names." })
})

export const SearchTools = define<typeof params.Type>({
  name: "search_tools",
  description: "Search the tools of MCP servers. Returns the matching tools with their schemas; you can call them from then on.",
  params,
  aliases: ["tool_search"],
  paramAliases: { q: "query", words: "query", search: "query" },
  kind: "read",
  idempotent: true,
  hasNoOtherEffects: true,
  tags: ["mcp"],
  when: ({ needsSearch }) => needsSearch,
  access: () => [Access.other("search_tools")],
  run: Effect.fn("search_tools")(function*({ query }) {
    const { offer } = yield* ToolContext
    const matches = ToolSearch.searchTools(offer.tools, query, maxTools)
    if (matches.length === 0)
      return Outcome.succeeded(`No tool matches. Available MCP servers: ${offer.servers.map(({ name }) => name).join(", ") || "none"}.`)
    return {
      ...Outcome.succeeded(
        matches.map(({ description, name, schema }) => `${name}: ${description}\n${JSON.stringify(schema)}`).join("\n\n")
      ),
      loads: matches.map(({ name }) => name)
    }
  })
})
