/** One turn's request: gather, plan, log, then attempts until the model has answered or can't. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Adapted from "../../domain/provider/Unsupported.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Answer from "../../domain/session/ResponseBuilder.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Chance from "../../domain/session/SeededRandom.ts"
import * as Closing from "../../domain/session/Interruption.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Unfinished from "../../domain/session/Unfinished.ts"
import * as Usage from "../../domain/session/Usage.ts"
import type { ContextError } from "../../domain/context/ContextError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { ContextWindow, type Plan } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Parser } from "../../services/Parser.ts"
import { Provider, type Prepared } from "../../services/Provider.ts"
import { Tools } from "../../services/Tools.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import { withBlobs } from "./Attached.ts"
import { compact } from "./Compact.ts"
import * as Recording from "../replay/Recording.ts"
import { release, reserve, settlement, tellAbove } from "./BudgetReservation.ts"

export const callModel = Effect.fn("Agent.callModel")(function*(log: SessionLog, session: Session.Session) {
  const context = yield* ContextWindow
  const provider = yield* Provider
  const { model, toolFormat } = Session.speaker(session)
  if (session.wait !== undefined) yield* until(session.wait.until)
  const renewed = yield* (yield* Tools).renewed(session)
  if (renewed !== undefined) return yield* log.append([{ _tag: "ToolsChanged", ...renewed }], session.seq)
  const facts = yield* context.gather(session)
  const made = yield* Effect.result(Effect.gen(function*() {
    const speaking = { ...session, settings: { ...session.settings, model, toolFormat } }
    if (yield* compact(log, speaking, facts)) return undefined // what is shown is another now
    return yield* context.plan(speaking, facts, model, yield* context.include(speaking, facts, model))
  }))
  if (Result.isFailure(made)) {
    if (made.failure._tag !== "ContextError") return yield* made.failure
    return yield* log.append([failure(made.failure)], session.seq)
  }
  if (made.success === undefined) return
  const plan = made.success
  const system = Digest.sha256(plan.system)
  if (system !== session.system) yield* log.putBlob(new TextEncoder().encode(plan.system))
  const need = { input: Budget.inputBound(session.budget, plan.tokens), maxTokens: plan.request.maxTokens, price: model.price }
  const granted = yield* reserve(session, need)
  if (granted._tag === "BudgetExhausted") return yield* log.append([planned(plan, system, session), granted], session.seq)
  const { event, maxTokens } = granted
  const sent = yield* Effect.gen(function*() {
    const prepared = yield* provider.prepare(model, yield* withBlobs(log, { ...plan.request, maxTokens }))
    yield* log.append([planned(plan, system, session), ...(event === undefined ? [] : [event]), requested(maxTokens, prepared)], session.seq)
    return prepared
  }).pipe(
    Effect.onError(() => event === undefined ? Effect.void : Effect.ignore(release(session, event))),
    Effect.catchTag("ProviderError", (error) => Effect.as(log.append([failure(error)], session.seq), undefined))
  )
  if (sent === undefined) return
  if (isChanged(session)) yield* (yield* Checkpoints).begin(session.id)
  yield* attempts(log, session, plan, sent, { ...need, maxTokens, least: maxTokens })
})

const until = (time: number) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, time - now)))

/**
 * The files after an edit are taken beside the next request. Those before the next edit are taken when an answer begins to
 * write a call that may change them, for to look for nothing costs processes in each turn; and in a task's first turn
 * already while the model thinks, because a first look is long, but not before a question that is answered at once is over.
 */
const isChanged = ({ checkpoint }: Session.Session): boolean => checkpoint.off === undefined && checkpoint.dirty
const isFirst = ({ settings, task }: Session.Session): boolean => settings.mode !== "plan" && task.turns === 0
const beforeFirst = "500 millis"

