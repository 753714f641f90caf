/** Makes the next request smaller where it has to be: pure passes are logged as they are, a summary is asked of a model. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Compaction from "../../domain/context/Compaction.ts"
import type { Compacted } from "../../domain/context/Compacted.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Summary from "../../domain/context/Summary.ts"
import type { Timed } from "../../domain/message/Chunk.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Chance from "../../domain/session/Chance.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Provider } from "../../services/Provider.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import * as Recording from "./Recording.ts"

/** Whether anything was logged: then the next step is decided from another state. */
export const compact = Effect.fn("Agent.compact")(function*(log: SessionLog, session: Session, facts: Facts) {
  const context = yield* ContextWindow
  const passes = yield* context.compact(session, facts, session.settings.model)
  if (passes === undefined) return false
  const { done: [first, ...others], summary } = passes
  if (first !== undefined) yield* log.append([knowing(first, session, facts), ...others], session.seq)
  if (summary !== undefined) yield* summarise(log, yield* log.state, facts, summary, session.gauge.asked ? "asked" : session.gauge.due ? "refused" : "full")
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

/** Asks for the summary; where there is none, turns are left out instead. */
const summarise = Effect.fnUntraced(function*(log: SessionLog, session: Session, facts: Facts, range: Summary.Range, why: Compacted["why"]) {
  const context = yield* ContextWindow
  const written = yield* Effect.result(write(log, session, facts, range))
  if (Result.isFailure(written)) {
    if (written.failure._tag !== "ProviderError") return yield* written.failure
    const { message } = written.failure
    const instead = yield* context.compact(session, facts, session.settings.model, { summaries: false })
    const [first = { ...nothing, why }, ...others] = instead?.done ?? []
    return yield* log.append([{ ...first, failed: message }, ...others])
  }
  const { cost, recording, text, usage } = written.success
  yield* log.append([{ ...Compaction.summarised(session, range, text, why), usage, cost, recording }])
})

/** One request to the model that writes summaries, with the retries of any other. */
const write = Effect.fnUntraced(function*(log: SessionLog, session: Session, facts: Facts, range: Summary.Range) {
  const provider = yield* Provider
  const model = session.settings.models?.cheap ?? session.settings.model
  const prepared = yield* provider.prepare(model, Summary.request(session.messages, range, model, session.id))
  const request = Digest.ofJson(prepared.body)
  const { maxTokens } = prepared.request
  yield* log.append([knowing({ _tag: "SummaryRequested", model: Model.title(model), request, maxTokens } as const, session, facts)], session.seq)
  const recording = yield* Stream.runCollect(provider.stream(prepared)).pipe(Effect.retry(Retry.attempts(
    (attempt) => Chance.at(`${session.seed}/summary/${session.seq}`, attempt),
    ({ attempt, delayMs, error }) => log.append([{ _tag: "ModelRetrying", reason: error.reason, message: error.message, attempt, delayMs }])
  )))
  const text = recording.map(({ chunk }) => chunk._tag === "TextDelta" ? chunk.text : "").join("")
  if (text.trim() === "") {
    return yield* new ProviderError({ provider: model.provider, message: "The summary was empty.", reason: { _tag: "EmptyAnswer" } })
  }
  const usage = reported(recording) ?? { ...Usage.none, output: Recording.tokens(recording), estimated: true }
  return {
    text,
    usage,
    cost: model.price === undefined ? null : Usage.cost(usage, model.price),
    recording: yield* log.putBlob(Recording.encode(recording))
  }
})

const reported = (recording: ReadonlyArray<Timed>): Usage.TokenUsage | undefined => {
  const last = recording.findLast(({ chunk }) => chunk._tag === "Usage")?.chunk
  return last?._tag === "Usage" ? last.usage : undefined
}
