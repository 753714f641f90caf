/** ask_user: a question that only the user can answer. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { Approver } from "../../services/Approver.ts"
import { define, ToolContext } from "../../services/Tool.ts"

const params = Schema.Struct({
  question: Schema.String.annotate({ description: "The complete question." }),
  options: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Two to five answers to choose from." }))
})

export const AskUser = define({
  name: "ask_user",
  description: "Ask the user what you can't find out with the other tools. Use it sparingly.",
  params,
  aliases: ["ask_followup_question", "ask_question"],
  paramAliases: { text: "question", follow_up: "options", choices: "options" },
  kind: "read",
  hasNoOtherEffects: true,
  tags: ["agent"],
  plain: ["question"],
  when: ({ canAsk }) => canAsk,
  access: () => [Access.other("ask_user")],
  run: Effect.fn("ask_user")(function*({ options = [], question }) {
    const approver = yield* Approver
    const { from, session } = yield* ToolContext
    const reply = yield* approver.question(from === undefined ? question : `${from} asks: ${question}`, options, session)
    return reply.by === "user"
      ? { ...Outcome.succeeded(`The user answered:\n${reply.text}`), display: reply.text }
      : { ...Outcome.succeeded(noUserAnswer), unanswered: true }
  })
})

const noUserAnswer =
  "No user is available to answer: this session is non-interactive. Decide yourself, choose the option that is safest and easiest to undo, and state your decision in the result."
