/** Makes the next request smaller where it has to be: pure passes are logged as they are, a summary is asked of a model. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Compaction from "../../domain/context/compaction/Compaction.ts"
import type { Compacted } from "../../domain/context/compaction/ApplyCompaction.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Summary from "../../domain/context/compaction/Summarize.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { aside } from "./SideRequest.ts"
import { settlement, tellAbove } from "./BudgetReservation.ts"

/** Whether anything was logged: then the next step is decided from another state. */
export const compact = Effect.fn("Agent.compact")(function*(log: SessionLog, session: Session, facts: Facts) {
  const context = yield* ContextWindow
  const passes = yield* context.compact(session, facts, session.settings.model)
  if (passes === undefined) return false
  const { done: [first, ...others], summary } = passes
  if (first !== undefined) yield* log.append([knowing(first, session, facts), ...others], session.seq)
  if (summary !== undefined) yield* summarise(log, yield* log.state, facts, { range: summary, wish: session.gauge.wish, why: session.gauge.asked ? "asked" : session.gauge.due ? "refused" : "full" })
  return true
})

/** Compaction on demand. */
export const compactNow = Effect.fn("Agent.compactNow")(function*(log: SessionLog, session: Session) {
  const context = yield* ContextWindow
  const facts = yield* context.gather(session)
  const done = yield* Effect.result(compact(log, session, facts))
  if (Result.isFailure(done)) {
    if (done.failure._tag !== "ContextError") return yield* done.failure
    yield* log.append([knowing({ ...nothing, failed: done.failure.message }, session, facts)], session.seq)
  }
})

const nothing: Compacted = { _tag: "ContextCompacted", kind: "truncate", why: "asked", shortened: [], before: 0, after: 0, left: [] }

/** With the facts by which it was decided, where the session does not know them: a replay gathers none. */
const knowing = <Event extends object>(event: Event, session: Session, facts: Facts): Event => {
  const change = FactsChange.since(session.facts, facts)
  return change === undefined ? event : { ...event, facts: change }
}

/** The turns that are to be told, what the user wants to be kept of them, and why now. */
interface Wanted {
  readonly range: Summary.Range
  readonly wish: string
  readonly why: Compacted["why"]
}

/** Asks for the summary; where there is none, turns are left out instead. */
const summarise = Effect.fnUntraced(function*(log: SessionLog, session: Session, facts: Facts, wanted: Wanted) {
  const { range, why } = wanted
  const context = yield* ContextWindow
  const written = yield* Effect.result(write(log, session, facts, wanted))
  if (Result.isFailure(written)) {
    if (written.failure._tag !== "ProviderError") return yield* written.failure
    const { message } = written.failure
    const instead = yield* context.compact(session, facts, session.settings.model, { summaries: false })
    const [first = { ...nothing, why }, ...others] = instead?.done ?? []
    const now = yield* log.state
    yield* log.append([{ ...first, failed: message }, ...others, ...settlement(now)])
    return yield* tellAbove(now)
  }
  const { recording, spent, text, used } = written.success
  const now = yield* log.state
  yield* log.append([{ ...Compaction.summarised(session, range, text, why), spent, recording }, ...settlement(now, used)])
  yield* tellAbove(now, used)
})

/** The summary, with what it cost. */
const write = (log: SessionLog, session: Session, facts: Facts, { range, wish }: Wanted) => {
  const model = session.settings.cheap ?? session.settings.model
  return aside(log, {
    model,
    request: Summary.request(session.messages, range, model, session.id, wish),
    asked: (asked, now) => knowing({ _tag: "SummaryRequested", ...asked } as const, now, facts)
  })
}
