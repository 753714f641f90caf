/** What a session's messages are after a compaction: the event says it, part by part; nothing is decided here. */
import type { Content, Message } from "../../message/Message.ts"
import type { Settled, Shortened } from "../../session/SessionEvent.ts"
import type { Call } from "../../session/Transcript.ts"

export type Compacted = Extract<Settled, { readonly _tag: "ContextCompacted" }>

interface Shown {
  readonly messages: ReadonlyArray<Message>
  /** Calls whose results are not sent yet: the parts of the message that comes next. */
  readonly calls: ReadonlyArray<Call>
}

/** Messages that did not change stay the same objects, so that they are not counted again. */
export const apply = ({ calls, messages }: Shown, { replaced, shortened }: Pick<Compacted, "replaced" | "shortened">): Shown => {
  const changes = Map.groupBy(shortened, ({ message }) => message)
  const shown = messages.map((message, i) => {
    const here = changes.get(i)
    return here === undefined ? message : { ...message, content: here.reduce(shorten, message.content) }
  })
  const open = changes.get(messages.length) ?? []
  return {
    messages: replaced === undefined ? shown : shown.toSpliced(replaced.from, replaced.to - replaced.from, ...replaced.by),
    calls: open.length === 0 ? calls : calls.map((call, i) => open.filter(({ part }) => part === i).reduce(shortenOutcome, call))
  }
}

const shorten = (content: ReadonlyArray<Content>, { param, part, text }: Shortened): ReadonlyArray<Content> =>
  content.map((one, i) => i === part ? shorter(one, text, param) : one)

const shorter = (part: Content, text: string, param: string | undefined): Content => {
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

const shortenOutcome = (call: Call, { text }: Shortened): Call => {
  if (call.outcome === undefined) return call
  const { touched: _, ...outcome } = call.outcome
  return { ...call, outcome: { ...outcome, content: [{ _tag: "Text", text }] } }
}
