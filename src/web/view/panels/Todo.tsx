/** The agent's to-do list at the chosen moment. */
import type { PanelProps } from "./PanelProps.ts"
import { Text } from "../Text.tsx"

const labels = { pending: "to do", in_progress: "in progress", done: "done" } as const

export const Todo = ({ moment: { session } }: PanelProps) =>
  session.todo.length === 0 ? <p class="empty">The agent keeps no list.</p> : (
    <ul class="todo">
      {session.todo.map(({ state, text }, i) => (
        <li key={i} class={state}>
          <span class="mark" aria-hidden="true" />
          <span>
            <Text of={text} />
          </span>
          <span class="hidden">, {labels[state]}</span>
        </li>
      ))}
    </ul>
  )
