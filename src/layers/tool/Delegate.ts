/** delegate: parts of the work, each done by a subagent. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { optional } from "../../domain/Optional.ts"
import * as Subagent from "../../domain/subagent/Subagent.ts"
import * as ParseTasks from "../../domain/subagent/ParseTasks.ts"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  tasks: Schema.Array(Subagent.SubagentTask).annotate({ description: "Up to 8 run at once." })
})

export const Delegate = define({
  name: "delegate",
  description:
    "Run subagents in parallel, for independent questions that need much reading. Returns their findings. Each edits its own copy, merged at the end; conflicts are reported.",
  params,
  plain: ["name", "agent", "tools"],
  aliases: ["use_subagents", "new_task", "task"],
  accept: ParseTasks.parseTasks,
  kind: "read",
  kindOf: ({ tasks }) => tasks.some(Subagent.canEdit) ? "command" : "read",
  hasNoOtherEffects: true,
  tags: ["agent"],
  access: ({ tasks }) =>
    [...new Set(tasks.map(({ agent }) => agent))].map((agent) =>
      Access.other("delegate", {
        ...optional({ agent }),
        tasks: tasks.filter((task) => task.agent === agent).map(({ mode = "read", model, prompt }) => ({
          prompt,
          mode,
          ...optional({ model })
        }))
      })
    ),
  tasks: ({ tasks }) => tasks,
  run: () => Effect.succeed(Outcome.mistaken("tasks is empty. Add at least one task with a prompt."))
})
