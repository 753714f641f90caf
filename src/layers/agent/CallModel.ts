/** One turn's request: gather, plan, log, then attempts until the model has responded or can't. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Base64 from "effect/encoding/Base64"
import { optional } from "../../domain/Optional.ts"
import * as GrowingFold from "../../domain/message/GrowingFold.ts"
import type { Message } from "../../domain/message/Message.ts"
import * as Unsupported from "../../domain/provider/Unsupported.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as ResponseBuilder from "../../domain/session/ResponseBuilder.ts"
import * as FactsChange from "../../domain/context/FactsChange.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as FallbackChain from "../../domain/session/FallbackChain.ts"
import * as SeededRandom from "../../domain/session/SeededRandom.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import * as Metering from "../../domain/session/Metering.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Usage from "../../domain/session/Usage.ts"
import * as ToolSpec from "../../domain/tool/ToolSpec.ts"
import type { ContextError } from "../../domain/context/ContextError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import { ContextWindow, type RequestPlan } from "../../services/ContextWindow.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Parser } from "../../services/Parser.ts"
import { type PreparedRequest, Provider } from "../../services/Provider.ts"
import { Tools } from "../../services/Tools.ts"
import * as BodyBytes from "../provider/BodyBytes.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import { compact } from "./Compact.ts"
import * as Recording from "../replay/Recording.ts"
import { release, reportToParents, reserve, reserveAgain, settlement } from "./BudgetReservation.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"

// The bytes of images and documents that a request names, attached for the wire.

/** The same request if it names none. */
const withBlobs = (log: SessionLog, request: ModelRequest): Effect.Effect<ModelRequest, LogError> => {
  const hashes = blobsIn(request.messages)
  return hashes.size === 0 ? Effect.succeed(request) : Effect.map(
    Effect.forEach(hashes, (hash) => Effect.map(log.getBlob(hash), (bytes) => [hash, Base64.encode(bytes)] as const)),
    (blobs) => ({ ...request, blobs: new Map(blobs) })
  )
}

const blobsIn = GrowingFold.make<Message, Set<string>>({
  empty: () => new Set(),
  add: (hashes, { content }) => {
    for (const part of content) {
      if (part._tag === "Image" || part._tag === "Document") hashes.add(part.blob)
      else if (part._tag === "ToolResult") { for (const one of part.content) if (one._tag === "Image") hashes.add(one.blob) }
    }
    return hashes
  },
  fork: (hashes) => new Set(hashes)
})

export const callModel = Effect.fn("Agent.callModel")(function*(log: SessionLog, session: Session.Session) {
  const context = yield* ContextWindow
  const provider = yield* Provider
  const { model, toolFormat } = Session.activeModel(session)
  if (session.wait !== undefined) yield* sleepUntil(session.wait.until)
  const toolChange = yield* (yield* Tools).refresh(session)
  if (toolChange !== undefined) return yield* log.append([{ _tag: "ToolsChanged", ...toolChange }], session.seq)
  const facts = yield* context.gather(session)
  const planResult = yield* Effect.result(Effect.gen(function*() {
    const effectiveSession = { ...session, settings: { ...session.settings, model, toolFormat } }
    const request = yield* context.weigh(effectiveSession, facts, model)
    if (yield* compact(log, request)) return undefined // what the model sees has changed
    return yield* context.plan(request, yield* context.include(request))
  }))
  if (Result.isFailure(planResult)) {
    if (planResult.failure._tag !== "ContextError") return yield* planResult.failure
    const largerModel = FallbackChain.next(session, { _tag: "ContextOverflow" }, planResult.failure.message)
    return yield* log.append([largerModel ?? taskFailed(planResult.failure, FactsChange.factsSince(session.facts, facts))], session.seq)
  }
  if (planResult.success === undefined) return
  const plan = planResult.success
  const texts = { system: Digest.sha256(plan.system), tools: digestOf(plan.tools) }
  if (texts.system !== session.system) yield* log.putBlob(encoder.encode(plan.system))
  if (texts.tools !== session.tools) yield* log.putBlob(encoder.encode(ToolSpec.encode(plan.tools)))
  const bounds = { input: Budget.inputBound(session.budget, plan.tokens), maxTokens: plan.request.maxTokens, price: model.price }
  const reservation = yield* reserve(session, bounds)
  if (reservation._tag === "BudgetExhausted") return yield* log.append([planEvent(plan, texts, session), reservation], session.seq)
  const { event, maxTokens } = reservation
  const prepared = yield* Effect.gen(function*() {
    const prepared = yield* provider.prepare(model, yield* withBlobs(log, { ...plan.request, maxTokens }))
    yield* log.append(
      [planEvent(plan, texts, session), ...(event === undefined ? [] : [event]), requestEvent(maxTokens, prepared)],
      session.seq
    )
    return prepared
  }).pipe(
    Effect.onError(() => event === undefined ? Effect.void : Effect.ignore(release(session, event))),
    Effect.catchTag(
      "ProviderError",
      (error) => Effect.as(log.append([taskFailed(error, FactsChange.factsSince(session.facts, facts))], session.seq), undefined)
    )
  )
  if (prepared === undefined) return
  if (isChanged(session)) yield* (yield* Checkpoints).begin(session.id)
  yield* runAttempts(log, session, plan, prepared, { ...bounds, maxTokens, minOutput: maxTokens })
})

