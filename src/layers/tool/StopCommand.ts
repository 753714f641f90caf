/** stop_command: ends a command in the background. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Jobs } from "../../services/BackgroundCommands.ts"
import { define, ToolContext } from "../../services/Tool.ts"
import * as JobReport from "./CommandReport.ts"

const params = Schema.Struct({
  id: Schema.String.annotate({ description: "The command's id, as run_command told it." })
})

export const StopCommand = define({
  name: "stop_command",
  description: "End a command that runs in the background, with all that it started. You get what it said since you last looked.",
  params,
  aliases: ["kill_command", "kill_shell", "kill_bash"],
  paramAliases: { command_id: "id", shell_id: "id", bash_id: "id", job: "id" },
  kind: "command",
  idempotent: true,
  quiet: true,
  tags: ["command"],
  access: () => [Access.other("stop_command")],
  run: Effect.fn("stop_command")(function*({ id }) {
    const jobs = yield* Jobs
    const { session } = yield* ToolContext
    const job = yield* jobs.find(session, id)
    if (job === undefined) return JobReport.gone(id, yield* jobs.running(session))
    const ran = job.exit() === undefined
    yield* job.stop
    const state = yield* JobReport.state(job)
    return Outcome.succeeded(`${ran ? `Stopped ${id}.` : `${id} had ended.`} ${state}\n${yield* JobReport.news(job)}`)
  })
})
