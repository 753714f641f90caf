/** `/todo`: the to-do list that the user edits, on the screen or by arguments. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { TodoItem } from "../../../domain/tool/Outcome.ts"
import * as Todo from "../../../domain/tool/Todo.ts"
import * as TodoEdit from "../../../domain/tool/TodoEdit.ts"
import { Agent } from "../../../services/Agent.ts"
import * as ScreenStore from "../ScreenStore.ts"
import type { SlashContext } from "./SlashContext.ts"

export const todo = Effect.fnUntraced(function*(context: SlashContext, args: string) {
  const { conversation, isScreenReader, store } = context
  const agent = yield* Agent
  const id = yield* conversation.start
  const { todo: items } = yield* agent.state(id)
  if (args === "" && isScreenReader) {
    const list = items.length === 0 ? "The to-do list is empty." : Todo.render(items)
    return yield* ScreenStore.note(store, `${list}\nChange it with ${TodoEdit.usage}.`)
  }
  if (args === "") return store.dispatch({ _tag: "EditTodo", items })
  const changed = TodoEdit.command(items, args)
  if (Result.isFailure(changed)) return yield* ScreenStore.note(store, changed.failure, "warn")
  yield* agent.setTodo(id, changed.success)
  yield* ScreenStore.note(store, saved(changed.success))
})

/** Saves the list as the user edited it, unless the model has changed it meanwhile: then the user edits it again. */
export const save = Effect.fnUntraced(function*(
  { conversation, store }: Pick<SlashContext, "conversation" | "store">,
  { items, stored }: { readonly items: ReadonlyArray<TodoItem>; readonly stored: ReadonlyArray<TodoItem> }
) {
  const agent = yield* Agent
  const id = yield* conversation.start
  const { todo: current } = yield* agent.state(id)
  if (Todo.render(current) !== Todo.render(stored)) {
    yield* ScreenStore.note(store, `The agent has changed the to-do list meanwhile. Yours was not saved:\n${Todo.render(items)}`, "warn")
    return store.dispatch({ _tag: "EditTodo", items: current })
  }
  yield* agent.setTodo(id, items)
  yield* ScreenStore.note(store, saved(items))
})

const saved = (items: ReadonlyArray<TodoItem>): string =>
  items.length === 0 ? "The to-do list is empty now." : `The to-do list is now:\n${Todo.render(items)}`
