/** `dacapo mcp allow <name>`: shows a project's server and approves it, with its current tools, until any of it changes. */
import * as Effect from "effect/Effect"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { Mcp } from "../../../services/Mcp.ts"
import { UsageError } from "../../process/CliError.ts"
import type { Action } from "./Action.ts"
import * as ErrorMessage from "../../process/ErrorMessage.ts"
import * as ExitCode from "../../process/ExitCode.ts"
import { Host } from "../../process/Host.ts"
import * as View from "../../render/view/View.ts"
import * as UnattendedAgent from "../../process/UnattendedAgent.ts"

export const run: Action = Effect.fnUntraced(function*({ cwd, args: names }) {
  if (names.length === 0) {
    return yield* new UsageError({ message: "Name one or more servers: `dacapo mcp allow <name>...`. Run `dacapo mcp list` to list them." })
  }
  const { stdout } = yield* Host
  const work = Effect.gen(function*() {
    const mcp = yield* Mcp
    const allow = Effect.fnUntraced(function*(name: string) {
      const { details, server: { definition, file, isUserDefined } } = yield* mcp.allow(cwd, name)
      yield* stdout.write(lines(
        `${name} (${file}): ${Definition.commandLine(definition)}`,
        ...details.map((detail) => `  ${detail}`),
        isUserDefined ? "This server is in your own settings and needs no approval." : "Allowed to start here until any of this changes."
      ))
      // The definition is approved now; the tools are known only after a connection.
      const { tools } = yield* mcp.test(cwd, name)
      yield* stdout.write(lines(`  Tools: ${tools.map(({ tool }) => tool).join(", ") || "none"}`))
    })
    const failures = yield* Effect.forEach(names, (name) =>
      Effect.as(allow(name), undefined).pipe(
        Effect.catchTag("McpError", (error) => Effect.as(stdout.write(lines(`✗ ${ErrorMessage.sentence(error)}`)), error))
      ))
    const failure = failures.find((failure) => failure !== undefined)
    return failure === undefined ? 0 : ExitCode.fromFailure(failure).exit
  })
  return yield* Effect.provide(work, yield* UnattendedAgent.unattendedLayer(cwd))
})

const lines = (...texts: ReadonlyArray<string>): string => texts.map((text) => `${View.line(text)}\n`).join("")
