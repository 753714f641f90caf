/** `dacapo mcp test [name]`: connects to one server or all, and lists their tools; exits with 1 if one does not respond. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { McpError } from "../../../domain/mcp/McpError.ts"
import * as Truncate from "../../../domain/tool/Truncate.ts"
import { Mcp, type ServerTestResult } from "../../../services/Mcp.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import * as ErrorMessage from "../../process/ErrorMessage.ts"
import * as ExitCode from "../../process/ExitCode.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, values: { outputFormat = "text" }, args: [name, ...extraArgs] }) {
  if (extraArgs.length > 0) {
    return yield* new UsageError({ message: "`dacapo mcp test` takes one server name, or none to test all servers." })
  }
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const { servers } = yield* mcp.list(cwd)
    const names = name === undefined
      ? servers.filter(({ definition }) => !definition.disabled).map(({ definition }) => definition.name)
      : [name]
    if (names.length === 0) {
      return yield* new InputError({ message: "No MCP servers configured. Run `dacapo mcp add <name> -- <command>` to add one." })
    }
    const failures = yield* Effect.forEach(names, (name) =>
      mcp.test(cwd, name).pipe(
        Effect.timed,
        Effect.flatMap(([elapsed, result]) =>
          stdout.write(outputFormat === "text" ? successText(result, elapsed) : StreamJson.line({ ...result, ok: true }))
        ),
        Effect.as(undefined),
        Effect.catchTag("McpError", (error) =>
          Effect.as(
            stdout.write(
              outputFormat === "text"
                ? failureText(error)
                : StreamJson.line({ server: { name: error.server }, ok: false, reason: error.reason, message: error.message })
            ),
            error
          ))
      ))
    const failure = failures.find((failure) => failure !== undefined)
    return failure === undefined ? 0 : ExitCode.fromFailure(failure).exit
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})

const successText = ({ protocol, server, tools, version }: ServerTestResult, elapsed: Duration.Duration): string => {
  const name = `${View.line(server.name)}${version === "" ? "" : ` ${View.line(version)}`}`
  const offers = [`${tools.length} tools`, ...server.resources ? ["resources"] : [], ...server.prompts ? ["prompts"] : []].join(", ")
  return [
    `✓ ${name}: ${offers} (protocol ${View.line(protocol)}, ${Math.round(Duration.toMillis(elapsed))} ms)`,
    ...tools.map(({ description, name }) => `    ${View.line(name)}  ${View.line(Truncate.line(description.split("\n", 1)[0]!, 60))}`)
  ].map((line) => `${line}\n`).join("")
}

const failureText = (error: McpError): string => `✗ ${View.line(ErrorMessage.sentence(error))}\n`
