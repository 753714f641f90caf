/** `/memory` and `/deepplan`: what the model writes down, about the project and about a task before it begins. */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as MemoryBank from "../../../domain/context/MemoryBank.ts"
import type { SlashContext } from "./SlashContext.ts"
import { subcommand } from "./subcommand.ts"

/** Has the model update the memory bank, which is created first if there is none. */
export const memory = Effect.fnUntraced(function*(context: SlashContext, note: string) {
  if (!existsSync(join(context.cwd, MemoryBank.folder))) yield* subcommand(context, ["memory", "init"])
  yield* context.say(
    `Update the memory bank in ${MemoryBank.folder}/: read its files, compare them with this session and with the project, and correct or ` +
      "complete what is wrong, missing or out of date. activeContext.md and progress.md change most often. Keep it short, keep what is " +
      "still true, and write no secrets." + (note === "" ? "" : `\n\nIn particular: ${note}`)
  )
})

/** The file of the plan, in the working folder. */
const planFile = "implementation_plan.md"

/** Has the model plan a task in depth before it changes anything else. */
export const deepPlan = ({ say }: SlashContext, task: string) =>
  say(
    `Plan ${task === "" ? "the task that we discussed" : "this task"} in depth before you act, in four steps:\n` +
      "1. Investigate: read the code that matters, how it is tested, and similar code. Change nothing.\n" +
      "2. Ask me with ask_user what the code does not answer and the result depends on, one question at a time.\n" +
      `3. Write the plan to ${planFile}: goal, the files and functions to change, new types and interfaces, tests, the order of the ` +
      "steps, risks, and how to verify the result. Then ask me with ask_user whether to implement it.\n" +
      `4. Only when I agree: implement it step by step, with update_todo for the steps, and keep ${planFile} current.` +
      (task === "" ? "" : `\n\nThe task: ${task}`)
  )
