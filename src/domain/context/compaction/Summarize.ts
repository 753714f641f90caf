/** The third pass: a model summarizes earlier turns; the summary takes their place, after the user's own messages. */
import * as MessageText from "../../message/Message.ts"
import type { Content, Message } from "../../message/Message.ts"
import type { Model } from "../../provider/Model.ts"
import type { ModelRequest } from "../../provider/ModelRequest.ts"
import type { TodoItem } from "../../tool/Outcome.ts"
import * as WindowBudget from "../WindowBudget.ts"
import * as Carryover from "./Carryover.ts"
import type { CompactionEvent } from "./ApplyCompaction.ts"
import * as ShortenResults from "./ShortenResults.ts"
import * as Tokens from "../Tokens.ts"
import * as Turns from "./Turns.ts"

/** Messages `from` up to, not including, `to`: the turns that a summary should replace. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Everything but the first message and the last turns: three of them, and more while they stay within `keepTokens` of our
 * tokens. Undefined if less than `minTokens` would go: it would not be worth the call.
 */
export const range = (
  messages: ReadonlyArray<Message>,
  { keepTokens, minTokens }: { readonly keepTokens: number; readonly minTokens: number }
): Range | undefined => {
  const starts = Turns.starts(messages)
  let at = starts.length - Turns.recentTurns
  let tokens = at < 0 ? 0 : Tokens.ofMessages(messages.slice(starts[at])).tokens
  while (at > 1) {
    tokens += Tokens.ofMessages(messages.slice(starts[at - 1], starts[at])).tokens
    if (tokens > keepTokens) break
    at--
  }
  const to = starts[at]
  if (to === undefined || to <= 1) return undefined
  return Tokens.ofMessages(messages.slice(1, to)).tokens >= minTokens ? { from: 1, to } : undefined
}

const task =
  `Summarize the turns of a coding agent's session in <turns>. Your summary replaces them, so the agent must be able to continue from it alone. Write in the user's language. Be exact about names, paths, commands, numbers and error messages. Leave out what no longer matters, and invent nothing. The user's messages are preserved verbatim elsewhere: don't repeat them at length, but state what was decided. If there is a <focus>, the user asks you to pay particular attention to it.

Write exactly these sections in Markdown, in short lines, with "none" where there is nothing to say:

## Goal
## Constraints from the user
## Decisions and reasons
## Files and their current state
## What was tried, with the results
## Open problems
## Next step`

/** The response's token limit: a longer summary is rejected. */
const maxSummaryTokens = 3_000

/**
 * The request for a summary of a range, within the window of the model that writes it. Turns that do not fit are
 * shortened; `instructions` is what the user wants to preserve.
 */
export const request = (
  messages: ReadonlyArray<Message>,
  { to }: Range,
  model: Model,
  cacheKey: string,
  instructions = ""
): ModelRequest & { readonly purpose: "summary" } => {
  const availableTokens = Math.max(1_000, WindowBudget.usable(model) - maxSummaryTokens - Tokens.ofPrompt(task))
  const transcript = fitTranscript(messages.slice(0, to), availableTokens)
  return {
    system: task,
    messages: [{
      role: "user",
      content: [{
        _tag: "Text",
        text: `<turns>\n${transcript}\n</turns>${instructions === "" ? "" : `\n\n<focus>\n${instructions}\n</focus>`}`
      }]
    }],
    tools: [],
    maxTokens: Math.min(maxSummaryTokens, model.maxOutput),
    cacheKey: `${cacheKey}-summary`,
    purpose: "summary"
  }
}

/** The turns as text: each part is cut to fewer characters until all fit. */
const fitTranscript = (messages: ReadonlyArray<Message>, availableTokens: number): string => {
  for (const maxPartCharacters of [3_000, 1_200, 400, 120]) {
    const text = transcript(messages, maxPartCharacters)
    if (Tokens.ofText(text) <= availableTokens) return text
  }
  return ShortenResults.clip(transcript(messages, 120), availableTokens * 2)
}

const transcript = (messages: ReadonlyArray<Message>, maxPartCharacters: number): string =>
  messages.flatMap(({ content, role }) => content.flatMap((part) => line(part, role, maxPartCharacters))).join("\n")

const line = (part: Content, role: Message["role"], maxPartCharacters: number): ReadonlyArray<string> => {
  switch (part._tag) {
    case "Text":
      return [
        `${part.origin === undefined ? (role === "user" ? "USER" : "AGENT") : `(${part.origin})`}: ${
          ShortenResults.clip(part.text, maxPartCharacters)
        }`
      ]
    case "ToolCall":
      return [`CALL ${part.name} ${ShortenResults.clip(JSON.stringify(part.params), maxPartCharacters)}`]
    case "ToolResult":
      return [
        `${part.isError ? "ERROR" : "RESULT"} ${part.name}: ${ShortenResults.clip(MessageText.text(part.content), maxPartCharacters)}`
      ]
    case "Reasoning":
      return []
    default:
      return [`(${part._tag}, ${part.mediaType})`]
  }
}

/** The first message after a summary: the user's messages in order, then the summary. */
export const replaceRange = (
  messages: ReadonlyArray<Message>,
  { from, to }: Range,
  summary: string,
  todo: ReadonlyArray<TodoItem>
): Required<Pick<CompactionEvent, "left" | "replaced">> => {
  const [first = { role: "user", content: [] } satisfies Message] = messages
  const text = [
    `# Summary so far\n\nThis summary replaces ${
      to - from
    } earlier messages. Files may have changed since: read again what you need.\n\n${summary.trim()}`,
    Carryover.todoText(todo)
  ].filter((part) => part !== "").join("\n\n")
  const content: ReadonlyArray<Content> = [
    ...first.content.filter((part) => !Carryover.isSynthetic(part)),
    ...Carryover.userContent(messages, from, to),
    { _tag: "Text", text, origin: "summary" },
    ...Carryover.parts(messages, from, to)
  ]
  return {
    replaced: { from: 0, to, by: [{ role: "user", content }] },
    left: [`messages ${from + 1} to ${to}, replaced by a summary`]
  }
}
