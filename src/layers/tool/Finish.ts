/** finish: the end of a task. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  result: Schema.String.annotate({ description: "For the user: what was done, and how verified. No question." }),
  command: Schema.optionalKey(
    Schema.String.annotate({ description: "For the user to try the result with." })
  )
})

export const Finish = define({
  name: "finish",
  description: "End the task once tool results confirm that it is done.",
  params,
  aliases: ["attempt_completion", "task_done"],
  paramAliases: { text: "result", summary: "result", message: "result" },
  kind: "read",
  hasNoOtherEffects: true,
  tags: ["agent"],
  access: () => [Access.other("finish")],
  run: ({ command, result }) => {
    const text = command === undefined || command.trim() === "" ? result : `${result}\n\nTry it: ${command.trim()}`
    return Effect.succeed({ ...Outcome.succeeded("The task is finished."), ends: text })
  }
})
