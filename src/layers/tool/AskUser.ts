/** ask_user: a question that only the user can answer. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Approver } from "../../services/Approver.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  question: Schema.String.annotate({ description: "The question, whole and clear by itself." }),
  options: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Two to five answers to choose from." }))
})

export const AskUser = define({
  name: "ask_user",
  description: "Ask the user a question that you can't answer by looking. Use it rarely: a tool that finds the answer is better.",
  params,
  aliases: ["ask_followup_question", "ask_question"],
  paramAliases: { text: "question", follow_up: "options", choices: "options" },
  kind: "read",
  quiet: true,
  tags: ["agent"],
  access: () => [Access.other("ask_user")],
  run: Effect.fn("ask_user")(function*({ options = [], question }) {
    const approver = yield* Approver
    const { from } = yield* ToolContext
    const reply = yield* approver.question(from === undefined ? question : `${from} asks: ${question}`, options)
    return reply.by === "user"
      ? Outcome.succeeded(`The user answered:\n${reply.words}`)
      : { ...Outcome.succeeded(alone), unanswered: true }
  })
})

const alone =
  "No one can answer: this runs without a user. Decide by yourself, in the way that is safest and easiest to undo, and say in your result what you decided."
