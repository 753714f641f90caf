/** present_plan: the end of a turn in plan mode. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as Todo from "../../domain/tool/Todo.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  plan: Schema.String.annotate({
    description: "The plan in Markdown: the goal, the ordered steps with the files they touch, the risks, and how to verify the result."
  }),
  questions: Schema.optionalKey(Schema.Array(Schema.String).annotate({ description: "Questions the user has to decide first." }))
})

export const PresentPlan = define({
  name: "present_plan",
  description: "Present your plan to the user and end the turn. Call it only after you have read the code the plan is about.",
  params,
  aliases: ["plan_mode_respond", "exit_plan_mode"],
  paramAliases: { response: "plan", text: "plan" },
  kind: "read",
  hasNoOtherEffects: true,
  tags: ["agent"],
  modes: "plan",
  access: () => [Access.other("present_plan")],
  run: ({ plan, questions = [] }) => {
    const questionList = questions.length === 0 ? "" : `\n\nQuestions:\n${questions.map((question) => `- ${question}`).join("\n")}`
    const steps = Todo.ofPlan(plan)
    return Effect.succeed({
      ...Outcome.succeeded("The plan was presented."),
      ends: `${plan}${questionList}`,
      ...(steps.length === 0 ? {} : { todo: steps })
    })
  }
})
