/**
 * Models that Ollama runs here. Its window is the trap: a prompt that is longer than the server's own setting is cut
 * without a word, whatever the model could take. So the window is the one that the model's file or the running
 * server states, never the one that the model was trained for. Its compatible address takes no window with a request; a
 * larger one is set where the server runs (OLLAMA_CONTEXT_LENGTH) or in the model's file.
 */
import * as Effect from "effect/Effect"
import * as Catalogue from "../../domain/provider/Catalogue.ts"
import type { Route } from "../../services/Route.ts"
import { asker, count, list, record, root } from "./QueryServer.ts"
import { denied } from "./denied.ts"
import { type Asks, chat } from "./sdk/OpenAiSdk.ts"

const asks: Asks = (endpoint) => {
  const ask = asker(endpoint)
  const tags = Effect.map(ask(`${root(endpoint)}/api/tags`), (told) => list(told?.models).map((model) => String(model.name ?? model.model)))

  const describe = Effect.fnUntraced(function*(id: string) {
    const shown = yield* ask(`${root(endpoint)}/api/show`, { model: id })
    if (shown === null) {
      const names = yield* tags
      return names.length === 0 || names.includes(id) || names.includes(`${id}:latest`) ? null : yield* denied(endpoint, id, names)
    }
    const running = yield* ask(`${root(endpoint)}/api/ps`)
    const loaded = list(running?.models).find(({ model, name }) => model === id || name === id)
    const told = /num_ctx\s+(\d+)/.exec(String(shown.parameters ?? ""))?.[1]
    const trained = Object.entries(record(shown.model_info)).find(([field]) => field.endsWith(".context_length"))?.[1]
    const assumed = Catalogue.assumed(endpoint.provider, id, { local: true })
    const able = Array.isArray(shown.capabilities) ? shown.capabilities : []
    return {
      ...assumed,
      window: count(told, loaded?.context_length) ?? Math.min(assumed.window, count(trained) ?? assumed.window),
      nativeTools: able.includes("tools"),
      images: able.includes("vision"),
      reasoning: able.includes("thinking")
    }
  })

  return {
    describe,
    models: Effect.flatMap(tags, (names) => Effect.forEach(names, (name) => Effect.map(describe(name), (model) => model ?? Catalogue.assumed(endpoint.provider, name, { local: true })), { concurrency: 4 }))
  }
}

export const ollama: Route = {
  name: "ollama",
  title: "Ollama",
  wire: "openai-chat",
  keys: ["OLLAMA_API_KEY"],
  keyOptional: true,
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlVariable: "OLLAMA_BASE_URL",
  local: true,
  connect: chat({}, asks)
}
