/** Models that LM Studio runs here; it states the window that a model is loaded with. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, list, root } from "./QueryServer.ts"
import { denied } from "./denied.ts"
import { type Asks, chat } from "./sdk/OpenAiSdk.ts"

const asks: Asks = (endpoint) => {
  const ask = asker(endpoint)
  const at = `${root(endpoint)}/api/v0/models`
  const all = Effect.map(ask(at), (told) => list(told?.data))

  const toModel = (id: string, told: Readonly<Record<string, unknown>>) => {
    const window = count(told.loaded_context_length, told.max_context_length)
    return {
      ...Catalogue.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
      nativeTools: Array.isArray(told.capabilities) && told.capabilities.includes("tool_use"),
      images: told.type === "vlm"
    }
  }

  return {
    describe: Effect.fnUntraced(function*(id) {
      const told = yield* ask(`${at}/${encodeURIComponent(id)}`)
      if (told !== null) return toModel(id, told)
      const ids = (yield* all).map(({ id }) => String(id))
      return ids.length === 0 || ids.includes(id) ? null : yield* denied(endpoint, id, ids)
    }),
    models: Effect.map(all, (models) => models.map((model) => toModel(String(model.id), model)))
  }
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
  connect: chat({}, asks)
}
