/** `--mcp-config`: MCP servers for this run only, as inline JSON or JSON files. */
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

/** Servers by name; of two with the same name, the later one is used. They can be under `mcpServers` or at the top level. */
export const servers = Effect.fnUntraced(function*({ mcpConfig = [] }: Values, cwd: string) {
  const all = yield* Effect.forEach(mcpConfig, (source) => read(source, cwd))
  return all.length === 0 ? {} : { mcpServers: Object.assign({}, ...all) as Servers }
})

const read = Effect.fnUntraced(function*(source: string, cwd: string): Effect.fn.Return<Servers, UsageError> {
  const configError = (why: string) => new UsageError({ message: `--mcp-config ${source.slice(0, 80)}: ${why}.` })
  const text = source.trim().startsWith("{") ? source : yield* Effect.tryPromise({
    try: () => readFile(resolve(cwd, source), "utf8"),
    catch: (error) => configError(`can't read the file: ${(error as NodeJS.ErrnoException).code ?? String(error)}`)
  })
  const parsed = JsonText.parse(text)
  if (Result.isFailure(parsed)) return yield* configError(parsed.failure.why)
  const value = isObject(parsed.success) ? parsed.success["mcpServers"] ?? parsed.success : undefined
  if (!isObject(value)) return yield* configError("expected servers, such as { \"mcpServers\": { \"name\": { \"command\": … } } }")
  for (const [name, entry] of Object.entries(value)) {
    const definition = Definition.parse(name, entry)
    if (Result.isFailure(definition)) return yield* configError(`the server ${JSON.stringify(name)} is not valid: ${definition.failure}`)
  }
  return value as Servers
})
