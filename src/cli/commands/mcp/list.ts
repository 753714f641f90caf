/** `dacapo mcp list`: lists the servers configured for this folder, and problems with them. Starts none. */
import * as Effect from "effect/Effect"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { type ListedServer, Mcp } from "../../../services/Mcp.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { outputFormat = "text" }, args }) {
  if (args.length > 0) return yield* new UsageError({ message: "`dacapo mcp list` takes no arguments." })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const { notes, servers } = yield* (yield* Mcp).list(cwd)
    yield* stdout.write(outputFormat === "text" ? text(servers, notes) : StreamJson.line({ servers: servers.map(row), notes }))
    return 0
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})

const text = (servers: ReadonlyArray<ListedServer>, notes: ReadonlyArray<string>): string =>
  [
    ...servers.flatMap((server) => {
      const { file, how, name, state } = row(server)
      const note = state === "asks" ? "; needs approval before it starts" : state === "disabled" ? "; disabled" : ""
      return [
        `${state === "disabled" ? " " : "·"} ${View.line(name).padEnd(16)} ${View.line(how)}`,
        `  ${"".padEnd(16)} ${View.line(file)}${note}`
      ]
    }),
    ...notes.map((note) => `! ${View.line(note)}`),
    ...(servers.length + notes.length === 0 ? ["No MCP servers configured. Run `dacapo mcp add <name> -- <command>` to add one."] : [])
  ].map((line) => `${line}\n`).join("")

const row = ({ allowed, definition, file }: ListedServer) => ({
  name: definition.name,
  transport: { Stdio: "stdio", Http: "http", Sse: "sse", Program: "sdk" }[definition.transport._tag],
  how: Definition.commandLine(definition),
  file,
  state: definition.disabled ? "disabled" : allowed ? "starts" : "asks"
})
