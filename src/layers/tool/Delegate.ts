/** delegate: parts of the work, each done by a child session of its own. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Child from "../../domain/subagent/Subagent.ts"
import * as Given from "../../domain/subagent/ParseTasks.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  tasks: Schema.Array(Child.Task).annotate({ description: "One for each child; up to 8 run at once." })
})

export const Delegate = define({
  name: "delegate",
  description:
    "Give parts of the work to other agents that work at the same time, each in a conversation of its own, and get what they found as one answer. For independent questions that need much reading. They see nothing of this conversation, and what they spend is of your budget. Those that edit work in a copy of the folder each; when all have ended, what they changed is merged, and what can't be is named.",
  params,
  aliases: ["use_subagents", "new_task", "task"],
  accept: Given.accept,
  kind: "read",
  kindOf: ({ tasks }) => tasks.some(Child.edits) ? "command" : "read",
  quiet: true,
  tags: ["agent"],
  access: ({ tasks }) => [...new Set(tasks.map(({ agent }) => agent))].map((agent) => Access.other("delegate", {
    ...(agent === undefined ? {} : { agent }),
    tasks: tasks.filter((task) => task.agent === agent).map(({ mode = "read", model, prompt }) => ({ prompt, mode, ...(model === undefined ? {} : { model }) }))
  })),
  tasks: ({ tasks }) => tasks,
  run: () => Effect.succeed(Outcome.mistaken("No task was given: name at least one in tasks, each with its prompt."))
})