/** What differs from the plan before. */
const planned = ({ current, facts, included, left, tokens }: Plan, system: string, session: Session.Session): Settled => ({
  _tag: "ContextPlanned",
  ...(facts === undefined ? {} : { facts }),
  ...(system === session.system ? {} : { system }),
  ...(included.length === 0 ? {} : { included }),
  ...(current === undefined ? {} : { current }),
  tokens,
  left
})

const requested = (maxTokens: number, { body, model, request }: Prepared): Settled => {
  const adapted = Adapted.of(request, model)
  return {
    _tag: "ModelRequested",
    model: Model.title(model),
    request: Digest.ofJson(body),
    maxTokens,
    ...(adapted.length === 0 ? {} : { adapted })
  }
}

/** Money is at its end in the middle of a request's tries; the log says so already. */
class Unpaid extends Data.TaggedError("Unpaid") {}

/** Refusals before the first word, for which nobody charges. */
const uncharged: ReadonlySet<ProviderError["reason"]["_tag"]> = new Set([
  "Auth",
  "BadRequest",
  "ContextOverflow",
  "Overloaded",
  "Quota",
  "RateLimited",
  "UnknownModel"
])

/** Retries the attempt, not the stream: what a broken attempt said does not count, and each retry is an event. */
const attempts = Effect.fnUntraced(function*(
  log: SessionLog,
  session: Session.Session,
  plan: Plan,
  prepared: Prepared,
  need: Budget.Need
) {
  const chance = (attempt: number) => Chance.at(`${session.seed}/${session.responses}`, attempt)
  let tape = Recording.blank()
  /** Takes what the attempt had said, and what it cost. */
  const taken = Effect.gen(function*() {
    const spent = Unfinished.spent(tape.heard, plan.tokens, prepared.model)
    if (spent === undefined) return {}
    const draft = yield* log.putBlob(Recording.whole(tape))
    tape = Recording.blank()
    return { draft, spent }
  })
  const isUncharged = ({ reason }: ProviderError) => tape.heard.chunks === 0 && uncharged.has(reason._tag)
  const retrying = ({ attempt, delayMs, error }: Retry.Retrying) =>
    Effect.gen(function*() {
      const { message, reason } = error
      const now = yield* log.state
      const refused = isUncharged(error)
      yield* log.append([
        { _tag: "ModelRetrying", reason, message, attempt, delayMs, ...(yield* taken) },
        ...(refused ? [] : settlement(now))
      ])
      log.emit({ _tag: "Discarded", why: message })
      yield* log.draft(null)
      if (!refused) yield* again(now)
    })
  /** The attempt may have been charged: the next has a reservation of its own, for the same request. */
  const again = Effect.fnUntraced(function*(before: Session.Session) {
    if (Budget.open(before) === undefined) return
    yield* tellAbove(before)
    const granted = yield* reserve(yield* log.state, need)
    const event = granted._tag === "Reserved" ? granted.event! : granted
    yield* log.append([event])
    if (event._tag === "BudgetExhausted") return yield* new Unpaid()
  })
  const settle = Effect.fnUntraced(function*(events: ReadonlyArray<Settled>, used: Budget.Amount | undefined) {
    const now = yield* log.state
    yield* log.append([...events, ...settlement(now, used)])
    yield* tellAbove(now, used)
  })
  const answered = yield* Effect.suspend(() => answer(log, session, plan, prepared, tape)).pipe(
    Effect.retry(Retry.attempts(chance, retrying, session.wait !== undefined)),
    Effect.catchTag(["ProviderError", "Unpaid"], (error) => Effect.succeed(error))
  )
  if (answered._tag === "Unpaid") return
  if (answered._tag === "ProviderError") {
    const used = isUncharged(answered) ? Budget.nothing : undefined
    yield* settle([{ ...failed(answered), draft: null, ...(yield* taken) }], used)
    return yield* log.draft(null)
  }
  yield* settle([answered.event], answered.used)
  if (answered.drafted) yield* log.draft(null)
})

