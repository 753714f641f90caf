/** Requests to a LanguageModel of `effect/ai`, and its responses. */
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../domain/message/Chunk.ts"
import { classify } from "../../../domain/provider/ClassifyError.ts"
import * as EffectAi from "../../../domain/provider/EffectAi.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import { ProviderError, type ProviderReason } from "../../../domain/provider/ProviderError.ts"
import type { Connection } from "../../../services/Route.ts"

/** `provider` is named in errors. */
export const connect = (model: LanguageModel.LanguageModel, provider: string): Connection => ({
  encode: (request, model) => ({ ...EffectAi.encode(request, model) }),
  send: (_, { model: sentModel, request }) => responseOf(model, provider, request, EffectAi.encode(request, sentModel))
})

type Encoded = ReturnType<typeof EffectAi.encode>

const responseOf = (
  model: LanguageModel.LanguageModel,
  provider: string,
  request: ModelRequest,
  { prompt, tools }: Encoded
): Stream.Stream<Chunk, ProviderError> =>
  Stream.unwrap(Effect.map(toolkit(tools), (toolkit) => {
    let state = EffectAi.initial(request)
    const parts = model.streamText({
      prompt: prompt as unknown as ReadonlyArray<Prompt.MessageEncoded>,
      toolkit,
      disableToolCallResolution: true,
      toolCallValidation: "deferred"
    })
    const chunks = Stream.flatMap(
      Stream.mapError(parts, (error) => toProviderError(provider, error)),
      (part): Stream.Stream<Chunk, ProviderError> => {
        if (part.type === "error") return Stream.fail(errorOf(provider, "ServerFault", messageOf(part.error)))
        const [next, chunks] = EffectAi.step(state, part)
        state = next
        return Stream.fromIterable(chunks)
      }
    )
    const brokenIfCut = Stream.suspend(() =>
      state.ended ? Stream.empty : Stream.fail(errorOf(provider, "StreamBroken", "the response ended early"))
    )
    return Stream.concat(chunks, brokenIfCut)
  }))

/** Tools that are described to the model; only the agent runs them. */
const toolkit = (tools: Encoded["tools"]) =>
  Effect.map(Effect.promise(() => import("effect/ai/Tool")), ({ dynamic }) => ({
    tools: Object.fromEntries(tools.map(({ description, name, parameters }) =>
      [
        String(name),
        dynamic(String(name), { description: String(description), parameters: parameters as Record<string, unknown> })
      ] as const
    )),
    handle: () => Effect.die(new Error("Tools are run by the agent."))
  }))

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

const errorOf = (provider: string, tag: "ServerFault" | "StreamBroken" | "BadAnswer", message: string) =>
  new ProviderError({ provider, reason: { _tag: tag }, message: `${provider}: ${message}.` })

/** The reasons of `effect/ai`. Any other, such as a rejected request, is classified by its message. */
const reasonTags: Readonly<Record<string, ProviderReason["_tag"]>> = {
  RateLimitError: "RateLimited",
  QuotaExhaustedError: "Quota",
  AuthenticationError: "Auth",
  InternalProviderError: "ServerFault",
  NetworkError: "Connection",
  InvalidOutputError: "BadAnswer",
  InvalidResponseError: "BadAnswer"
}

const toProviderError = (provider: string, error: AiError.AiError): ProviderError => {
  const { reason } = error
  const tag = reasonTags[reason._tag]
  if (tag === undefined || tag === "UnknownModel" || tag === "Idle") {
    return classify({ provider, status: reason.isRetryable ? 500 : 400, headers: {}, body: { error: { message: reason.message } }, now: 0 })
  }
  const retryAfter = reason._tag === "RateLimitError" ? reason.retryAfter : undefined
  return new ProviderError({
    provider,
    message: `${provider}: ${reason.message}`,
    reason: tag === "RateLimited" && retryAfter !== undefined ? { _tag: tag, retryAfterMs: Duration.toMillis(retryAfter) } : { _tag: tag }
  })
}
