/** `dacapo mcp test [name]`: connects to a server, or to all, and says what each gives; exit 1 where one does not answer. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { McpError } from "../../../domain/mcp/McpError.ts"
import * as Clip from "../../../domain/tool/Clip.ts"
import { Mcp, type Tested } from "../../../services/Mcp.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "../Mcp.ts"
import * as ErrorReport from "../../process/ErrorMessage.ts"
import * as ExitCode from "../../process/ExitCode.ts"
import { Host } from "../../process/Host.ts"
import * as Json from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as Runtime from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { outputFormat = "text" }, words: [name, ...more] }) {
  if (more.length > 0) return yield* new UsageError({ message: "`dacapo mcp test` takes one server; without a name it tests all." })
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.known(cwd)
    const names = name === undefined ? servers.filter(({ definition }) => !definition.disabled).map(({ definition }) => definition.name) : [name]
    if (names.length === 0) return yield* new InputError({ message: "No MCP server is set up here. `dacapo mcp add <name> -- <command>` adds one." })
    const failures = yield* Effect.forEach(names, (name) =>
      mcp.test(cwd, name).pipe(
        Effect.timed,
        Effect.flatMap(([took, tested]) => stdout.write(outputFormat === "text" ? good(tested, took) : Json.line({ ...tested, ok: true }))),
        Effect.as(undefined),
        Effect.catchTag("McpError", (error) => Effect.as(stdout.write(outputFormat === "text" ? bad(error) : Json.line({ server: { name: error.server }, ok: false, reason: error.reason, message: error.message })), error))
      ))
    const failed = failures.find((failure) => failure !== undefined)
    return failed === undefined ? 0 : ExitCode.ofFailure(failed).exit
  })
  return yield* Effect.provide(work, yield* Runtime.unattended(cwd))
})

const good = ({ protocol, server, tools, version }: Tested, took: Duration.Duration): string => [
  `✓ ${server.name}${version === "" ? "" : ` ${View.text(version)}`}: ${tools.length} tools${server.resources ? ", resources" : ""}${server.prompts ? ", prompts" : ""} (protocol ${View.text(protocol)}, ${Math.round(Duration.toMillis(took))} ms)`,
  ...tools.map(({ description, name }) => `    ${name}  ${View.text(Clip.line(description.split("\n", 1)[0]!, 60))}`)
].map((line) => `${line}\n`).join("")

const bad = (error: McpError): string => `✗ ${View.text(ErrorReport.sentence(error))}\n`
