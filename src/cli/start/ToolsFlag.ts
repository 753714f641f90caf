/** `--tools`: the tools that a session has, by our names or by those that other agents have for them. */
import * as Effect from "effect/Effect"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"

/** The flags with our own names in `tools`; without it where all are meant. */
export const resolved = Effect.fnUntraced(function*(values: Values): Effect.fn.Return<Values, UsageError> {
  const { tools, ...others } = values
  if (tools === undefined || tools.includes("default")) return others
  const Named = yield* Effect.promise(() => import("../../layers/tool/ToolAliases.ts"))
  const named = yield* Effect.forEach(tools, (tool) => {
    const name = Named.tool(tool)
    return name === undefined
      ? Effect.fail(new UsageError({ message: `--tools knows no tool "${tool}"; there are ${Named.names.join(", ")}, and those of MCP servers as mcp__server__tool.` }))
      : Effect.succeed(name)
  })
  return { ...others, tools: [...new Set(named)] }
})
