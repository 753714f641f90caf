/** Makes the next request smaller where it has to be: pure passes are logged as they are, a summary is asked of a model. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Compaction from "../../domain/context/Compaction.ts"
import type { Compacted } from "../../domain/context/Compacted.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Gauge from "../../domain/context/Gauge.ts"
import * as Summary from "../../domain/context/Summary.ts"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { Timed } from "../../domain/message/Chunk.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Chance from "../../domain/session/Chance.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Facts } from "../../domain/session/SessionEvent.ts"
import * as Unfinished from "../../domain/session/Unfinished.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { ContextWindow } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Provider } from "../../services/Provider.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import * as Recording from "./Recording.ts"
import { release, reserve, settlement, tellAbove } from "./Reserve.ts"

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
    const now = yield* log.state
    yield* log.append([{ ...first, failed: message }, ...others, ...settlement(now)])
    return yield* tellAbove(now)
  }
  const { recording, spent, text, used } = written.success
  const now = yield* log.state
  yield* log.append([{ ...Compaction.summarised(session, range, text, why), spent, recording }, ...settlement(now, used)])
  yield* tellAbove(now, used)
})

/** One request to the model that writes summaries: reserved, sent with the retries of any other, and told with what it cost. */
const write = Effect.fnUntraced(function*(log: SessionLog, session: Session, facts: Facts, range: Summary.Range) {
  const provider = yield* Provider
  const model = session.settings.cheap ?? session.settings.model
  const request = Summary.request(session.messages, range, model, session.id)
  const estimate = Gauge.tokens(session.gauge, Tokens.ofPrompt(request.system) + Tokens.ofMessages(request.messages).tokens)
  const granted = yield* reserve(session, { input: Budget.inputBound(session.budget, estimate), maxTokens: request.maxTokens, price: model.price })
  if (granted._tag === "BudgetExhausted") return yield* refused(model, Budget.sentence(granted))
  const { event, maxTokens } = granted
  const prepared = yield* Effect.gen(function*() {
    const prepared = yield* provider.prepare(model, { ...request, maxTokens })
    const asked = { _tag: "SummaryRequested", model: Model.title(model), request: Digest.ofJson(prepared.body), maxTokens } as const
    yield* log.append([knowing(asked, session, facts), ...(event === undefined ? [] : [event])], session.seq)
    return prepared
  }).pipe(Effect.onError(() => event === undefined ? Effect.void : Effect.ignore(release(session, event))))
  const recording = yield* Stream.runCollect(provider.stream(prepared)).pipe(Effect.retry(Retry.attempts(
    (attempt) => Chance.at(`${session.seed}/summary/${session.seq}`, attempt),
    ({ attempt, delayMs, error }) => log.append([{ _tag: "ModelRetrying", reason: error.reason, message: error.message, attempt, delayMs }])
  )))
  const text = Unfinished.text(recording)
  if (text.trim() === "") return yield* refused(model, "The summary was empty.")
  const told = reported(recording)
  const usage = told ?? { ...Usage.none, input: estimate, output: Unfinished.tokens(recording), estimated: true }
  const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
  return {
    text,
    spent: { usage, cost } satisfies Usage.Spent,
    used: told === undefined ? undefined : { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output },
    recording: yield* log.putBlob(Recording.encode(recording))
  }
})

const refused = ({ provider }: Model.Model, message: string): ProviderError =>
  new ProviderError({ provider, message, reason: { _tag: "BadRequest" } })

const reported = (recording: ReadonlyArray<Timed>): Usage.TokenUsage | undefined => {
  const last = recording.findLast(({ chunk }) => chunk._tag === "Usage")?.chunk
  return last?._tag === "Usage" ? last.usage : undefined
}
