/**
 * What happens when a request grows too large: duplicates are removed, results are shortened, turns are summarized or,
 * as a last resort, removed. Each pass is an event, and its result stays until the next one, so that the provider's
 * cache keeps working in between.
 */
import { optional } from "../../Optional.ts"
import type { Model } from "../../provider/Model.ts"
import type { Session } from "../../session/Session.ts"
import type { ShortenedPart } from "../../session/SessionEvent.ts"
import * as Transcript from "../../session/Transcript.ts"
import * as WindowBudget from "../WindowBudget.ts"
import * as ApplyCompaction from "./ApplyCompaction.ts"
import * as DropDuplicates from "./DropDuplicates.ts"
import * as WindowUsage from "../WindowUsage.ts"
import * as ShortenResults from "./ShortenResults.ts"
import * as Summarize from "./Summarize.ts"
import * as Tokens from "../Tokens.ts"
import * as DropTurns from "./DropTurns.ts"
import * as Turns from "./Turns.ts"

/** A pass shrinks the request to this share of the usable window. */
const targetShare = 0.6

/** What removing duplicates must save, as a share of all characters, to be enough on its own. */
const minSavedShare = 0.3

/** Shares of the usable window: how many of the last turns a summary leaves in place, and how much it must at least replace. */
const summaryShares = { keep: 0.25, min: 0.08 }

/** A request in our own count of tokens: system prompt, tools and all messages. */
export interface RequestWeight {
  readonly tokens: number
}

/** The passes made, in order, and the turns that a summary should replace, if they were not enough. */
export interface CompactionResult {
  readonly events: ReadonlyArray<ApplyCompaction.CompactionEvent>
  readonly summary?: Summarize.Range
}

/** Why the request has to be made smaller; undefined if it fits. */
export const compactionReason = (
  { windowUsage }: Session,
  model: Model,
  { tokens }: RequestWeight
): ApplyCompaction.CompactionEvent["why"] | undefined => {
  const estimate = WindowUsage.tokens(windowUsage, tokens)
  return windowUsage.isRequested ? "asked"
    : windowUsage.isDue ? "refused"
    : estimate > WindowBudget.usable(model) || WindowBudget.maxTokens(model, estimate) < WindowBudget.minResponseTokens(model) ? "full"
    : undefined
}

/** The next passes, ending in truncation if `summaries` is false; undefined if nothing has to be made smaller, or nothing can be. */
export const next = (
  session: Session,
  model: Model,
  weight: RequestWeight,
  summaries = !session.windowUsage.hasFailed
): CompactionResult | undefined => {
  const why = compactionReason(session, model, weight)
  if (why === undefined) return undefined
  const work = startWork(session, model, weight, why)
  const summary = runPasses(work, summaries)
  if (summary !== undefined) return { events: work.events, summary }
  if (why === "asked" && work.events.length === 0) work.events.push(emptyCompaction(work))
  return work.events.length === 0 ? undefined : { events: work.events }
}

/** Makes as many of the pure passes as necessary; returns the turns that have to be summarized. */
const runPasses = (work: Work, summaries: boolean): Summarize.Range | undefined => {
  const isRequested = work.why === "asked"
  const range = (): Summarize.Range | undefined =>
    summaries
      ? Summarize.range(work.messages, {
        keepTokens: isRequested ? 0 : work.scaledTokens(summaryShares.keep),
        minTokens: isRequested ? 0 : work.scaledTokens(summaryShares.min)
      }) : undefined
  const charactersBefore = Tokens.ofMessages(work.messages).characters
  duplicates(work)
  if (isRequested && summaries) return range()
  const savedShare = 1 - Tokens.ofMessages(work.messages).characters / Math.max(1, charactersBefore)
  if (work.tokens() <= work.usable && savedShare >= minSavedShare) return undefined
  shorten(work, Turns.recent(work.messages, Turns.recentTurns), ShortenResults.limits.usual, true)
  if (work.tokens() > work.usable * targetShare) {
    const turns = range()
    if (turns !== undefined) return turns
    if (work.tokens() > work.usable || !summaries) truncate(work)
  }
  if (work.tokens() > work.usable) shortenHarder(work)
  return undefined
}

/** What the passes work on: the messages so far, and the events that produced them. */
interface Work {
  readonly session: Session
  readonly why: ApplyCompaction.CompactionEvent["why"]
  readonly usable: number
  /** The current request and its messages, in the provider's tokens. */
  readonly tokens: () => number
  readonly size: () => number
  /** A share of the usable window in our tokens. */
  readonly scaledTokens: (share: number) => number
  readonly events: Array<ApplyCompaction.CompactionEvent>
  messages: Session["messages"]
  calls: Session["calls"]
}

