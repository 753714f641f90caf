/** The one model that a llama.cpp server runs; any name means it. The server states its window. */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, record, root } from "./Ask.ts"
import { chat, type Describe } from "./OpenAiSdk.ts"

const describe: Describe = (endpoint) => {
  const ask = asker(endpoint)
  return (id) =>
    Effect.map(ask(`${root(endpoint)}/props`), (props) => {
      if (props === null) return null
      const window = count(record(props.default_generation_settings).n_ctx, props.n_ctx)
      return {
        ...Catalogue.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
        nativeTools: record(props.chat_template_caps).supports_tools === true,
        images: record(props.modalities).vision === true
      }
    })
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
  connect: chat({}, describe)
}
