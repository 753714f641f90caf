/** Events → messages: what has been said on the active path, with every call followed by exactly one result. */
import type { Report } from "../subagent/Subagent.ts"
import type { Gathered } from "../subagent/MergedWork.ts"
import type { Content, Message, ToolCall, ToolResult } from "../message/Message.ts"
import type { Intent } from "../tool/EditIntent.ts"
import * as Outcome from "../tool/Outcome.ts"
import * as Clip from "../tool/Clip.ts"
import type { Included, Settled } from "./SessionEvent.ts"

/** A call of the last response and how far it has come. */
export interface Call {
  readonly call: ToolCall
  /** Why it will never run: cut off or not understood. */
  readonly malformed?: string
  readonly proposed?: Proposed
  /** `lost`: we died while it ran. */
  readonly state: "new" | "proposed" | "asked" | "allowed" | "denied" | "running" | "lost" | "done"
  /** Whether a question about it is whether to run it again. */
  readonly again?: boolean
  readonly intends?: ReadonlyArray<Intent>
  /** The user changed it before it ran. */
  readonly edited?: boolean
  /** The user's words with a refusal, or the rule that denied it. */
  readonly words?: string
  readonly outcome?: Outcome.Outcome
  /** Sessions that it has started. */
  readonly children?: ReadonlyArray<Child>
  /** What became of their work, where they edited and all have ended. */
  readonly gathered?: Gathered
}

/** A session that does a call's task number `place`; with its report once it has ended. */
export interface Child {
  readonly session: string
  readonly place: number
  readonly report?: Report
}

export type Proposed = Omit<Extract<Settled, { readonly _tag: "ToolProposed" }>, "_tag" | "call">

/** The results of a response's calls in the order of the calls; a missing one is synthesised. */
export const results = (calls: ReadonlyArray<Call>): ReadonlyArray<Content> =>
  calls.map(({ call, edited, outcome = Outcome.interrupted("No result: interrupted.") }) => ({
    _tag: "ToolResult",
    id: call.id,
    name: call.name,
    content: edited === true ? [{ _tag: "Text", text: changed(call) }, ...outcome.content] : outcome.content,
    isError: outcome.status !== "succeeded",
    ...shows(outcome)
  }))

/** What the model is told of a call that ran otherwise than it wrote it. */
const changed = ({ params }: ToolCall): string => `[The user changed this call before it ran. It ran with: ${Clip.middle(JSON.stringify(params), 4_000)}]`

/** The files that a call read or changed, where it did any. */
const shows = ({ touched = [] }: Outcome.Outcome): Pick<ToolResult, "touched"> => touched.length === 0 ? {} : { touched }

/** A file that goes along by itself. */
const file = ({ hash, path, text, why }: Included): Content => ({
  _tag: "Text",
  text: `<file path=${JSON.stringify(path)} shown-because=${JSON.stringify(why)}>\n${text}\n</file>`,
  origin: "included",
  touched: [{ path, kind: "read", hash, content: "all" }]
})

/** The user message that the next request ends with: results first, then what was said meanwhile, files that go along, what is current. */
export const userMessage = (
  calls: ReadonlyArray<Call>,
  said: ReadonlyArray<Content>,
  included: ReadonlyArray<Included>,
  current: string | undefined
): Message => ({
  role: "user",
  content: [
    ...results(calls),
    ...said,
    ...included.map(file),
    ...(current === undefined ? [] : [{ _tag: "Text", text: current, origin: "current" } satisfies Content])
  ]
})

/** The calls of a response, as yet undecided. */
export const calls = (
  content: ReadonlyArray<Content>,
  malformed: ReadonlyArray<{ readonly call: string; readonly why: string }>
): ReadonlyArray<Call> =>
  content.flatMap((part) => {
    if (part._tag !== "ToolCall") return []
    const bad = malformed.find(({ call }) => call === part.id)
    return [{ call: part, state: "new" as const, ...(bad === undefined ? {} : { malformed: bad.why }) }]
  })

/** An answer as far as it came; the model is told why it ends there. */
export const cutShort = (text: string): Message => ({ role: "assistant", content: [{ _tag: "Text", text: `${text.trimEnd()}\n\n[interrupted by the user]` }] })
