/** Models of many providers through OpenRouter, which itself states what each can do and costs. */
import * as Effect from "effect/Effect"
import type { Model } from "../../../domain/provider/Model.ts"
import type { Route } from "../../../services/Route.ts"
import { asker, count, list, record } from "../QueryServer.ts"
import { listed } from "../listed.ts"
import { type Asks, chat } from "../sdk/OpenAiSdk.ts"

const asks: Asks = (endpoint) => {
  const all = Effect.map(asker(endpoint)(`${endpoint.baseUrl.replace(/\/+$/, "")}/models`), (told) => list(told?.data))
  return listed(endpoint, all, (told) => toModel(endpoint.provider, String(told.id), told))
}

/** Its prices are USD a token, as text. */
const toModel = (provider: string, id: string, told: Readonly<Record<string, unknown>>): Model => {
  const { completion, input_cache_read, input_cache_write, prompt } = record(told.pricing)
  const able = (parameter: string) => Array.isArray(told.supported_parameters) && told.supported_parameters.includes(parameter)
  const input = record(told.architecture).input_modalities
  const takes = (kind: string) => Array.isArray(input) && input.includes(kind)
  const usd = (price: unknown) => Math.round(Number(price) * 1e12) / 1e6
  const window = count(record(told.top_provider).context_length, told.context_length) ?? 128_000
  return {
    provider,
    id,
    name: String(told.name ?? id),
    window,
    maxOutput: count(record(told.top_provider).max_completion_tokens) ?? Math.min(window, 16_384),
    nativeTools: able("tools"),
    reasoning: able("reasoning"),
    images: takes("image"),
    documents: takes("file"),
    temperature: able("temperature"),
    ...(able("reasoning") ? { effort: { kind: "named", values: ["none", "minimal", "low", "medium", "high", "xhigh"] } as const } : {}),
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

export const openrouter: Route = {
  name: "openrouter",
  title: "OpenRouter",
  wire: "openai-chat",
  keys: ["OPENROUTER_API_KEY"],
  baseUrl: "https://openrouter.ai/api/v1",
  baseUrlVariable: "OPENROUTER_BASE_URL",
  local: false,
  connect: chat({ marks: /^anthropic\// }, asks)
}
