/** One request beside the conversation, for a text alone: reserved, sent with the retries of any other, and told with what it cost. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Gauge from "../../domain/context/WindowUsage.ts"
import * as Tokens from "../../domain/context/Tokens.ts"
import type { Timed } from "../../domain/message/Chunk.ts"
import * as Model from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Chance from "../../domain/session/SeededRandom.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Unfinished from "../../domain/session/Unfinished.ts"
import * as Usage from "../../domain/session/Usage.ts"
import type { Budget as Above } from "../../services/Budget.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Provider } from "../../services/Provider.ts"
import * as Retry from "../provider/Retry.ts"
import * as Digest from "../storage/Digest.ts"
import * as Recording from "../replay/Recording.ts"
import { release, reserve } from "./BudgetReservation.ts"

/** `asked` is the event that goes before the request. */
export interface Aside {
  readonly model: Model.Model
  readonly request: ModelRequest
  readonly asked: (asked: { readonly model: string; readonly request: string; readonly maxTokens: number }, session: Session) => Settled
}

/** `used` is what the provider says that it used, to settle the reservation by; the caller settles it. */
export interface Written {
  readonly text: string
  readonly spent: Usage.Spent
  readonly used: Budget.Amount | undefined
  readonly recording: string
}

/** Fails with what to tell in the place of a text; a reservation may be open then, too. */
export const aside = Effect.fn("Agent.aside")(function*(log: SessionLog, { asked, model, request }: Aside) {
  const provider = yield* Provider
  const { estimate, place, prepared } = yield* sent(log, { asked, model, request })
  const { seed } = yield* log.state
  const recording = yield* Stream.runCollect(provider.stream(prepared)).pipe(Effect.retry(Retry.attempts(
    (attempt) => Chance.at(`${seed}/${request.purpose}/${place}`, attempt),
    ({ attempt, delayMs, error }) => log.append([{ _tag: "ModelRetrying", reason: error.reason, message: error.message, attempt, delayMs }])
  )))
  const text = Unfinished.text(recording)
  if (text.trim() === "") return yield* refused(model, `The ${request.purpose} was empty.`)
  const told = reported(recording)
  const usage = told ?? { ...Usage.none, input: estimate, output: Unfinished.tokens(Unfinished.heard(recording)), estimated: true }
  const cost = model.price === undefined ? null : Usage.cost(usage, model.price)
  return {
    text,
    spent: { usage, cost },
    used: told === undefined ? undefined : { usd: cost ?? 0, tokens: Usage.inputTotal(usage) + usage.output },
    recording: yield* log.putBlob(Recording.encode(recording))
  } satisfies Written as Written
})

/** Written down before it is sent; decided again where the log has moved on meanwhile, because others may run beside it. */
const sent = (log: SessionLog, { asked, model, request }: Aside): Effect.Effect<Sent, LogError | ProviderError, Above | Provider> =>
  Effect.gen(function*() {
    const provider = yield* Provider
    const session = yield* log.state
    const estimate = Gauge.tokens(session.gauge, Tokens.ofPrompt(request.system) + Tokens.ofMessages(request.messages).tokens)
    const granted = yield* reserve(session, { input: Budget.inputBound(session.budget, estimate), maxTokens: request.maxTokens, price: model.price })
    if (granted._tag === "BudgetExhausted") return yield* refused(model, Budget.sentence(granted))
    const { event, maxTokens } = granted
    const prepared = yield* Effect.gen(function*() {
      const prepared = yield* provider.prepare(model, { ...request, maxTokens })
      const told = asked({ model: Model.title(model), request: Digest.ofJson(prepared.body), maxTokens }, session)
      yield* log.append([told, ...(event === undefined ? [] : [event])], session.seq)
      return prepared
    }).pipe(Effect.onError(() => event === undefined ? Effect.void : Effect.ignore(release(session, event))))
    return { estimate, place: session.seq, prepared }
  }).pipe(Effect.catchTag("Stale", () => sent(log, { asked, model, request })))

interface Sent {
  readonly estimate: number
  /** Seq of the event before the request. */
  readonly place: number
  readonly prepared: Effect.Success<ReturnType<Provider["Service"]["prepare"]>>
}

const refused = ({ provider }: Model.Model, message: string): ProviderError =>
  new ProviderError({ provider, message, reason: { _tag: "BadRequest" } })

const reported = (recording: ReadonlyArray<Timed>): Usage.TokenUsage | undefined => {
  const last = recording.findLast(({ chunk }) => chunk._tag === "Usage")?.chunk
  return last?._tag === "Usage" ? last.usage : undefined
}
