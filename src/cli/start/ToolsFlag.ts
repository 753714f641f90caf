/** `--tools`: the tools of a session, by our names or those of other agents. */
import * as Effect from "effect/Effect"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"

/** The flags with tool names resolved; without `tools` if it means all tools. */
export const resolveTools = Effect.fnUntraced(function*(values: Values): Effect.fn.Return<Values, UsageError> {
  const { tools, ...otherValues } = values
  if (tools === undefined || tools.includes("default")) return otherValues
  const ToolAliases = yield* Effect.promise(() => import("../../layers/tool/ToolAliases.ts"))
  const names = yield* Effect.forEach(tools, (tool) => {
    const name = ToolAliases.tool(tool)
    return name === undefined
      ? Effect.fail(
        new UsageError({
          message: `"${tool}" is not a valid tool for --tools; expected one of ${ToolAliases.names.join(", ")}, ` +
            "or mcp__server__tool for an MCP tool."
        })
      )
      : Effect.succeed(name)
  })
  return { ...otherValues, tools: [...new Set(names)] }
})
