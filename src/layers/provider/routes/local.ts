/** The one model that a llama.cpp server runs; any name means it. The server states its window. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../../domain/provider/Catalogue.ts"
import type { Route } from "../../../services/Route.ts"
import { asker, count, list, record, root } from "../QueryServer.ts"
import { type Asks, chat } from "../sdk/OpenAiSdk.ts"

const asks: Asks = (endpoint) => {
  const ask = asker(endpoint)
  const describe = (id: string) =>
    Effect.map(ask(`${root(endpoint)}/props`), (props) => {
      if (props === null) return null
      const window = count(record(props.default_generation_settings).n_ctx, props.n_ctx)
      return {
        ...Catalogue.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
        nativeTools: record(props.chat_template_caps).supports_tools === true,
        images: record(props.modalities).vision === true
      }
    })
  return {
    describe,
    models: Effect.gen(function*() {
      const told = yield* ask(`${root(endpoint)}/v1/models`)
      const models = yield* Effect.forEach(list(told?.data), ({ id }) => describe(String(id)))
      return models.filter((model) => model !== null)
    })
  }
}

export const llamacpp: Route = {
  name: "llamacpp",
  title: "llama.cpp server",
  wire: "openai-chat",
  keys: ["LLAMACPP_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:8080/v1",
  baseUrlVariable: "LLAMACPP_BASE_URL",
  local: true,
  connect: chat({}, asks)
}
