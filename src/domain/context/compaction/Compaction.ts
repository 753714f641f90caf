/**
 * What is done when a request grows too large: duplicates go, results are shortened, turns are summarised or, at last,
 * left out. Each pass is an event, and what it made stays until the next one, so that the provider's cache holds between.
 */
import type { Model } from "../../provider/Model.ts"
import type { Session } from "../../session/Session.ts"
import type { Shortened } from "../../session/SessionEvent.ts"
import * as Transcript from "../../session/Transcript.ts"
import * as Budget from "../WindowBudget.ts"
import * as Compacted from "./ApplyCompaction.ts"
import * as Duplicates from "./DropDuplicates.ts"
import * as Gauge from "../WindowUsage.ts"
import * as Shorten from "./ShortenResults.ts"
import * as Summary from "./Summarize.ts"
import * as Tokens from "../Tokens.ts"
import * as Truncate from "./DropTurns.ts"
import * as Turns from "./Turns.ts"

/** A pass goes down to this share of the usable window. */
const goal = 0.6

/** What a saving of duplicates has to be, as a share of all characters, to be enough alone. */
const enough = 0.3

/** Shares of the usable window: what a summary leaves of the last turns, and what it must at least stand for. */
const sums = { keep: 0.25, least: 0.08 }

/** A request in our own count of tokens: system prompt, tools and all messages. */
export interface Weighed {
  readonly tokens: number
}

/** Passes that were made, in order, and the turns that a summary is to stand for, where they were not enough. */
export interface Passes {
  readonly done: ReadonlyArray<Compacted.Compacted>
  readonly summary?: Summary.Range
}

/** Why something has to be made smaller; undefined where nothing has. */
export const due = ({ gauge }: Session, model: Model, { tokens }: Weighed): Compacted.Compacted["why"] | undefined => {
  const estimate = Gauge.tokens(gauge, tokens)
  return gauge.asked ? "asked"
    : gauge.due ? "refused"
    : estimate > Budget.usable(model) || Budget.maxTokens(model, estimate) < Budget.leastAnswer(model) ? "full"
    : undefined
}

/** The next passes, without `summaries` ending in truncation; undefined where nothing has to be made smaller, or nothing can. */
export const next = (session: Session, model: Model, weighed: Weighed, summaries = !session.gauge.failed): Passes | undefined => {
  const why = due(session, model, weighed)
  if (why === undefined) return undefined
  const work = begin(session, model, weighed, why)
  const summary = passes(work, summaries)
  if (summary !== undefined) return { done: work.done, summary }
  if (why === "asked" && work.done.length === 0) work.done.push(nothing(work))
  return work.done.length === 0 ? undefined : { done: work.done }
}

/** Makes the pure passes as far as they are needed; gives the turns that have to be summarised. */
const passes = (work: Work, summaries: boolean): Summary.Range | undefined => {
  const asked = work.why === "asked"
  const range = (): Summary.Range | undefined =>
    summaries ? Summary.range(work.messages, { keep: asked ? 0 : work.own(sums.keep), least: asked ? 0 : work.own(sums.least) }) : undefined
  const before = Tokens.ofMessages(work.messages).characters
  duplicates(work)
  if (asked && summaries) return range()
  const saved = 1 - Tokens.ofMessages(work.messages).characters / Math.max(1, before)
  if (work.tokens() <= work.usable && saved >= enough) return undefined
  shorten(work, Turns.recent(work.messages, Turns.kept), Shorten.keep.usual, true)
  if (work.tokens() > work.usable * goal) {
    const turns = range()
    if (turns !== undefined) return turns
    if (work.tokens() > work.usable || !summaries) truncate(work)
  }
  if (work.tokens() > work.usable) lastResort(work)
  return undefined
}

/** What the passes work on: the messages as they have become, and the events that made them so. */
interface Work {
  readonly session: Session
  readonly why: Compacted.Compacted["why"]
  readonly usable: number
  /** The request now, and its messages, in the provider's tokens. */
  readonly tokens: () => number
  readonly size: () => number
  /** A share of the usable window in tokens of ours. */
  readonly own: (share: number) => number
  readonly done: Array<Compacted.Compacted>
  messages: Session["messages"]
  calls: Session["calls"]
}

