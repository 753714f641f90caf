/** stop_command: ends a command in the background. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../../domain/tool/Access.ts"
import * as Outcome from "../../../domain/tool/Outcome.ts"
import { BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { define, ToolContext } from "../../../services/Tool.ts"
import * as CommandReport from "./CommandReport.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, from run_command." })
})

export const StopCommand = define({
  name: "stop_command",
  description: "Stop a background command and all its processes. Returns the output you have not seen.",
  params,
  plain: ["id"],
  aliases: ["kill_command", "kill_shell", "kill_bash"],
  paramAliases: { command_id: "id", shell_id: "id", bash_id: "id", job: "id" },
  kind: "command",
  idempotent: true,
  hasNoOtherEffects: true,
  tags: ["command"],
  access: () => [Access.other("stop_command")],
  run: Effect.fn("stop_command")(function*({ id }) {
    const commands = yield* BackgroundCommands
    const { session } = yield* ToolContext
    const command = yield* commands.find(session, id)
    if (command === undefined) return CommandReport.notFound(id, yield* commands.running(session))
    const wasRunning = command.exit() === undefined
    yield* command.stop
    const state = yield* CommandReport.state(command)
    return Outcome.succeeded(
      `${wasRunning ? `Stopped ${id}.` : `${id} had already ended.`} ${state}\n${yield* CommandReport.newOutput(command)}`
    )
  })
})
