/**
 * What outlives the turns that a compaction takes away: the user's words as they were said, the newest edit of each
 * file, errors that nothing made good, and the list of steps.
 */
import * as MessageText from "../message/Message.ts"
import type { Content, Message } from "../message/Message.ts"
import type { TodoItem } from "../tool/Outcome.ts"
import * as Todo from "../tool/Todo.ts"
import * as Shorten from "./Shorten.ts"
import * as Turns from "./Turns.ts"

/** Characters of one edit or error that are kept, and how many of each. */
const most = { characters: 1_000, edits: 12, errors: 3 }

/** The user's own words and attachments in messages `from` up to `to`, in order. */
export const words = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Content> =>
  messages.slice(from, to).flatMap(({ content, role }) => role === "user" ? content.filter(Turns.isOwn) : [])

/** What else is kept of messages `from` up to `to`, as text; "" where there is nothing. */
export const told = (messages: ReadonlyArray<Message>, from: number, to: number, todo: ReadonlyArray<TodoItem>): string => {
  const gone = ({ message }: Turns.Answered): boolean => message >= from && message < to
  const edits = Turns.newestEdits(messages, 0, messages.length).filter(gone).slice(0, most.edits).reverse()
  const errors = Turns.unresolved(messages).filter(gone).slice(0, most.errors).reverse()
  return [
    block("The newest edit of each file", edits),
    block("Errors that are still open", errors),
    todo.length === 0 ? "" : `## The list of steps\n\n${Todo.render(todo)}`
  ].filter((text) => text !== "").join("\n\n")
}

const block = (title: string, list: ReadonlyArray<Turns.Answered>): string =>
  list.length === 0 ? "" : `## ${title}\n\n${list.map(({ result }) => `[${result.name}] ${Shorten.clip(MessageText.text(result.content), most.characters)}`).join("\n\n")}`