/** One attempt: every chunk is recorded, every part shown, the whole folded into ModelResponded. */
const answer = Effect.fnUntraced(function*(
  log: SessionLog,
  session: Session.Session,
  plan: Plan,
  prepared: Prepared,
  tape: Recording.Tape
) {
  const provider = yield* Provider
  const checkpoints = yield* Checkpoints
  const parser = yield* Parser
  const tools = yield* Tools
  const { model, toolFormat } = Session.speaker(session)
  const answer = Answer.initial(session.responses + 1, Model.title(model))
  let taken = isChanged(session) || session.checkpoint.off !== undefined
  const take = Effect.suspend(() => {
    if (taken) return Effect.void
    taken = true
    return checkpoints.begin(session.id)
  })
  if (isFirst(session)) yield* Effect.forkScoped(Effect.delay(take, beforeFirst))
  let drafted = false
  const keep = Effect.suspend(() => {
    const bytes = Recording.keep(tape)
    drafted ||= bytes !== undefined
    return bytes === undefined ? Effect.void : log.draft(bytes)
  })
  const keeper = yield* FiberHandle.make<void, LogError>()
  yield* provider.stream(prepared).pipe(
    Stream.mapArrayEffect((arrived) => {
      Recording.add(tape, arrived)
      for (const { chunk } of arrived) Answer.chunk(answer, chunk)
      return Effect.as(
        FiberHandle.run(keeper, Effect.delay(keep, Recording.draftEveryMs), { onlyIfMissing: true }),
        Arr.map(arrived, ({ chunk }) => chunk)
      )
    }),
    parser.parse(toolFormat, tools.specs(session)),
    Stream.runForEachArray((parts) => {
      let changes = false
      for (const part of parts) {
        if (part._tag === "Remarks") Answer.remarks(answer, part)
        else log.emit({ _tag: "Parsed", part: Answer.part(answer, part) })
        changes ||= part._tag === "ToolCall" && tools.changes(part.name, session)
      }
      return changes ? take : Effect.void
    }),
    Effect.onInterrupt(() => Effect.ignore(keep))
  )
  const { content, ...end } = Answer.end(answer)
  if (content.length === 0 && answer.stop !== "refusal") {
    return yield* new ProviderError({ provider: model.provider, message: "The model's answer was empty.", reason: { _tag: "EmptyAnswer" } })
  }
  const usage = answer.usage ?? { ...Usage.none, input: plan.tokens, output: Unfinished.tokens(tape.heard), estimated: true }
  const hash = yield* log.putBlob(Recording.whole(tape))
  const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
  const event: Settled = { _tag: "ModelResponded", content, usage, cost, recording: hash, ...end }
  const used = answer.usage === undefined ? undefined : { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output }
  return { _tag: "Answered", event, used, drafted } as const
}, Effect.scoped)

/** The draft as a blob, stored with the events that close it; after them it is to be removed. Null where nothing had come. */
export const settleDraft = Effect.fnUntraced(function*(log: SessionLog, session: Session.Session) {
  const bytes = yield* log.drafted
  if (bytes === null) return null
  const recording = yield* Recording.decode(log.id, bytes)
  const blob = yield* log.putBlob(bytes)
  const { model } = Session.speaker(session)
  return { blob, said: Unfinished.text(recording), spent: Unfinished.spent(Unfinished.heard(recording), session.asked, model) } satisfies Closing.Draft
})

const failed = ({ message, provider, reason, requestId, status }: ProviderError) => ({
  _tag: "ModelFailed" as const,
  reason,
  provider,
  message,
  ...(status === undefined ? {} : { status }),
  ...(requestId === undefined ? {} : { requestId })
})

const failure = (error: ProviderError | ContextError): Settled => ({
  _tag: "TaskFailed",
  reason: error._tag === "ContextError" || error.reason._tag === "ContextOverflow" ? "context" : "provider",
  message: error.message
})
