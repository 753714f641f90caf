/** The list of steps, said again every few turns, so that a long task is not lost from sight. */
import * as Todo from "../../tool/Todo.ts"
import type { Section } from "../Section.ts"

const every = 6

export const todo: Section = {
  name: "todo reminder",
  place: "current",
  order: 120,
  priority: 2.6,
  when: ({ todo, turns }) => turns > 0 && turns % every === 0 && todo.some(({ state }) => state !== "done"),
  render: ({ todo }) => `Your list (keep it up to date with update_todo):\n${Todo.render(todo)}`
}
