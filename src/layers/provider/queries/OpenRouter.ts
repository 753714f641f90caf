/** What OpenRouter says about its models. */
import * as Effect from "effect/Effect"
import type { Model } from "../../../domain/provider/Model.ts"
import { count, fromModelList, list, type ModelQueries, queryServer, record } from "./QueryServer.ts"

export const openRouter: ModelQueries = (endpoint) => {
  const url = `${endpoint.baseUrl.replace(/\/+$/, "")}/models`
  const entries = Effect.map(queryServer(endpoint)(url), (response) => list(response?.data))
  return fromModelList(endpoint, entries, (entry) => toModel(endpoint.provider, String(entry.id), entry))
}

/** Prices are in USD per token, as text. */
const toModel = (provider: string, id: string, entry: Readonly<Record<string, unknown>>): Model => {
  const { completion, input_cache_read, input_cache_write, prompt } = record(entry.pricing)
  const supports = (parameter: string) => Array.isArray(entry.supported_parameters) && entry.supported_parameters.includes(parameter)
  const modalities = record(entry.architecture).input_modalities
  const accepts = (modality: string) => Array.isArray(modalities) && modalities.includes(modality)
  const usd = (price: unknown) => Math.round(Number(price) * 1e12) / 1e6
  const window = count(record(entry.top_provider).context_length, entry.context_length) ?? 128_000
  return {
    provider,
    id,
    name: String(entry.name ?? id),
    window,
    maxOutput: count(record(entry.top_provider).max_completion_tokens) ?? Math.min(window, 16_384),
    nativeTools: supports("tools"),
    reasoning: supports("reasoning"),
    images: accepts("image"),
    documents: accepts("file"),
    temperature: supports("temperature"),
    ...(supports("reasoning") ? { effort: { kind: "named", values: ["none", "minimal", "low", "medium", "high", "xhigh"] } as const } : {}),
    ...(Number(prompt) >= 0 && Number(completion) >= 0
      ? {
        price: {
          input: usd(prompt),
          output: usd(completion),
          ...(input_cache_read === undefined ? {} : { cacheRead: usd(input_cache_read) }),
          ...(input_cache_write === undefined ? {} : { cacheWrite: usd(input_cache_write) })
        }
      }
      : {})
  }
}
