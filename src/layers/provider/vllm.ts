/** Models that a vLLM server runs; its list states their windows. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, list, root } from "./QueryServer.ts"
import { listed } from "./listed.ts"
import { type Asks, chat } from "./sdk/OpenAiSdk.ts"

const asks: Asks = (endpoint) => {
  const all = Effect.map(asker(endpoint)(`${root(endpoint)}/v1/models`), (told) => list(told?.data))
  return listed(endpoint, all, (told) => {
    const window = count(told.max_model_len)
    return Catalogue.assumed(endpoint.provider, String(told.id), { local: true, ...(window === undefined ? {} : { window }) })
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
  connect: chat({}, asks)
}
