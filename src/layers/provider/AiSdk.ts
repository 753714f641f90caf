/**
 * A model of the Vercel AI SDK as a route: any of its provider packages, without a dependency on the SDK.
 *
 *     createAgent({ routes: [AiSdk.route(mistral("devstral-medium"))], model: "mistral.chat/devstral-medium", … })
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import * as AiSdk from "../../domain/provider/AiSdk.ts"
import { classify } from "../../domain/provider/ClassifyError.ts"
import * as EffectAi from "../../domain/provider/EffectAi.ts"
import { assumed, type Model } from "../../domain/provider/Model.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Route } from "../../services/Route.ts"

/** A LanguageModelV2, V3 or V4: what of it is used. */
export interface LanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  // As methods, so that a model whose options and parts are typed in more detail is one of these.
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<any> }>
}

/** `name` is the provider, before the slash: by default the SDK's name for it. The rest describes the model; the defaults are cautious. */
export interface Options extends Partial<Omit<Model, "provider" | "id" | "name">> {
  readonly name?: string
  readonly title?: string
}

/** A route to one model, whatever id it is asked for by. */
export const route = (model: LanguageModel, options: Options = {}): Route => {
  const fault = faultOf(model)
  if (fault !== undefined) throw new TypeError(fault)
  const { name = model.provider, title = name, ...facts } = options
  return {
    name,
    title,
    wire: "ai-sdk",
    keys: [],
    baseUrl: "",
    local: false,
    connect: () => ({
      encode: (request, described) => AiSdk.encode(request, described, model.specificationVersion),
      describe: (id) => Effect.succeed({ ...assumed(name, id, { local: false }), nativeTools: true, ...facts }),
      send: (body, { request }) => responseOf(model, name, request, body)
    })
  }
}

const versions = ["v2", "v3", "v4"]

/** Why this is no model that a route can use; undefined if it is one. The SDK's own functions take a model's name too. */
const faultOf = (model: LanguageModel | string | null | undefined): string | undefined =>
  typeof model === "string" ? `AiSdk.route needs a model of one of the SDK's packages, such as mistral("${model}"), not its name.`
    : typeof model?.doStream !== "function" ? "AiSdk.route needs a language model of the SDK: this has no doStream."
    : !versions.includes(model.specificationVersion)
    ? `AiSdk.route knows the versions ${versions.join(", ")} of the SDK's models, and ${model.provider} has ${model.specificationVersion}.`
    : undefined

const responseOf = (
  model: LanguageModel,
  provider: string,
  request: ModelRequest,
  body: Schema.Json
): Stream.Stream<Chunk, ProviderError> =>
  Stream.unwrap(Effect.gen(function*() {
    const failed = (error: unknown) => toProviderError(provider, error)
    const { signal } = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const { stream } = yield* Effect.tryPromise({
      try: async () => model.doStream({ ...body as Schema.JsonObject, abortSignal: signal }),
      catch: failed
    })
    const [state, sdkState] = [EffectAi.initial(request), AiSdk.initial()]
    const parts = Stream.fromReadableStream<AiSdk.Part & { readonly error?: unknown }, ProviderError>({
      evaluate: () => stream,
      onError: failed
    })
    const chunks = Stream.flatMap(parts, (part): Stream.Stream<Chunk, ProviderError> =>
      part.type === "error"
        ? Stream.fail(failed(part.error))
        : Stream.fromIterable(AiSdk.translate(sdkState, part).flatMap((one) => EffectAi.step(state, one)[1])))
    const brokenIfCut = Stream.suspend(() =>
      state.ended ? Stream.empty
        : Stream.fail(new ProviderError({ provider, reason: { _tag: "StreamBroken" }, message: `${provider}: the response ended early.` }))
    )
    return Stream.concat(chunks, brokenIfCut)
  }))

/** The SDK's APICallError has status and headers; an error without a status never reached the server. */
const toProviderError = (provider: string, error: unknown): ProviderError => {
  const { isRetryable, message = String(error), responseHeaders, statusCode } =
    (typeof error === "object" && error !== null ? error : {}) as {
      readonly isRetryable?: boolean
      readonly message?: string
      readonly responseHeaders?: Record<string, string>
      readonly statusCode?: number
    }
  return statusCode === undefined && isRetryable !== false
    ? new ProviderError({ provider, reason: { _tag: "Connection" }, message: `${provider}: ${message}` })
    : classify({ provider, status: statusCode ?? 400, headers: responseHeaders ?? {}, body: { error: { message } }, now: 0 })
}
