/** Shrinks the next request if necessary: pure passes are logged directly, a summary is requested from a model. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Compaction from "../../domain/context/compaction/Compaction.ts"
import type { CompactionEvent } from "../../domain/context/compaction/ApplyCompaction.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as HookPoint from "../../domain/hook/HookPoint.ts"
import * as Summarize from "../../domain/context/compaction/Summarize.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import { ContextWindow, type WeighedRequest } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { runHooks } from "./RunHooks.ts"
import { sideRequest } from "./SideRequest.ts"
import { settlement, reportToParents } from "./BudgetReservation.ts"

/** Whether anything was logged: then the next step is decided from another state. */
export const compact = Effect.fn("Agent.compact")(function*(log: SessionLog, request: WeighedRequest) {
  const { facts, session } = request.input
  const passes = Compaction.next(session, session.settings.model, request)
  if (passes === undefined) return false
  const point = HookPoint.compactPoint(session)
  if (point !== undefined) {
    yield* runHooks(log, session, point)
    return true
  }
  const { events: [first, ...others], summary } = passes
  if (first !== undefined) yield* log.append([withFacts(first, session, facts), ...others], session.seq)
  if (summary !== undefined)
    yield* summarise(log, yield* log.state, facts, {
      range: summary,
      wish: session.windowUsage.instructions,
      why: session.windowUsage.isRequested ? "asked" : session.windowUsage.isDue ? "refused" : "full"
    })
  return true
})

/** Compaction on demand. */
export const compactNow = Effect.fn("Agent.compactNow")(function*(log: SessionLog, session: Session) {
  const context = yield* ContextWindow
  const facts = yield* context.gather(session)
  const request = context.weigh(session, facts, session.settings.model)
  const result = yield* Effect.result(Effect.flatMap(request, (request) => compact(log, request)))
  if (Result.isFailure(result)) {
    if (result.failure._tag !== "ContextError") return yield* result.failure
    yield* log.append([withFacts({ ...emptyCompaction, failed: result.failure.message }, session, facts)], session.seq)
  }
})

const emptyCompaction: CompactionEvent = {
  _tag: "ContextCompacted",
  kind: "truncate",
  why: "asked",
  shortened: [],
  before: 0,
  after: 0,
  left: []
}

/** With the facts on which it was based, if the session does not know them: a replay gathers none. */
const withFacts = <Event extends object>(event: Event, session: Session, facts: Facts): Event => {
  const change = FactsChange.factsSince(session.facts, facts)
  return change === undefined ? event : { ...event, facts: change }
}

/** The turns to summarize, what the user wants to preserve of them, and the reason. */
interface SummaryOptions {
  readonly range: Summarize.Range
  readonly wish: string
  readonly why: CompactionEvent["why"]
}

/** Requests the summary; if it fails, turns are removed instead. */
const summarise = Effect.fnUntraced(function*(log: SessionLog, session: Session, facts: Facts, options: SummaryOptions) {
  const { range, why } = options
  const context = yield* ContextWindow
  const summary = yield* Effect.result(requestSummary(log, session, facts, options))
  if (Result.isFailure(summary)) {
    if (summary.failure._tag !== "ProviderError") return yield* summary.failure
    const { message } = summary.failure
    const { model } = session.settings
    const fallback = Compaction.next(session, model, yield* context.weigh(session, facts, model), false)
    const [first = { ...emptyCompaction, why }, ...others] = fallback?.events ?? []
    const current = yield* log.state
    yield* log.append([{ ...first, failed: message }, ...others, ...settlement(current)])
    return yield* reportToParents(current)
  }
  const { recording, spent, text, used } = summary.success
  const current = yield* log.state
  yield* log.append([{ ...Compaction.summaryEvent(session, range, text, why), spent, recording }, ...settlement(current, used)])
  yield* reportToParents(current, used)
})

/** The summary with its cost. */
const requestSummary = (log: SessionLog, session: Session, facts: Facts, { range, wish }: SummaryOptions) => {
  const model = session.settings.cheap ?? session.settings.model
  return sideRequest(log, {
    model,
    request: Summarize.request(session.messages, range, model, session.id, wish),
    toRequestEvent: (request, current) => withFacts({ _tag: "SummaryRequested", ...request } as const, current, facts)
  })
}
