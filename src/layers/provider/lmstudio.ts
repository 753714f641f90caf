/** Models that LM Studio runs here; it states the window that a model is loaded with. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, root } from "./Ask.ts"
import { chat, type Describe } from "./OpenAiSdk.ts"

const describe: Describe = (endpoint) => {
  const ask = asker(endpoint)
  return (id) =>
    Effect.map(ask(`${root(endpoint)}/api/v0/models/${encodeURIComponent(id)}`), (told) => {
      if (told === null) return null
      const window = count(told.loaded_context_length, told.max_context_length)
      return {
        ...Catalogue.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
        nativeTools: Array.isArray(told.capabilities) && told.capabilities.includes("tool_use"),
        images: told.type === "vlm"
      }
    })
}

export const lmstudio: Route = {
  name: "lmstudio",
  title: "LM Studio",
  wire: "openai-chat",
  keys: ["LMSTUDIO_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:1234/v1",
  baseUrlVariable: "LMSTUDIO_BASE_URL",
  local: true,
  connect: chat({}, describe)
}
