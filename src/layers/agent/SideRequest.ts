/** One request outside the conversation, for a text: reserved, sent with the usual retries, and reported with its cost. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import * as RecordedPrompt from "../../domain/context/RecordedPrompt.ts"
import * as WindowUsage from "../../domain/context/WindowUsage.ts"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { TimedChunk } from "../../domain/message/Chunk.ts"
import * as Model from "../../domain/provider/Model.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as SeededRandom from "../../domain/session/SeededRandom.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Metering from "../../domain/session/Metering.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import * as Usage from "../../domain/session/Usage.ts"
import type { Budget as BudgetService } from "../../services/Budget.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { ContextWindow, type AuxiliaryRequest } from "../../services/ContextWindow.ts"
import { Provider } from "../../services/Provider.ts"
import * as BodyBytes from "../provider/BodyBytes.ts"
import * as Retry from "../provider/Retry.ts"
import * as Recording from "../replay/Recording.ts"
import { release, reserve, reserveAgain, settlement } from "./BudgetReservation.ts"

/**
 * `toRequestEvent` makes the event that precedes the request; `prompt` is the blob of its texts. `call` is the call that the text
 * is for.
 */
export interface SideRequest {
  readonly model: Model.Model
  readonly request: AuxiliaryRequest
  readonly call?: string
  readonly toRequestEvent: (request: RecordedRequest, session: Session) => Settled
}

interface RecordedRequest {
  readonly model: string
  readonly request: string
  readonly maxTokens: number
  readonly prompt: string
}

/** `used` is the usage at which the caller settles the reservation. */
export interface SideResponse {
  readonly text: string
  readonly spent: Usage.Spending
  readonly used: Budget.Amount
  readonly recording: string
}

/** Fails with the message to use instead of a text; a reservation may still be open then. */
export const sideRequest = Effect.fn("Agent.aside")(
  function*(log: SessionLog, { toRequestEvent: toEvent, call, model, request }: SideRequest) {
    const provider = yield* Provider
    const { estimate, bounds, seq, prepared } = yield* prepareRequest(log, {
      toRequestEvent: toEvent,
      model,
      request,
      ...optional({ call })
    })
    const { seed } = yield* log.state
    let chunks: Array<TimedChunk> = []
    const streamOnce = Effect.suspend(() => {
      chunks = []
      return Stream.runForEach(provider.stream(prepared), (chunk) => Effect.sync(() => void chunks.push(chunk)))
    })
    const onRetry = Effect.fnUntraced(function*({ attempt, delayMs, error: { message, reason } }: Retry.RetryNotice) {
      const current = yield* log.state
      const isUncharged = Interruption.isUncharged(Interruption.measureRecording(chunks), reason)
      const draft = chunks.length === 0 ? {} : { draft: yield* log.putBlob(Recording.encode(chunks)) }
      yield* log.append([
        { _tag: "ModelRetrying", reason, message, attempt, delayMs, ...draft },
        ...(isUncharged ? [] : settlement(current))
      ])
      if (!isUncharged) yield* reserveAgain(log, current, bounds)
    })
    const random = (attempt: number) => SeededRandom.randomAt(`${seed}/${request.purpose}/${seq}`, attempt)
    yield* streamOnce.pipe(
      Effect.retry(Retry.retrySchedule(random, onRetry)),
      Effect.catchTag("Unpaid", ({ refusal }) => badRequest(model, Budget.refusalMessage(refusal)))
    )
    const recording = chunks
    const text = Interruption.responseText(recording)
    if (text.trim() === "") return yield* badRequest(model, `The ${request.purpose} was empty.`)
    const usage = Metering.usage(Metering.reportedUsage(recording), {
      input: estimate,
      output: Interruption.outputEstimate(Interruption.measureRecording(recording))
    }, model)
    const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
    return {
      text,
      spent: { usage, cost },
      used: { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output },
      recording: yield* log.putBlob(Recording.encode(recording))
    } satisfies SideResponse as SideResponse
  }
)

/** Logged before it is sent, and decided again if the log has grown meanwhile, because others may run concurrently. */
const prepareRequest = (
  log: SessionLog,
  { toRequestEvent: toEvent, call, model, request: written }: SideRequest
): Effect.Effect<PreparedSideRequest, LogError | ProviderError, BudgetService | ContextWindow | Provider> =>
  Effect.gen(function*() {
    const context = yield* ContextWindow
    const provider = yield* Provider
    const session = yield* log.state
    const request = yield* context.prompt(session, written, call)
    const estimate = WindowUsage.tokens(session.windowUsage, Tokens.ofPrompt(request.system) + Tokens.ofMessages(request.messages).tokens)
    const bounds = { input: Budget.inputBound(session.budget, estimate), maxTokens: request.maxTokens, price: model.price }
    const reservation = yield* reserve(session, bounds)
    if (reservation._tag === "BudgetExhausted") return yield* badRequest(model, Budget.refusalMessage(reservation))
    const { event, maxTokens } = reservation
    const prepared = yield* Effect.gen(function*() {
      const prepared = yield* provider.prepare(model, { ...request, maxTokens })
      const prompt = yield* log.putBlob(new TextEncoder().encode(RecordedPrompt.encode(request)))
      const requestEvent = toEvent({ model: Model.title(model), request: BodyBytes.of(prepared.body).digest, maxTokens, prompt }, session)
      yield* log.append([requestEvent, ...(event === undefined ? [] : [event])], session.seq)
      return prepared
    }).pipe(Effect.onError(() => event === undefined ? Effect.void : Effect.ignore(release(session, event))))
    return { estimate, bounds: { ...bounds, maxTokens, minOutput: maxTokens }, seq: session.seq, prepared }
  }).pipe(Effect.catchTag("Stale", () => prepareRequest(log, { toRequestEvent: toEvent, model, request: written, ...optional({ call }) })))

interface PreparedSideRequest {
  readonly estimate: number
  /** What one of its attempts needs. */
  readonly bounds: Budget.RequestBounds
  /** Seq of the event before the request. */
  readonly seq: number
  readonly prepared: Effect.Success<ReturnType<Provider["Service"]["prepare"]>>
}

const badRequest = ({ provider }: Model.Model, message: string): ProviderError =>
  new ProviderError({ provider, message, reason: { _tag: "BadRequest" } })
