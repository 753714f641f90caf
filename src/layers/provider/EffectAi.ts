/**
 * Any LanguageModel of `effect/ai` as a route: models that speak no wire of ours, and programs that have one already.
 *
 *     Live.layer({ routes: [EffectAi.route(yield* LanguageModel.LanguageModel, { name: "mine", window: 200_000 })], … })
 */
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import { classify } from "../../domain/provider/ClassifyError.ts"
import * as EffectParts from "../../domain/provider/EffectAi.ts"
import * as EffectPrompt from "../../domain/provider/EffectPrompt.ts"
import type { Model } from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import type { Route } from "../../services/Route.ts"

/** `name` is the provider's, before the slash; the rest is what is known of the model: else careful defaults, with native calls. */
export interface Options extends Partial<Omit<Model, "provider" | "id" | "name">> {
  readonly name: string
  readonly title?: string
}

/** A route on a model of `effect/ai`; its models are `name/model`. */
export const route = (model: LanguageModel.LanguageModel, { name, title = name, ...known }: Options): Route => ({
  name,
  title,
  wire: "effect-ai",
  keys: [],
  baseUrl: "",
  local: false,
  connect: () => ({
    encode: (request, model) => ({ ...EffectPrompt.encode(request, model) }),
    describe: (id) => Effect.succeed({ ...Catalogue.assumed(name, id, { local: false }), nativeTools: true, ...known }),
    send: (_, { model: asked, request }) => answer(model, name, request, EffectPrompt.encode(request, asked))
  })
})

type Encoded = ReturnType<typeof EffectPrompt.encode>

const answer = (model: LanguageModel.LanguageModel, provider: string, request: ModelRequest, { prompt, tools }: Encoded): Stream.Stream<Chunk, ProviderError> =>
  Stream.unwrap(Effect.map(toolkit(tools), (toolkit) => {
    let state = EffectParts.initial(request)
    const parts = model.streamText({
      prompt: prompt as unknown as ReadonlyArray<Prompt.MessageEncoded>,
      toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
    const chunks = Stream.flatMap(
      Stream.mapError(parts, (error) => told(provider, error)),
      (part): Stream.Stream<Chunk, ProviderError> => {
        if (part.type === "error") return Stream.fail(fault(provider, "ServerFault", said(part.error)))
        const [next, out] = EffectParts.step(state, part)
        state = next
        return Stream.fromIterable(out)
      }
    )
    const cut = Stream.suspend(() => state.ended ? Stream.empty : Stream.fail(fault(provider, "StreamBroken", "its answer ended in its middle")))
    return Stream.concat(chunks, cut)
  }))

/** Tools that the model is told of and that only we run. */
const toolkit = (tools: Encoded["tools"]) =>
  Effect.map(Effect.promise(() => import("effect/ai/Tool")), ({ dynamic }) => ({
    tools: Object.fromEntries(tools.map(({ description, name, parameters }) =>
      [String(name), dynamic(String(name), { description: String(description), parameters: parameters as Record<string, unknown> })] as const)),
    handle: () => Effect.die(new Error("Tools are run by the agent."))
  }))

const said = (error: unknown): string => error instanceof Error ? error.message : String(error)

const fault = (provider: string, tag: "ServerFault" | "StreamBroken" | "BadAnswer", message: string) =>
  new ProviderError({ provider, reason: { _tag: tag }, message: `${provider}: ${message}.` })

/** What each reason of `effect/ai` is here; a request that was refused is read by its words. */
const reasons: Readonly<Record<string, ProviderReason["_tag"]>> = {
  RateLimitError: "RateLimited",
  QuotaExhaustedError: "Quota",
  AuthenticationError: "Auth",
  InternalProviderError: "ServerFault",
  NetworkError: "Connection",
  InvalidOutputError: "BadAnswer",
  InvalidResponseError: "BadAnswer"
}

const told = (provider: string, error: AiError.AiError): ProviderError => {
  const { reason } = error
  const tag = reasons[reason._tag]
  if (tag === undefined || tag === "UnknownModel" || tag === "Idle") return classify({ provider, status: reason.isRetryable ? 500 : 400, headers: {}, body: { error: { message: reason.message } }, now: 0 })
  const retryAfter = reason._tag === "RateLimitError" ? reason.retryAfter : undefined
  return new ProviderError({
    provider,
    message: `${provider}: ${reason.message}`,
    reason: tag === "RateLimited" && retryAfter !== undefined ? { _tag: tag, retryAfterMs: Duration.toMillis(retryAfter) } : { _tag: tag }
  })
}
