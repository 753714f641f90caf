/** update_todo: the to-do list that the user always sees. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Access from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as Todo from "../../domain/tool/Todo.ts"
import { define } from "../../services/Tool.ts"

const params = Schema.Struct({
  items: Schema.Array(Schema.Struct({
    text: Schema.String.annotate({ description: "The step, in a few words." }),
    state: Schema.Literals(["pending", "in_progress", "done"])
  })).annotate({ description: "The complete list in order." })
})

export const UpdateTodo = define({
  name: "update_todo",
  description: "The todo list that the user sees: send all of it whenever you start or finish a step.",
  params,
  plain: ["items", "text"],
  aliases: ["todo_write", "update_todo_list", "focus_chain"],
  paramAliases: { todos: "items", task_progress: "items", list: "items" },
  accept: (raw) => raw.items === undefined ? raw : { ...raw, items: Todo.accept(raw.items) },
  kind: "read",
  idempotent: true,
  hasNoOtherEffects: true,
  tags: ["agent"],
  access: () => [Access.other("update_todo")],
  run: ({ items }) =>
    Effect.succeed({
      ...Outcome.succeeded(items.length === 0 ? "The list is empty." : `The list is now:\n${Todo.render(items)}`),
      todo: items
    })
})
