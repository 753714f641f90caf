/** One turn's request: gather, plan, log, then attempts until the model has answered or can't. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Timed } from "../../domain/message/Chunk.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Answer from "../../domain/session/Answer.ts"
import * as Chance from "../../domain/session/Chance.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { ContextError } from "../../domain/context/ContextError.ts"
import { ContextWindow, type Plan } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Parser } from "../../services/Parser.ts"
import { Provider, type Prepared } from "../../services/Provider.ts"
import { Tools } from "../../services/Tools.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import { withBlobs } from "./Attached.ts"
import { compact } from "./Compact.ts"
import * as Recording from "./Recording.ts"

export const callModel = Effect.fn("Agent.callModel")(function*(log: SessionLog, session: Session) {
  const context = yield* ContextWindow
  const provider = yield* Provider
  const facts = yield* context.gather(session)
  const asked = yield* Effect.result(Effect.gen(function*() {
    if (yield* compact(log, session, facts)) return undefined // what is shown is another now
    if (session.gauge.due) return yield* tooLong(session)
    const plan = yield* context.plan(session, facts, session.settings.model)
    const request = yield* withBlobs(log, plan.request)
    return { plan, prepared: yield* provider.prepare(session.settings.model, request) }
  }))
  if (Result.isFailure(asked)) {
    if (asked.failure._tag !== "ContextError" && asked.failure._tag !== "ProviderError") return yield* asked.failure
    return yield* log.append([failure(asked.failure)], session.seq)
  }
  if (asked.success === undefined) return
  const { plan, prepared } = asked.success
  const system = Digest.sha256(plan.system)
  if (system !== session.system) yield* log.putBlob(new TextEncoder().encode(plan.system))
  yield* log.append([planned(plan, system, session), requested(plan, prepared)], session.seq)
  yield* attempts(log, session, plan, prepared)
})

/** The provider refused it, and nothing of it can be made smaller. */
const tooLong = ({ gauge, settings: { model } }: Session): ContextError =>
  new ContextError({
    message: `${model.name} takes no request as long as this one, and nothing of it can be left out. Begin a new task with less, or choose a model with a larger window.`,
    tokens: Math.ceil(gauge.planned * gauge.factor),
    window: model.window
  })

/** What differs from the plan before. */
const planned = ({ current, facts, left, tokens }: Plan, system: string, session: Session): Settled => ({
  _tag: "ContextPlanned",
  ...(facts === undefined ? {} : { facts }),
  ...(system === session.system ? {} : { system }),
  ...(current === undefined ? {} : { current }),
  tokens,
  left
})

const requested = ({ request }: Plan, { body, model }: Prepared): Settled => ({
  _tag: "ModelRequested",
  model: Model.title(model),
  request: Digest.ofJson(body),
  maxTokens: request.maxTokens
})

/** Retries the attempt, not the stream: what a broken attempt said is discarded, and each retry is an event. */
const attempts = Effect.fnUntraced(function*(log: SessionLog, session: Session, plan: Plan, prepared: Prepared) {
  const chance = (attempt: number) => Chance.at(`${session.seed}/${session.task.turns}`, attempt)
  const retrying = ({ attempt, delayMs, error }: Retry.Retrying) =>
    Effect.gen(function*() {
      yield* log.append([{ _tag: "ModelRetrying", reason: error.reason, message: error.message, attempt, delayMs }])
      log.emit({ _tag: "Discarded", why: error.message })
      yield* log.draft(null)
    })
  const answered = yield* answer(log, session, plan, prepared).pipe(
    Effect.retry(Retry.attempts(chance, retrying)),
    Effect.catchTag("ProviderError", (error) => Effect.succeed(error))
  )
  if (answered._tag === "ProviderError") {
    const draft = yield* settleDraft(log)
    return yield* log.append([failed(answered, draft), ...(mendable(session, answered) ? [] : [failure(answered)])])
  }
  yield* log.append([answered.event])
  if (answered.drafted) yield* log.draft(null)
})

/** One attempt: every chunk is recorded, every part shown, the whole folded into ModelResponded. */
const answer = Effect.fnUntraced(function*(log: SessionLog, session: Session, plan: Plan, prepared: Prepared) {
  const provider = yield* Provider
  const parser = yield* Parser
  const tools = yield* Tools
  const { mode, model, toolFormat } = session.settings
  const recording: Array<Timed> = []
  const answer = Answer.initial(session.task.turns + 1, Model.title(model))
  let kept = 0
  const keep = Effect.suspend(() => log.draft(Recording.encode(recording)))
  yield* provider.stream(prepared).pipe(
    Stream.tap((timed) => {
      recording.push(timed)
      Answer.chunk(answer, timed.chunk)
      if (timed.at - kept < Recording.draftEveryMs) return Effect.void
      kept = timed.at
      return keep
    }),
    Stream.map(({ chunk }) => chunk),
    parser.parse(toolFormat, tools.specs(mode)),
    Stream.runForEach((part) =>
      Effect.sync(() =>
        part._tag === "Remarks" ? Answer.remarks(answer, part) : log.emit({ _tag: "Parsed", part: Answer.part(answer, part) })
      )
    ),
    Effect.onInterrupt(() => Effect.ignore(keep))
  )
  const { content, ...end } = Answer.end(answer)
  if (content.length === 0 && answer.stop !== "refusal") {
    return yield* new ProviderError({ provider: model.provider, message: "The model's answer was empty.", reason: { _tag: "EmptyAnswer" } })
  }
  const usage = answer.usage ?? { ...Usage.none, input: plan.tokens, output: Recording.tokens(recording), estimated: true }
  const hash = yield* log.putBlob(Recording.encode(recording))
  const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
  const event: Settled = { _tag: "ModelResponded", content, usage, cost, recording: hash, ...end }
  return { _tag: "Answered", event, drafted: kept > 0 } as const
})

/** The draft becomes a blob of the log; null where nothing had come. */
export const settleDraft = Effect.fnUntraced(function*(log: SessionLog) {
  const bytes = yield* log.drafted
  if (bytes === null) return null
  const hash = yield* log.putBlob(bytes)
  yield* log.draft(null)
  return hash
})

/** A request that was too long is sent once more, made smaller. */
const mendable = ({ gauge }: Session, { reason }: ProviderError): boolean => reason._tag === "ContextOverflow" && gauge.refusals === 0

const failed = ({ message, provider, reason, requestId, status }: ProviderError, draft: string | null): Settled => ({
  _tag: "ModelFailed",
  reason,
  provider,
  message,
  ...(status === undefined ? {} : { status }),
  ...(requestId === undefined ? {} : { requestId }),
  draft
})

const failure = (error: ProviderError | ContextError): Settled => ({
  _tag: "TaskFailed",
  reason: error._tag === "ContextError" || error.reason._tag === "ContextOverflow" ? "context" : "provider",
  message: error.message
})
