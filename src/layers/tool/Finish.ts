/** finish: the end of a task. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  result: Schema.String.annotate({ description: "What was done and how it was checked, for the user; no question at its end." }),
  command: Schema.optionalKey(Schema.String.annotate({ description: "A command with which the user can try the result; it is shown, not run." }))
})

export const Finish = define({
  name: "finish",
  description: "End the task with its result. Only after you have seen in the results of your calls that it is done.",
  params,
  aliases: ["attempt_completion", "task_done"],
  paramAliases: { text: "result", summary: "result", message: "result" },
  kind: "read",
  quiet: true,
  tags: ["agent"],
  access: () => [Access.other("finish")],
  run: ({ command, result }) => {
    const whole = command === undefined || command.trim() === "" ? result : `${result}\n\nTry it: ${command.trim()}`
    return Effect.succeed({ ...Outcome.succeeded("The task is finished."), ends: whole })
  }
})
