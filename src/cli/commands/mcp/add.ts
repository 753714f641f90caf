/** `dacapo mcp add <name> …`: adds a server to the user's settings or to the project's `.mcp.json`. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { projectFile } from "../../../layers/mcp/client/LoadDefinitions.ts"
import { type ListedServer, Mcp } from "../../../services/Mcp.ts"
import { Trust } from "../../../services/Trust.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action, ActionInput } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*(input) {
  const { cwd, values: { scope = "user" }, args: [name] } = input
  if (name === undefined) return yield* usage("Give the server's name and its command or URL.")
  const entry = yield* parseEntry(input)
  const parsed = Definition.parse(name, entry)
  if (Result.isFailure(parsed)) {
    return yield* new UsageError({ message: `Can't add the server ${JSON.stringify(name)}: ${parsed.failure}.` })
  }
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.list(cwd)
    const trust = yield* Trust
    const write = mcp.write(cwd, scope, name, entry)
    const file = yield* scope === "project" ? trust.preserveTrust(cwd, projectFile, write) : write
    const existing = servers.find(({ definition }) => definition.name === name)
    const needsTrust = scope === "project" &&
      (yield* trust.items(cwd)).some(({ changed, path }) => path === projectFile && changed.length > 0)
    const cause = (yield* trust.isTrusted(cwd)) ? `${projectFile} changed since you trusted this folder.` : "This folder is not trusted."
    const [action, purpose] = scope === "project" ? ["allow", "approve"] : ["test", "test"]
    const commandLine = Definition.commandLine(parsed.success)
    yield* stdout.write(
      [
        `${existing?.file === file ? "Replaced" : "Added"} ${View.line(name)} in ${View.line(file)}: ${View.line(commandLine)}`,
        ...(existing === undefined || existing.file === file ? [] : [otherServer(existing, scope)]),
        needsTrust
          ? `${cause} Run \`dacapo trust\` to let its servers start.`
          : `Run \`dacapo mcp ${action} ${View.line(name)}\` to ${purpose} it.`
      ].map((line) => `${line}\n`).join("")
    )
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})

/** Another file configures a server of the same name: which one takes effect. */
const otherServer = ({ file, isUserDefined }: ListedServer, scope: "user" | "project"): string =>
  `${View.line(file)} also configures this name; ${isUserDefined && scope === "project" ? "that" : "the closer"} one takes precedence.`

const usage = (message: string) =>
  new UsageError({
    message: `${message} Usage: \`dacapo mcp add <name> -- <command> [args]\`, \`… <name> <url>\` or \`… <name> '<json>'\`.`
  })

/** The configuration of the server: JSON as given, or built from arguments and flags. */
const parseEntry = Effect.fnUntraced(
  function*(
    { values: { env = [], header = [], transport }, args: [, first, ...rest] }: ActionInput
  ): Effect.fn.Return<Schema.Json, UsageError> {
    if (first === undefined) return yield* usage("Give the server's command or URL.")
    if (first.startsWith("{")) {
      const json = Result.try({ try: () => JSON.parse(first) as Schema.Json, catch: (error) => (error as Error).message })
      return Result.isSuccess(json) ? json.success : yield* usage(`The JSON is invalid (${json.failure}).`)
    }
    const isUrl = /^https?:\/\//.test(first) || transport === "http" || transport === "sse"
    if (isUrl && rest.length > 0) return yield* usage(`A URL takes no further arguments, but was followed by "${rest[0]}".`)
    if (isUrl) {
      return {
        type: transport ?? "http",
        url: first,
        ...(header.length === 0 ? {} : { headers: yield* pairs(header, ":", "--header \"Name: value\"") })
      }
    }
    if (header.length > 0) return yield* usage("--header is only for servers with a URL.")
    return { command: first, args: rest, ...(env.length === 0 ? {} : { env: yield* pairs(env, "=", "--env NAME=value") }) }
  }
)

const pairs = (
  texts: ReadonlyArray<string>,
  separator: string,
  expectedForm: string
): Effect.Effect<Readonly<Record<string, string>>, UsageError> =>
  Effect.map(
    Effect.forEach(texts, (text) => {
      const index = text.indexOf(separator)
      return index < 1
        ? usage(`"${text}" is not valid; expected ${expectedForm}.`)
        : Effect.succeed([text.slice(0, index).trim(), text.slice(index + 1).trim()] as const)
    }),
    Object.fromEntries
  )
