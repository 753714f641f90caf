/** Models that a vLLM server runs; its list states their windows. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, list, root } from "./Ask.ts"
import { denied } from "./denied.ts"
import { chat, type Describe } from "./OpenAiSdk.ts"

const describe: Describe = (endpoint) => {
  const ask = asker(endpoint)
  return (id) =>
    Effect.flatMap(ask(`${root(endpoint)}/v1/models`), (told) => {
      const models = list(told?.data)
      if (models.length === 0) return Effect.succeed(null)
      const model = models.find((model) => model.id === id)
      if (model === undefined) return Effect.fail(denied(endpoint, id, models.map((model) => String(model.id))))
      const window = count(model.max_model_len)
      return Effect.succeed(Catalogue.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }))
    })
}

export const vllm: Route = {
  name: "vllm",
  title: "vLLM server",
  wire: "openai-chat",
  keys: ["VLLM_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:8000/v1",
  baseUrlVariable: "VLLM_BASE_URL",
  local: true,
  connect: chat({}, describe)
}