const begin = (session: Session, model: Model, { tokens }: Weighed, why: Compacted.Compacted["why"]): Work => {
  const usable = Budget.usable(model)
  const size = (shown: Pick<Work, "calls" | "messages">): number => Tokens.ofMessages(all(shown)).tokens
  const rest = tokens - size(session)
  const told = (counted: number): number => Gauge.tokens(session.gauge, counted)
  const work: Work = {
    session,
    why,
    usable,
    tokens: () => told(rest + size(work)),
    size: () => told(size(work)),
    own: (share) => Math.floor(usable * share / session.gauge.factor),
    done: [],
    messages: session.messages,
    calls: session.calls
  }
  return work
}

/** The messages, and the one that comes next, as far as it holds results. */
const all = ({ calls, messages }: Pick<Work, "calls" | "messages">): Session["messages"] =>
  calls.length === 0 ? messages : [...messages, Transcript.userMessage(calls, [], [], undefined)]

/** Takes a pass in, where it saves anything. */
const take = (work: Work, kind: Compacted.Compacted["kind"], change: Partial<Pick<Compacted.Compacted, "left" | "replaced" | "shortened">>): void => {
  const { left = [], replaced, shortened = [] } = change
  if (shortened.length === 0 && replaced === undefined) return
  const before = work.size()
  const what = { shortened, ...(replaced === undefined ? {} : { replaced }) }
  const { calls, messages } = work
  Object.assign(work, Compacted.apply(work, what))
  const after = work.size()
  // What saves nothing would be done again without end.
  if (after >= before) Object.assign(work, { calls, messages })
  else work.done.push({ _tag: "ContextCompacted", kind, why: work.why, ...what, before, after, left: left.length > 0 ? left : named(work, shortened) })
}

const duplicates = (work: Work): void =>
  take(work, "duplicates", { shortened: Duplicates.find(all(work), Turns.recent(work.messages, Turns.kept)) })

const shorten = (work: Work, until: number, keep: number, spare: boolean): void => {
  const over = (work.tokens() - work.usable * goal) / work.session.gauge.factor
  if (over <= 0) return
  const messages = all(work)
  const spared = spare ? Turns.unresolved(messages) : []
  take(work, "shorten", { shortened: Shorten.find(messages, { until: Math.min(until, messages.length), enough: over, keep, spare: spared }) })
}

const truncate = (work: Work): void => {
  const { session: { gauge, todo }, usable } = work
  const cut = Truncate.find(work.messages, { pressure: work.tokens() / usable, enough: (work.tokens() - usable * goal) / gauge.factor, todo })
  if (cut !== undefined) take(work, "truncate", cut)
}

/** Nothing earlier is left: results of the last turns too, and those that are not sent yet, are shortened. */
const lastResort = (work: Work): void => {
  const last = Turns.recent(work.messages, 1)
  shorten(work, last, Shorten.keep.usual, false)
  if (work.tokens() > work.usable) shorten(work, work.messages.length + 1, 3 * Shorten.keep.usual, false)
  if (work.tokens() > work.usable) shorten(work, work.messages.length + 1, Shorten.keep.least, false)
}

/** The user asked and there is nothing to do: that is said, so that it is over. */
const nothing = (work: Work): Compacted.Compacted => ({
  _tag: "ContextCompacted",
  kind: "duplicates",
  why: work.why,
  shortened: [],
  before: work.size(),
  after: work.size(),
  left: []
})

/** The event that puts a summary in the place of its turns. */
export const summarised = (session: Session, range: Summary.Range, text: string, why: Compacted.Compacted["why"]): Compacted.Compacted => {
  const put = Summary.put(session.messages, range, text, session.todo)
  const size = (messages: Session["messages"]): number => Gauge.tokens(session.gauge, Tokens.ofMessages(messages).tokens)
  const after = Compacted.apply(session, { ...put, shortened: [] }).messages
  return { _tag: "ContextCompacted", kind: "summary", why, shortened: [], ...put, before: size(session.messages), after: size(after) }
}

/** What was made shorter, in the order of the messages. */
const named = ({ calls, messages }: Work, shortened: ReadonlyArray<Shortened>): ReadonlyArray<string> =>
  shortened.map(({ message, param, part }) => {
    const one = messages[message]?.content[part]
    const what = one === undefined ? `the result of ${calls[part]?.call.name ?? "a call"}`
      : one._tag === "ToolResult" ? `the result of ${one.name}`
      : one._tag === "ToolCall" ? `${param} of ${one.name}`
      : "a mention"
    return `${what} in message ${message + 1}`
  })