const startWork = (session: Session, model: Model, { tokens }: RequestWeight, why: ApplyCompaction.CompactionEvent["why"]): Work => {
  const usable = WindowBudget.usable(model)
  const size = (conversation: Pick<Work, "calls" | "messages">): number => Tokens.ofMessages(allMessages(conversation)).tokens
  const overheadTokens = tokens - size(session)
  const providerTokens = (estimate: number): number => WindowUsage.tokens(session.windowUsage, estimate)
  const work: Work = {
    session,
    why,
    usable,
    tokens: () => providerTokens(overheadTokens + size(work)),
    size: () => providerTokens(size(work)),
    scaledTokens: (share) => Math.floor(usable * share / session.windowUsage.factor),
    events: [],
    messages: session.messages,
    calls: session.calls
  }
  return work
}

/** The messages and the next one, if it holds results. */
const allMessages = ({ calls, messages }: Pick<Work, "calls" | "messages">): Session["messages"] =>
  calls.length === 0 ? messages : [...messages, Transcript.userMessage(calls, [], [], undefined)]

/** Adds a pass, if it saves anything. */
const applyChange = (
  work: Work,
  kind: ApplyCompaction.CompactionEvent["kind"],
  candidate: Partial<Pick<ApplyCompaction.CompactionEvent, "left" | "replaced" | "shortened">>
): void => {
  const { left = [], replaced, shortened = [] } = candidate
  if (shortened.length === 0 && replaced === undefined) return
  const before = work.size()
  const change = { shortened, ...optional({ replaced }) }
  const { calls, messages } = work
  Object.assign(work, ApplyCompaction.apply(work, change))
  const after = work.size()
  // A pass that saves nothing would be repeated forever.
  if (after >= before) Object.assign(work, { calls, messages })
  else work.events.push({
      _tag: "ContextCompacted",
      kind,
      why: work.why,
      ...change,
      before,
      after,
      left: left.length > 0 ? left : describeShortened(work, shortened)
    })
}

const duplicates = (work: Work): void =>
  applyChange(work, "duplicates", { shortened: DropDuplicates.find(allMessages(work), Turns.recent(work.messages, Turns.recentTurns)) })

const shorten = (work: Work, until: number, keep: number, shouldSpareErrors: boolean): void => {
  const excessTokens = (work.tokens() - work.usable * targetShare) / work.session.windowUsage.factor
  if (excessTokens <= 0) return
  const messages = allMessages(work)
  const sparedCalls = shouldSpareErrors ? Turns.unresolved(messages) : []
  applyChange(work, "shorten", {
    shortened: ShortenResults.find(messages, {
      until: Math.min(until, messages.length),
      targetTokens: excessTokens,
      keep,
      spareCalls: sparedCalls
    })
  })
}

const truncate = (work: Work): void => {
  const { session: { windowUsage, todo }, usable } = work
  const truncation = DropTurns.find(work.messages, {
    pressure: work.tokens() / usable,
    targetTokens: (work.tokens() - usable * targetShare) / windowUsage.factor,
    todo
  })
  if (truncation !== undefined) applyChange(work, "truncate", truncation)
}

/** Nothing earlier is left: results of the last turns and unsent results are shortened too. */
const shortenHarder = (work: Work): void => {
  const last = Turns.recent(work.messages, 1)
  shorten(work, last, ShortenResults.limits.usual, false)
  if (work.tokens() > work.usable) shorten(work, work.messages.length + 1, 3 * ShortenResults.limits.usual, false)
  if (work.tokens() > work.usable) shorten(work, work.messages.length + 1, ShortenResults.limits.min, false)
}

/** The user asked and there is nothing to do: reporting that settles the request. */
const emptyCompaction = (work: Work): ApplyCompaction.CompactionEvent => ({
  _tag: "ContextCompacted",
  kind: "duplicates",
  why: work.why,
  shortened: [],
  before: work.size(),
  after: work.size(),
  left: []
})

/** The event that puts a summary in place of its turns. */
export const summaryEvent = (
  session: Session,
  range: Summarize.Range,
  text: string,
  why: ApplyCompaction.CompactionEvent["why"]
): ApplyCompaction.CompactionEvent => {
  const replacement = Summarize.replaceRange(session.messages, range, text, session.todo)
  const size = (messages: Session["messages"]): number => WindowUsage.tokens(session.windowUsage, Tokens.ofMessages(messages).tokens)
  const after = ApplyCompaction.apply(session, { ...replacement, shortened: [] }).messages
  return {
    _tag: "ContextCompacted",
    kind: "summary",
    why,
    shortened: [],
    ...replacement,
    before: size(session.messages),
    after: size(after)
  }
}

/** What was shortened, in the order of the messages. */
const describeShortened = ({ calls, messages }: Work, shortened: ReadonlyArray<ShortenedPart>): ReadonlyArray<string> =>
  shortened.map(({ message, param, part }) => {
    const one = messages[message]?.content[part]
    const label = one === undefined ? `the result of ${calls[part]?.call.name ?? "a call"}`
      : one._tag === "ToolResult" ? `the result of ${one.name}`
      : one._tag === "ToolCall" ? `${param} of ${one.name}`
      : "a mention"
    return `${label} in message ${message + 1}`
  })
