/** The third pass: a model tells what earlier turns came to; the summary stands in their place, behind the user's own words. */
import * as MessageText from "../../message/Message.ts"
import type { Content, Message } from "../../message/Message.ts"
import type { Model } from "../../provider/Model.ts"
import type { ModelRequest } from "../../provider/ModelRequest.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import * as Budget from "../WindowBudget.ts"
import * as Carried from "./Carryover.ts"
import type { Compacted } from "./ApplyCompaction.ts"
import * as Shorten from "./ShortenResults.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** Messages `from` up to, not including, `to`: the turns that a summary is to stand for. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Everything but the first message and the last turns: three of them, and more while they stay within `keep` tokens of
 * ours. Undefined where less than `least` would go: it would not pay for the call.
 */
export const range = (messages: ReadonlyArray<Message>, { keep, least }: { readonly keep: number; readonly least: number }): Range | undefined => {
  const starts = Turns.starts(messages)
  let at = starts.length - Turns.kept
  let tokens = at < 0 ? 0 : Tokens.ofMessages(messages.slice(starts[at])).tokens
  while (at > 1) {
    tokens += Tokens.ofMessages(messages.slice(starts[at - 1], starts[at])).tokens
    if (tokens > keep) break
    at--
  }
  const to = starts[at]
  if (to === undefined || to <= 1) return undefined
  return Tokens.ofMessages(messages.slice(1, to)).tokens >= least ? { from: 1, to } : undefined
}

const task = `You write the memory of a coding agent: a summary that stands in the place of the turns below, so that the agent goes on without them. Write in the language of the user. Be exact about names, paths, commands, numbers and error messages; leave out what no longer matters; invent nothing. The user's own words are kept elsewhere, word for word: do not repeat them at length, but say what they came to.

Write exactly these sections in Markdown, each with short lines, "none" where there is nothing:

## Goal
## Constraints the user stated
## Decisions and why
## Files and their state
## What was tried, and what came of it
## Open problems
## Next step`

/** Tokens of an answer: a summary that is longer is none. */
const longest = 3_000

/**
 * The request for a summary of a range, within the window of the model that writes it. Turns that do not fit are told shorter; `wish` is
 * what the user wants to be kept.
 */
export const request = (messages: ReadonlyArray<Message>, { from, to }: Range, model: Model, cacheKey: string, wish = ""): ModelRequest => {
  const room = Math.max(1_000, Budget.usable(model) - longest - Tokens.ofPrompt(task))
  const transcript = fitted(messages.slice(0, to), room)
  return {
    system: task,
    messages: [{ role: "user", content: [{ _tag: "Text", text: `<turns>\n${transcript}\n</turns>\n\nWrite the summary of these ${to - from} messages now.${wish === "" ? "" : ` The user asks of it: ${wish}`}` }] }],
    tools: [],
    maxTokens: Math.min(longest, model.maxOutput),
    cacheKey: `${cacheKey}-summary`,
    purpose: "summary"
  }
}

/** The turns as text: each part is told in fewer characters until all fit. */
const fitted = (messages: ReadonlyArray<Message>, room: number): string => {
  for (const each of [3_000, 1_200, 400, 120]) {
    const text = transcript(messages, each)
    if (Tokens.ofText(text) <= room) return text
  }
  return Shorten.clip(transcript(messages, 120), room * 2)
}

const transcript = (messages: ReadonlyArray<Message>, each: number): string =>
  messages.flatMap(({ content, role }) => content.flatMap((part) => line(part, role, each))).join("\n")

const line = (part: Content, role: Message["role"], each: number): ReadonlyArray<string> => {
  switch (part._tag) {
    case "Text":
      return [`${part.origin === undefined ? (role === "user" ? "USER" : "AGENT") : `(${part.origin})`}: ${Shorten.clip(part.text, each)}`]
    case "ToolCall":
      return [`CALL ${part.name} ${Shorten.clip(JSON.stringify(part.params), each)}`]
    case "ToolResult":
      return [`${part.isError ? "ERROR" : "RESULT"} ${part.name}: ${Shorten.clip(MessageText.text(part.content), each)}`]
    case "Reasoning":
      return []
    default:
      return [`(${part._tag}, ${part.mediaType})`]
  }
}

/** The first message as it stands after a summary: the user's words in order, then what the turns came to. */
export const put = (
  messages: ReadonlyArray<Message>,
  { from, to }: Range,
  summary: string,
  todo: ReadonlyArray<TodoItem>
): Required<Pick<Compacted, "left" | "replaced">> => {
  const [first = { role: "user", content: [] } satisfies Message] = messages
  const text = [
    `# What was done so far\n\nA summary of ${to - from} messages that are not shown any more. Files are as the tools show them now: read again what you need.\n\n${summary.trim()}`,
    Carried.steps(todo)
  ].filter((part) => part !== "").join("\n\n")
  const content: ReadonlyArray<Content> = [
    ...first.content.filter((part) => !Carried.isOurs(part)),
    ...Carried.words(messages, from, to),
    { _tag: "Text", text, origin: "summary" },
    ...Carried.parts(messages, from, to)
  ]
  return {
    replaced: { from: 0, to, by: [{ role: "user", content }] },
    left: [`messages ${from + 1} to ${to}, told in a summary`]
  }
}
