/** `dacapo mcp add <name> …`: writes a server down, in the user's settings or in the project's `.mcp.json`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { Mcp } from "../../../services/Mcp.ts"
import { Trust } from "../../../services/Trust.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action, Asked } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*(asked) {
  const { cwd, values: { scope = "user" }, words: [name] } = asked
  if (name === undefined) return yield* usage("How is the server called, and how is it started?")
  const entry = yield* entryOf(asked)
  const parsed = Definition.parse(name, entry)
  if (Result.isFailure(parsed)) return yield* new UsageError({ message: `The server ${JSON.stringify(name)} can't be added: ${parsed.failure}.` })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.known(cwd)
    const file = yield* mcp.write(cwd, scope, name, entry)
    const before = servers.find(({ definition }) => definition.name === name)
    const waits = scope === "project" && !(yield* (yield* Trust).holds(cwd))
    yield* stdout.write([
      `${View.text(name)} ${before?.file === file ? "is now another" : "is added"} in ${View.text(file)}: ${View.text(Definition.told(parsed.success))}`,
      ...(before === undefined || before.file === file ? [] : [`${View.text(before.file)} names one too; the nearer counts.`]),
      waits ? "This folder is not trusted: `dacapo trust` lets its servers start." : `\`dacapo mcp test ${View.text(name)}\` tries it.`
    ].map((line) => `${line}\n`).join(""))
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})

const usage = (message: string) =>
  new UsageError({ message: `${message} \`dacapo mcp add <name> -- <command> [args]\`, \`dacapo mcp add <name> <url>\`, or \`dacapo mcp add <name> '<json>'\`.` })

/** What is written down: JSON as it stands, else made of words and flags. */
const entryOf = Effect.fnUntraced(function*({ values: { env = [], header = [], transport }, words: [, first, ...rest] }: Asked): Effect.fn.Return<Schema.Json, UsageError> {
  if (first === undefined) return yield* usage("How is the server started?")
  if (first.startsWith("{")) {
    const json = Result.try({ try: () => JSON.parse(first) as Schema.Json, catch: (error) => (error as Error).message })
    return Result.isSuccess(json) ? json.success : yield* usage(`That is no JSON (${json.failure}).`)
  }
  const isUrl = /^https?:\/\//.test(first) || transport === "http" || transport === "sse"
  if (isUrl && rest.length > 0) return yield* usage(`A server at an address takes no more words; "${rest[0]}" is one.`)
  if (isUrl) return { type: transport ?? "http", url: first, ...(header.length === 0 ? {} : { headers: yield* pairs(header, ":", "--header \"Name: value\"") }) }
  if (header.length > 0) return yield* usage("--header is for a server at an address.")
  return { command: first, args: rest, ...(env.length === 0 ? {} : { env: yield* pairs(env, "=", "--env NAME=value") }) }
})

const pairs = (texts: ReadonlyArray<string>, between: string, shown: string): Effect.Effect<Readonly<Record<string, string>>, UsageError> =>
  Effect.map(Effect.forEach(texts, (text) => {
    const at = text.indexOf(between)
    return at < 1 ? usage(`"${text}" is not of the form ${shown}.`) : Effect.succeed([text.slice(0, at).trim(), text.slice(at + 1).trim()] as const)
  }), Object.fromEntries)
