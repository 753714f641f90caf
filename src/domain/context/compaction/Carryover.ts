/**
 * What survives when a compaction removes turns: the user's messages verbatim, the newest edit of each file, unresolved
 * errors, and the to-do list. Edits and errors are parts of their own, so that the next compaction carries them over
 * while they matter.
 */
import * as MessageText from "../../message/Message.ts"
import type { Content, Message } from "../../message/Message.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import * as Todo from "../../tool/Todo.ts"
import * as ShortenResults from "./ShortenResults.ts"
import * as Turns from "./Turns.ts"

/** Limits on carried edits and errors: characters of each, and how many. */
const limits = { characters: 1_000, edits: 12, errors: 3 }

type Text = Extract<Content, { readonly _tag: "Text" }>

/** Marks what a compaction put into a message, which the next one replaces. */
export const isSynthetic = (part: Content): boolean => part._tag === "Text" && (part.origin === "summary" || part.origin === "carried")

/** The user's own words and attachments in messages `from` up to `to`, in order. */
export const userContent = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Content> =>
  messages.slice(from, to).flatMap(({ content, role }) => role === "user" ? content.filter(Turns.isUserContent) : [])

/** The to-do list as text; "" if there is none. */
export const todoText = (todo: ReadonlyArray<TodoItem>): string => todo.length === 0 ? "" : `## Todo list\n\n${Todo.render(todo)}`

/** Edits and errors of messages `from` up to `to`, and earlier ones that were already carried over; the newest last. */
export const parts = (messages: ReadonlyArray<Message>, from: number, to: number): ReadonlyArray<Content> => {
  const isRemoved = ({ message }: Turns.ResolvedCall): boolean => message >= from && message < to
  const edits = Turns.newestEdits(messages, 0, messages.length)
  const carriedParts = messages.slice(0, to).flatMap(({ content }) =>
    content.flatMap((part) => part._tag === "Text" && part.origin === "carried" ? [part] : [])
  )
  return [
    ...[...carriedParts.filter(isNewestEdit(edits)), ...edits.filter(isRemoved).reverse().map(edit)].slice(-limits.edits),
    ...[...carriedParts.filter(isOpenError(messages)), ...Turns.unresolved(messages).filter(isRemoved).reverse().map(error)].slice(
      -limits.errors
    )
  ]
}

const edit = ({ result: { content, touched = [] } }: Turns.ResolvedCall): Text => ({
  _tag: "Text",
  text: `Latest edit of ${touched.map(({ path }) => path).join(", ")}:\n${
    ShortenResults.clip(MessageText.text(content), limits.characters)
  }`,
  origin: "carried",
  touched: touched.map(({ content: _, ...touch }) => touch)
})

/** At least one of its files was not changed since. */
const isNewestEdit = (edits: ReadonlyArray<Turns.ResolvedCall>) => {
  const laterPaths = new Set(edits.flatMap(({ result: { touched = [] } }) => touched.map(({ path }) => path)))
  return ({ touched = [] }: Text): boolean => touched.some(({ path }) => !laterPaths.has(path))
}

const failurePrefix = "Still failing: "

const error = (resolvedCall: Turns.ResolvedCall): Text => ({
  _tag: "Text",
  text: `${failurePrefix}${title(resolvedCall)}\n${ShortenResults.clip(MessageText.text(resolvedCall.result.content), limits.characters)}`,
  origin: "carried"
})

const title = (resolvedCall: Turns.ResolvedCall): string => Turns.callKey(resolvedCall).replace(/\s+/g, " ").slice(0, 200)

/** The same call was not tried again since. */
const isOpenError = (messages: ReadonlyArray<Message>) => {
  const laterTitles = new Set([...Turns.resolvedCalls(messages, 0, messages.length)].map(title))
  return ({ text }: Text): boolean =>
    text.startsWith(failurePrefix) && !laterTitles.has(text.slice(failurePrefix.length, text.indexOf("\n")))
}
