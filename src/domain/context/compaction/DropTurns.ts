/** The last pass, used without a summary: drops whole turns after the first; the user's messages stay. */
import type { Content, Message } from "../../message/Message.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import type { CompactionEvent } from "./ApplyCompaction.ts"
import * as Carryover from "./Carryover.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** `pressure` is the request divided by the usable window; `targetTokens` is how many of our tokens have to go. */
export interface Options {
  readonly pressure: number
  readonly targetTokens: number
  readonly todo: ReadonlyArray<TodoItem>
}

/** The share to retain of the turns between the first and the last ones. */
const keepShare = (pressure: number): number => pressure > 2 ? 0.25 : pressure > 1.5 ? 0.5 : 0.75

/** What the event records; undefined if there are no turns to spare. */
export const find = (
  messages: ReadonlyArray<Message>,
  { targetTokens, pressure, todo }: Options
): Required<Pick<CompactionEvent, "left" | "replaced">> | undefined => {
  const starts = Turns.starts(messages)
  const from = starts[1]
  const rest = starts.slice(1, -Turns.recentTurns)
  if (from === undefined || rest.length === 0) return undefined
  let removedTurns = Math.max(1, rest.length - Math.ceil(rest.length * keepShare(pressure)))
  const end = (count: number): number => starts[1 + count]!
  while (removedTurns < rest.length && Tokens.ofMessages(messages.slice(from, end(removedTurns))).tokens < targetTokens) removedTurns++
  const to = end(removedTurns)
  const precedingMessage = messages[from - 1]!
  const notice = [
    `# Earlier turns removed\n\n${removedTurns} turn${
      removedTurns === 1 ? " was" : "s were"
    } removed here to free up context. What the user said in ${
      removedTurns === 1 ? "it" : "them"
    } is preserved above. Files may have changed since: read again what you need.`,
    Carryover.todoText(todo)
  ].filter((text) => text !== "").join("\n\n")
  const content: ReadonlyArray<Content> = [
    ...precedingMessage.content.filter((part) => !Carryover.isSynthetic(part)),
    ...Carryover.userContent(messages, from, to),
    { _tag: "Text", text: notice, origin: "summary" },
    ...Carryover.parts(messages, from, to)
  ]
  return {
    replaced: { from: from - 1, to, by: [{ ...precedingMessage, content }] },
    left: [`${removedTurns} turns (messages ${from + 1} to ${to})`]
  }
}
