/** What is to come out of a turn: a plan, or the work itself. */
import type { Section } from "../Section.ts"

const words = {
  plan: `You are in plan mode: you read and ask, and change nothing. Understand the task and the code it touches; ask what only the user can decide; break the work into steps in their order, with the files of each; name what could go wrong and how the result will be checked. End with present_plan.`,
  act: `Carry the task out. When it takes several steps, keep them in update_todo. When it is done and you have seen that it works, end with finish and say what you did and how you checked it. A question that needs no work is answered in plain text.`
}

export const mode: Section = {
  name: "mode",
  place: "fixed",
  order: 20,
  priority: 2,
  required: true,
  render: (about) => words[about.mode]
}
