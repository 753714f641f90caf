/** Events → messages: the conversation on the active path, with every call followed by exactly one result. */
import type { SubagentReport } from "../subagent/Subagent.ts"
import type { MergedWork } from "../subagent/MergedWork.ts"
import type { Content, Message, ToolCall, ToolResult } from "../message/Message.ts"
import type { HookAnswer } from "../hook/HookAnswer.ts"
import type { EditIntent } from "../tool/EditIntent.ts"
import * as Outcome from "../tool/Outcome.ts"
import * as Truncate from "../tool/Truncate.ts"
import type { IncludedFile, Settled } from "./SessionEvent.ts"

/** A call of the last response and its progress. */
export interface Call {
  readonly call: ToolCall
  /** Why it will never run: cut off or invalid. */
  readonly malformed?: string
  readonly proposal?: Proposal
  /** `lost`: the process died while it ran. */
  readonly state: "new" | "proposed" | "asked" | "allowed" | "denied" | "running" | "lost" | "done"
  /** Whether the question about it is whether to run it again. */
  readonly isRetry?: boolean
  readonly intents?: ReadonlyArray<EditIntent>
  /** The user changed it before it ran. */
  readonly isEdited?: boolean
  /** What hooks decided about it before it was proposed. */
  readonly hookAnswer?: Pick<HookAnswer, "decision" | "reason">
  /** The user's message with a denial, or the rule that denied it. */
  readonly feedback?: string
  readonly outcome?: Outcome.Outcome
  /** Sessions that it has started. */
  readonly subagents?: ReadonlyArray<Subagent>
  /** What became of their work, if they edit and all have ended. */
  readonly mergedWork?: MergedWork
}

/** A session that works on a call's task number `index`; with its report once it has ended. */
export interface Subagent {
  readonly session: string
  readonly index: number
  readonly report?: SubagentReport
}

export type Proposal = Omit<Extract<Settled, { readonly _tag: "ToolProposed" }>, "_tag" | "call">

/** The results of a response's calls in the order of the calls; a missing one is synthesized. */
export const toolResults = (calls: ReadonlyArray<Call>): ReadonlyArray<Content> =>
  calls.map(({ call, isEdited, outcome = Outcome.interrupted("No result: interrupted.") }) => ({
    _tag: "ToolResult",
    id: call.id,
    name: call.name,
    content: isEdited === true ? [{ _tag: "Text", text: editNotice(call) }, ...outcome.content] : outcome.content,
    isError: outcome.status !== "succeeded",
    ...touchesOf(outcome)
  }))

/** The note to the model about a call that ran differently from what it wrote. */
const editNotice = ({ params }: ToolCall): string =>
  `[The user changed this call before it ran. It ran with: ${Truncate.middle(JSON.stringify(params), 4_000)}]`

/** The files that a call read or changed, if any. */
const touchesOf = ({ touched = [] }: Outcome.Outcome): Pick<ToolResult, "touched"> => touched.length === 0 ? {} : { touched }

/** An automatically included file. */
const includedFile = ({ hash, path, text, why }: IncludedFile): Content => ({
  _tag: "Text",
  text: `<file path=${JSON.stringify(path)} shown-because=${JSON.stringify(why)}>\n${text}\n</file>`,
  origin: "included",
  touched: [{ path, kind: "read", hash, content: "all" }]
})

/** The user message that ends the next request: results first, then input received meanwhile, included files, and current sections. */
export const userMessage = (
  calls: ReadonlyArray<Call>,
  pendingContent: ReadonlyArray<Content>,
  included: ReadonlyArray<IncludedFile>,
  current: string | undefined
): Message => ({
  role: "user",
  content: [
    ...toolResults(calls),
    ...pendingContent,
    ...included.map(includedFile),
    ...(current === undefined ? [] : [{ _tag: "Text", text: current, origin: "current" } satisfies Content])
  ]
})

/** The calls of a response, not yet decided. */
export const newCalls = (
  content: ReadonlyArray<Content>,
  malformed: ReadonlyArray<{ readonly call: string; readonly why: string }>
): ReadonlyArray<Call> =>
  content.flatMap((part) => {
    if (part._tag !== "ToolCall") return []
    const malformedCall = malformed.find(({ call }) => call === part.id)
    return [{ call: part, state: "new" as const, ...(malformedCall === undefined ? {} : { malformed: malformedCall.why }) }]
  })

/** A partial response, with a note to the model on why it ends there. */
export const interruptedMessage = (text: string): Message => ({
  role: "assistant",
  content: [{ _tag: "Text", text: `${text.trimEnd()}\n\n[interrupted by the user]` }]
})
