/** A session's messages after a compaction: the event describes it part by part; nothing is decided here. */
import type { Content, Message } from "../../message/Message.ts"
import type { Settled, ShortenedPart } from "../../session/SessionEvent.ts"
import type { Call } from "../../session/Transcript.ts"

export type CompactionEvent = Extract<Settled, { readonly _tag: "ContextCompacted" }>

interface Conversation {
  readonly messages: ReadonlyArray<Message>
  /** Calls whose results are not sent yet: the parts of the next message. */
  readonly calls: ReadonlyArray<Call>
}

/** Messages that did not change stay the same objects, so that they are not counted again. */
export const apply = (
  { calls, messages }: Conversation,
  { replaced, shortened }: Pick<CompactionEvent, "replaced" | "shortened">
): Conversation => {
  const changes = Map.groupBy(shortened, ({ message }) => message)
  const shortenedMessages = messages.map((message, i) => {
    const messageChanges = changes.get(i)
    return messageChanges === undefined ? message : { ...message, content: messageChanges.reduce(shorten, message.content) }
  })
  const callChanges = changes.get(messages.length) ?? []
  return {
    messages: replaced === undefined ? shortenedMessages
      : shortenedMessages.toSpliced(replaced.from, replaced.to - replaced.from, ...replaced.by),
    calls: callChanges.length === 0 ? calls
      : calls.map((call, i) => callChanges.filter(({ part }) => part === i).reduce(shortenOutcome, call))
  }
}

const shorten = (content: ReadonlyArray<Content>, { param, part: index, text }: ShortenedPart): ReadonlyArray<Content> =>
  content.map((part, i) => i === index ? shortenPart(part, text, param) : part)

const shortenPart = (part: Content, text: string, param: string | undefined): Content => {
  switch (part._tag) {
    case "ToolResult": {
      const { touched: _, ...rest } = part
      return { ...rest, content: [{ _tag: "Text", text }] }
    }
    case "ToolCall":
      return param === undefined ? part : { ...part, params: { ...(part.params as object), [param]: text } }
    default:
      return part._tag === "Text" && part.origin === "carried" ? { ...part, text } : { _tag: "Text", text, origin: "notice" }
  }
}

const shortenOutcome = (call: Call, { text }: ShortenedPart): Call => {
  if (call.outcome === undefined) return call
  const { touched: _, ...outcome } = call.outcome
  return { ...call, outcome: { ...outcome, content: [{ _tag: "Text", text }] } }
}
