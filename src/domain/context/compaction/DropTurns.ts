/** The last pass, where there is no summary: whole turns go, after the first one; the user's words stay. */
import type { Content, Message } from "../../message/Message.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import type { Compacted } from "./ApplyCompaction.ts"
import * as Carried from "./Carryover.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** `pressure` is the request by the usable window; `enough` tokens of ours are to go. */
export interface Options {
  readonly pressure: number
  readonly enough: number
  readonly todo: ReadonlyArray<TodoItem>
}

/** How much of the turns stays that are not the first and not the last ones. */
const share = (pressure: number): number => pressure > 2 ? 0.25 : pressure > 1.5 ? 0.5 : 0.75

/** What the event says; undefined where there are no turns to spare. */
export const find = (messages: ReadonlyArray<Message>, { enough, pressure, todo }: Options): Required<Pick<Compacted, "left" | "replaced">> | undefined => {
  const starts = Turns.starts(messages)
  const from = starts[1]
  const rest = starts.slice(1, -Turns.kept)
  if (from === undefined || rest.length === 0) return undefined
  let gone = Math.max(1, rest.length - Math.ceil(rest.length * share(pressure)))
  const end = (count: number): number => starts[1 + count]!
  while (gone < rest.length && Tokens.ofMessages(messages.slice(from, end(gone))).tokens < enough) gone++
  const to = end(gone)
  const before = messages[from - 1]!
  const notice = [
    `# Left out\n\n${gone} turn${gone === 1 ? "" : "s"} of this conversation stood here and ${gone === 1 ? "is" : "are"} not shown any more. What the user said in them stands above, word for word. Files are as the tools show them now: read again what you need.`,
    Carried.steps(todo)
  ].filter((text) => text !== "").join("\n\n")
  const content: ReadonlyArray<Content> = [
    ...before.content.filter((part) => !Carried.isOurs(part)),
    ...Carried.words(messages, from, to),
    { _tag: "Text", text: notice, origin: "summary" },
    ...Carried.parts(messages, from, to)
  ]
  return {
    replaced: { from: from - 1, to, by: [{ ...before, content }] },
    left: [`${gone} turns (messages ${from + 1} to ${to})`]
  }
}
