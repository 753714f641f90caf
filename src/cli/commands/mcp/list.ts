/** `dacapo mcp list`: the servers that are written down for this folder, and what keeps one from being used. Starts none. */
import * as Effect from "effect/Effect"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { type Known, Mcp } from "../../../services/Mcp.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { outputFormat = "text" }, words }) {
  if (words.length > 0) return yield* new UsageError({ message: "`dacapo mcp list` takes no words." })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const { notes, servers } = yield* (yield* Mcp).known(cwd)
    yield* stdout.write(outputFormat === "text" ? text(servers, notes) : Json.line({ servers: servers.map(row), notes }))
    return 0
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})

const text = (servers: ReadonlyArray<Known>, notes: ReadonlyArray<string>): string => [
  ...servers.flatMap((known) => {
    const { file, how, name, state } = row(known)
    return [`${state === "disabled" ? " " : "·"} ${name.padEnd(16)} ${View.text(how)}`, `  ${"".padEnd(16)} ${View.text(file)}${state === "asks" ? "; asks before it starts" : state === "disabled" ? "; disabled" : ""}`]
  }),
  ...notes.map((note) => `! ${View.text(note)}`),
  ...(servers.length + notes.length === 0 ? ["No MCP server is set up here. `dacapo mcp add <name> -- <command>` adds one."] : [])
].map((line) => `${line}\n`).join("")

const row = ({ definition, file, own }: Known) => ({
  name: definition.name,
  transport: { Stdio: "stdio", Http: "http", Sse: "sse" }[definition.transport._tag],
  how: Definition.told(definition),
  file,
  state: definition.disabled ? "disabled" : own ? "starts" : "asks"
})
