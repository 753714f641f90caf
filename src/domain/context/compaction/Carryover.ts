/**
 * What outlives the turns that a compaction takes away: the user's words as they were said, the newest edit of each
 * file, errors that nothing made good, and the list of steps. Edits and errors are parts of their own, so that the next
 * compaction carries them on for as long as they count.
 */
import * as MessageText from "../../message/Message.ts"
import type { Content, Message } from "../../message/Message.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import * as Todo from "../../tool/Todo.ts"
import * as Shorten from "./ShortenResults.ts"
import * as Turns from "./Turns.ts"

/** Characters of one edit or error that are kept, and how many of each. */
const most = { characters: 1_000, edits: 12, errors: 3 }

type Text = Extract<Content, { readonly _tag: "Text" }>

/** What a compaction put into a message, and the next one puts there anew. */
export const isOurs = (part: Content): boolean => part._tag === "Text" && (part.origin === "summary" || part.origin === "carried")

/** The user's own words and attachments in messages `from` up to `to`, in order. */
export const words = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Content> =>
  messages.slice(from, to).flatMap(({ content, role }) => role === "user" ? content.filter(Turns.isOwn) : [])

/** The list of steps, as text; "" where there is none. */
export const steps = (todo: ReadonlyArray<TodoItem>): string => todo.length === 0 ? "" : `## The list of steps\n\n${Todo.render(todo)}`

/** Edits and errors of messages `from` up to `to`, and of those before that were carried already; the newest last. */
export const parts = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Content> => {
  const gone = ({ message }: Turns.Answered): boolean => message >= from && message < to
  const edits = Turns.newestEdits(messages, 0, messages.length)
  const earlier = messages.slice(0, to).flatMap(({ content }) => content.flatMap((part) => part._tag === "Text" && part.origin === "carried" ? [part] : []))
  return [
    ...[...earlier.filter(stillNewest(edits)), ...edits.filter(gone).reverse().map(edit)].slice(-most.edits),
    ...[...earlier.filter(stillOpen(messages)), ...Turns.unresolved(messages).filter(gone).reverse().map(error)].slice(-most.errors)
  ]
}

const edit = ({ result: { content, touched = [] } }: Turns.Answered): Text => ({
  _tag: "Text",
  text: `The newest edit of ${touched.map(({ path }) => path).join(", ")}:\n${Shorten.clip(MessageText.text(content), most.characters)}`,
  origin: "carried",
  touched: touched.map(({ content: _, ...touch }) => touch)
})

/** Of its files at least one was not changed since. */
const stillNewest = (edits: ReadonlyArray<Turns.Answered>) => {
  const since = new Set(edits.flatMap(({ result: { touched = [] } }) => touched.map(({ path }) => path)))
  return ({ touched = [] }: Text): boolean => touched.some(({ path }) => !since.has(path))
}

const failing = "Still failing: "

const error = (answered: Turns.Answered): Text => ({
  _tag: "Text",
  text: `${failing}${title(answered)}\n${Shorten.clip(MessageText.text(answered.result.content), most.characters)}`,
  origin: "carried"
})

const title = (answered: Turns.Answered): string => Turns.aim(answered).replace(/\s+/g, " ").slice(0, 200)

/** The same was not tried again since. */
const stillOpen = (messages: ReadonlyArray<Message>) => {
  const since = new Set([...Turns.answered(messages, 0, messages.length)].map(title))
  return ({ text }: Text): boolean => text.startsWith(failing) && !since.has(text.slice(failing.length, text.indexOf("\n")))
}
