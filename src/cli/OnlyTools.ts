/** `--tools`: the tools that a session has, by our names or by those that other agents have for them. */
import * as Effect from "effect/Effect"
import { UsageError } from "./CliError.ts"
import type { Values } from "./Flags.ts"

/** `Bash`, `bash` and `BASH` are one name, and so are `TodoWrite` and `todo_write`. */
const plain = (name: string): string => name.replace(/[_-]/g, "").toLowerCase()

/** The flags with our own names in `tools`; without it where all are meant. An MCP tool, or all of a server, goes by its own name. */
export const resolved = Effect.fnUntraced(function*(values: Values): Effect.fn.Return<Values, UsageError> {
  const { tools, ...others } = values
  if (tools === undefined || tools.includes("default")) return others
  const { builtin } = yield* Effect.promise(() => import("../layers/tool/builtin.ts"))
  const own = new Map(builtin.flatMap(({ aliases, name }) => [name, ...aliases ?? []].map((one) => [plain(one), name] as const)))
  const named = yield* Effect.forEach(tools, (tool) => {
    const name = tool.startsWith("mcp__") ? tool : own.get(plain(tool))
    return name === undefined
      ? Effect.fail(new UsageError({ message: `--tools knows no tool "${tool}"; there are ${builtin.map(({ name }) => name).join(", ")}, and those of MCP servers as mcp__server__tool.` }))
      : Effect.succeed(name)
  })
  return { ...others, tools: [...new Set(named)] }
})