const sleepUntil = (time: number) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, time - now)))

/**
 * The checkpoint after an edit is taken while the next request is under way. The one before the next edit is taken when
 * a response begins to write a call that may change files, since checking for no changes costs processes in each turn;
 * in a task's first turn it starts while the model is thinking, because a first checkpoint is slow, but not before a
 * question that is answered at once is over.
 */
const isChanged = ({ checkpoint }: Session.Session): boolean => checkpoint.disabledReason === undefined && checkpoint.isDirty
const isFirst = ({ settings, task }: Session.Session): boolean => settings.mode !== "plan" && task.turns === 0
const firstCheckpointDelay = "500 millis"

const encoder = new TextEncoder()

/** The digest of tools, computed once for each list. */
const digestOf = (tools: RequestPlan["tools"]): string => {
  const digest = digests.get(tools) ?? Digest.sha256(ToolSpec.encode(tools))
  digests.set(tools, digest)
  return digest
}

const digests = new WeakMap<RequestPlan["tools"], string>()

/** The blobs of a request's texts. */
interface Texts {
  readonly system: string
  readonly tools: string
}

/** What differs from the previous plan. */
const planEvent = (
  { current, facts, included, omissions, tokens }: RequestPlan,
  { system, tools }: Texts,
  session: Session.Session
): Settled => ({
  _tag: "ContextPlanned",
  ...optional({ facts }),
  ...(system === session.system ? {} : { system }),
  ...(tools === session.tools ? {} : { tools }),
  ...(included.length === 0 ? {} : { included }),
  ...optional({ current }),
  tokens,
  left: omissions
})

const requestEvent = (maxTokens: number, { body, model, request }: PreparedRequest): Settled => {
  const adapted = Unsupported.of(request, model)
  return {
    _tag: "ModelRequested",
    model: Model.title(model),
    request: BodyBytes.of(body).digest,
    maxTokens,
    ...(adapted.length === 0 ? {} : { adapted })
  }
}

/** Retries the attempt, not the stream: the content of a failed attempt does not count, and each retry is an event. */
const runAttempts = Effect.fnUntraced(function*(
  log: SessionLog,
  session: Session.Session,
  plan: RequestPlan,
  prepared: PreparedRequest,
  bounds: Budget.RequestBounds
) {
  const random = (attempt: number) => SeededRandom.randomAt(`${session.seed}/${session.responseCount}`, attempt)
  let tape = Recording.empty()
  /** Takes the attempt's partial response, and its cost; `used` if that is certain. */
  const takePartial = Effect.gen(function*() {
    const spent = Interruption.partialCost(tape.progress, plan.tokens, prepared.model)
    if (spent === undefined) return { used: undefined }
    const used = Interruption.reportedAmount(tape.progress, plan.tokens, prepared.model)
    const draft = yield* log.putBlob(Recording.allBytes(tape))
    tape = Recording.empty()
    return { draft, spent, used }
  })
  const isUncharged = ({ reason }: ProviderError) => Interruption.isUncharged(tape.progress, reason)
  const onRetry = ({ attempt, delayMs, error }: Retry.RetryNotice) =>
    Effect.gen(function*() {
      const { message, reason } = error
      const current = yield* log.state
      const isFree = isUncharged(error)
      const { used, ...draft } = yield* takePartial
      yield* log.append([
        { _tag: "ModelRetrying", reason, message, attempt, delayMs, ...draft },
        ...(isFree ? [] : settlement(current, used))
      ])
      log.emit({ _tag: "Discarded", why: message })
      yield* log.saveDraft(null)
      if (!isFree) yield* reserveAgain(log, current, bounds, used)
    })
  const settle = Effect.fnUntraced(function*(events: ReadonlyArray<Settled>, used: Budget.Amount | undefined) {
    const current = yield* log.state
    yield* log.append([...events, ...settlement(current, used)])
    yield* reportToParents(current, used)
  })
  const response = yield* Effect.suspend(() => streamResponse(log, session, plan, prepared, tape)).pipe(
    Effect.retry(Retry.retrySchedule(random, onRetry, session.wait !== undefined)),
    Effect.catchTag(["ProviderError", "Unpaid"], (error) => Effect.succeed(error))
  )
  if (response._tag === "Unpaid") return yield* log.append([response.refusal])
  if (response._tag === "ProviderError") {
    const isFree = isUncharged(response)
    const { used, ...draft } = yield* takePartial
    yield* settle([{ ...modelFailed(response), draft: null, ...draft }], isFree ? Budget.zero : used)
    return yield* log.saveDraft(null)
  }
  yield* settle([response.event], response.used)
  if (response.drafted) yield* log.saveDraft(null)
})

