/** `--mcp-config`: servers for this run alone, as JSON or as files that hold it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import * as Definition from "../../domain/mcp/Definition.ts"
import { isObject } from "../../domain/tool/ParamSchema.ts"
import * as JsonText from "../../layers/settings/JsonText.ts"
import { UsageError } from "../process/CliError.ts"
import type { Values } from "../args/Flags.ts"

type Servers = Readonly<Record<string, Schema.Json>>

/** By name; of two with one name the later counts. Each may stand under \`mcpServers\` or by itself. */
export const servers = Effect.fnUntraced(function*({ mcpConfig = [] }: Values, cwd: string) {
  const all = yield* Effect.forEach(mcpConfig, (given) => read(given, cwd))
  return all.length === 0 ? {} : { mcpServers: Object.assign({}, ...all) as Servers }
})

const read = Effect.fnUntraced(function*(given: string, cwd: string): Effect.fn.Return<Servers, UsageError> {
  const wrong = (why: string) => new UsageError({ message: `--mcp-config ${given.slice(0, 80)} ${why}.` })
  const text = given.trim().startsWith("{") ? given : yield* Effect.tryPromise({
    try: () => readFile(resolve(cwd, given), "utf8"),
    catch: (error) => wrong(`can't be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  })
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) return yield* wrong(parsed.failure.why)
  const value = isObject(parsed.success) ? parsed.success["mcpServers"] ?? parsed.success : undefined
  if (!isObject(value)) return yield* wrong("holds no servers: { \"mcpServers\": { \"name\": { \"command\": … } } }")
  for (const [name, entry] of Object.entries(value)) {
    const checked = Definition.parse(name, entry)
    if (Result.isFailure(checked)) return yield* wrong(`names a server ${JSON.stringify(name)} that can't be used: ${checked.failure}`)
  }
  return value as Servers
})
