/** Events → messages: what has been said on the active path, with every call followed by exactly one result. */
import type { Content, Message, ToolCall } from "../message/Message.ts"
import type { Intent } from "../tool/Intent.ts"
import * as Outcome from "../tool/Outcome.ts"
import type { Settled } from "./SessionEvent.ts"

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
  /** The user's words with a refusal, or the rule that denied it. */
  readonly words?: string
  readonly outcome?: Outcome.Outcome
}

export type Proposed = Omit<Extract<Settled, { readonly _tag: "ToolProposed" }>, "_tag" | "call">

/** The results of a response's calls in the order of the calls; a missing one is synthesised. */
export const results = (calls: ReadonlyArray<Call>): ReadonlyArray<Content> =>
  calls.map(({ call, outcome = Outcome.interrupted("No result: interrupted.") }) => ({
    _tag: "ToolResult",
    id: call.id,
    name: call.name,
    content: outcome.content,
    isError: outcome.status !== "succeeded"
  }))

/** The user message that the next request ends with: results first, then what was said meanwhile, then what is current. */
export const userMessage = (
  calls: ReadonlyArray<Call>,
  said: ReadonlyArray<string>,
  current: string | undefined
): Message => ({
  role: "user",
  content: [
    ...results(calls),
    ...said.map((text): Content => ({ _tag: "Text", text })),
    ...(current === undefined ? [] : [{ _tag: "Text", text: current } satisfies Content])
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

/** One call of them changed. */
export const update = (
  calls: ReadonlyArray<Call>,
  id: string,
  f: (call: Call) => Partial<Call>
): ReadonlyArray<Call> => calls.map((call) => call.call.id === id ? { ...call, ...f(call) } : call)

/** Without checkpoints, what a rule allowed is asked about once. */
export const askAgain = (call: Call): Call =>
  call.state === "allowed" && call.proposed?.decision === "allow" && call.proposed.kind !== "read"
    ? { ...call, state: "proposed" }
    : call

/**
 * A refusal takes with it the edits and commands behind it; reads still run, and the user's words are said once. Not to
 * run something again is no refusal.
 */
export const refuse = (
  calls: ReadonlyArray<Call>,
  id: string,
  words: string | undefined
): ReadonlyArray<Call> => {
  const place = calls.findIndex(({ call }) => call.id === id)
  if (calls[place]?.again === true) return update(calls, id, () => ({ state: "denied" }))
  return calls.map((call, i) =>
    i === place ? { ...call, state: "denied", ...(words === undefined ? {} : { words }) }
    : i > place && call.state !== "done" && call.proposed !== undefined && call.proposed.kind !== "read"
    ? { ...call, state: "denied", words: "Not asked: the user refused a call before it." }
    : call
  )
}

/** Whether a call that ends now was an edit or a command that had started. */
export const ran = (calls: ReadonlyArray<Call>, id: string): boolean =>
  calls.some(({ again, call, proposed, state }) =>
    call.id === id && (state === "running" || state === "lost" || again === true) && proposed?.kind !== "read")

/** Nobody runs any more: a read runs again, and nobody knows how far an edit or a command came. */
export const lost = (call: Call): Call =>
  call.state !== "running" ? call : { ...call, state: call.proposed?.kind === "read" ? "allowed" : "lost" }

/** What was lost before the user turned to something else stays unknown. */
export const givenUp = (call: Call): Call =>
  call.state !== "lost" ? call : { ...call, state: "done", outcome: Outcome.unknown(Outcome.lost) }