/** One attempt: every chunk is recorded, every part shown, and the result folded into ModelResponded. */
const streamResponse = Effect.fnUntraced(function*(
  log: SessionLog,
  session: Session.Session,
  plan: RequestPlan,
  prepared: PreparedRequest,
  tape: Recording.RecordingBuffer
) {
  const provider = yield* Provider
  const checkpoints = yield* Checkpoints
  const parser = yield* Parser
  const tools = yield* Tools
  const { model, toolFormat } = Session.activeModel(session)
  const builder = ResponseBuilder.initial(session.responseCount + 1, Model.title(model))
  let hasCheckpoint = isChanged(session) || session.checkpoint.disabledReason !== undefined
  const beginCheckpoint = Effect.suspend(() => {
    if (hasCheckpoint) return Effect.void
    hasCheckpoint = true
    return checkpoints.begin(session.id)
  })
  if (isFirst(session)) yield* Effect.forkScoped(Effect.delay(beginCheckpoint, firstCheckpointDelay))
  let hasDraft = false
  const saveDraft = Effect.suspend(() => {
    const bytes = Recording.flush(tape)
    hasDraft ||= bytes !== undefined
    return bytes === undefined ? Effect.void : log.saveDraft(bytes)
  })
  const draftWriter = yield* FiberHandle.make<void, LogError>()
  yield* provider.stream(prepared).pipe(
    Stream.mapArrayEffect((batch) => {
      Recording.add(tape, batch)
      for (const { chunk } of batch) ResponseBuilder.addChunk(builder, chunk)
      return Effect.as(
        FiberHandle.run(draftWriter, Effect.delay(saveDraft, Recording.draftEveryMs), { onlyIfMissing: true }),
        Arr.map(batch, ({ chunk }) => chunk)
      )
    }),
    parser.parse(toolFormat, plan.tools, { canRepair: session.settings.tagRepair === true }),
    Stream.runForEachArray((parts) => {
      let changes = false
      for (const part of parts) {
        if (part._tag === "Remarks") ResponseBuilder.setRemarks(builder, part)
        else log.emit({ _tag: "Parsed", part: ResponseBuilder.addPart(builder, part) })
        changes ||= part._tag === "ToolCall" && tools.changes(part.name, session)
      }
      return changes ? beginCheckpoint : Effect.void
    }),
    Effect.onInterrupt(() => Effect.ignore(saveDraft))
  )
  const { content, ...end } = ResponseBuilder.finishResponse(builder)
  if (content.length === 0 && builder.stop !== "refusal") {
    return yield* new ProviderError({ provider: model.provider, message: "The model's answer was empty.", reason: { _tag: "EmptyAnswer" } })
  }
  const usage = Metering.usage(builder.usage, { input: plan.tokens, output: Interruption.outputEstimate(tape.progress) }, model)
  const isFirstEstimate = usage.estimated === true && session.usage.estimated !== true && builder.usage?.estimated !== true
  const warnings = isFirstEstimate ? [...end.warnings, Metering.warning(model.provider)] : end.warnings
  const hash = yield* log.putBlob(Recording.allBytes(tape))
  const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
  const event: Settled = { _tag: "ModelResponded", content, usage, cost, recording: hash, ...end, warnings }
  const used = { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output }
  return { _tag: "Answered", event, used, drafted: hasDraft } as const
}, Effect.scoped)

/** The draft as a blob, stored with the events that close it, after which it is to be removed. Null if nothing had arrived. */
export const settleDraft = Effect.fnUntraced(function*(log: SessionLog, session: Session.Session) {
  const bytes = yield* log.storedDraft
  if (bytes === null) return null
  const recording = yield* Recording.decode(log.id, bytes)
  const blob = yield* log.putBlob(bytes)
  const { model } = Session.activeModel(session)
  const progress = Interruption.measureRecording(recording)
  return {
    blob,
    text: Interruption.responseText(recording),
    spent: Interruption.partialCost(progress, session.requestTokens, model),
    used: Interruption.reportedAmount(progress, session.requestTokens, model)
  } satisfies Interruption.PartialResponse
})

const modelFailed = ({ message, provider, reason, requestId, status }: ProviderError) => ({
  _tag: "ModelFailed" as const,
  reason,
  provider,
  message,
  ...optional({ status, requestId })
})

/** A request that could not be planned or prepared, with the facts on which it was based: a replay gathers none. */
const taskFailed = (error: ProviderError | ContextError, facts: ReturnType<typeof FactsChange.factsSince>): Settled => ({
  _tag: "TaskFailed",
  reason: error._tag === "ContextError" || error.reason._tag === "ContextOverflow" ? "context" : "provider",
  message: error.message,
  ...optional({ facts })
})
