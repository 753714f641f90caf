/** What servers on the user's own machine say about their models: each has an API of its own for it, and no catalogue knows them. */
import * as Effect from "effect/Effect"
import * as Model from "../../../domain/provider/Model.ts"
import { count, fromModelList, list, type ModelQueries, queryServer, record, root, unknownModel } from "./QueryServer.ts"

/** A llama.cpp server runs one model, and any name refers to it. The server reports its context window. */
export const llamaCpp: ModelQueries = (endpoint) => {
  const query = queryServer(endpoint)
  const describe = (id: string) =>
    Effect.map(query(`${root(endpoint)}/props`), (props) => {
      if (props === null) return null
      const window = count(record(props.default_generation_settings).n_ctx, props.n_ctx)
      return {
        ...Model.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
        nativeTools: record(props.chat_template_caps).supports_tools !== false,
        images: record(props.modalities).vision === true
      }
    })
  return {
    describe,
    models: Effect.gen(function*() {
      const response = yield* query(`${root(endpoint)}/v1/models`)
      const models = yield* Effect.forEach(list(response?.data), ({ id }) => describe(String(id)))
      return models.filter((model) => model !== null)
    })
  }
}

/** LM Studio reports the context window that a model was loaded with. */
export const lmStudio: ModelQueries = (endpoint) => {
  const query = queryServer(endpoint)
  const url = `${root(endpoint)}/api/v0/models`
  const entries = Effect.map(query(url), (response) => list(response?.data))

  const toModel = (id: string, entry: Readonly<Record<string, unknown>>) => {
    const window = count(entry.loaded_context_length, entry.max_context_length)
    return {
      ...Model.assumed(endpoint.provider, id, { local: true, ...(window === undefined ? {} : { window }) }),
      nativeTools: !Array.isArray(entry.capabilities) || entry.capabilities.includes("tool_use"),
      images: entry.type === "vlm"
    }
  }

  return {
    describe: Effect.fnUntraced(function*(id) {
      const entry = yield* query(`${url}/${encodeURIComponent(id)}`)
      if (entry !== null) return toModel(id, entry)
      const ids = (yield* entries).map(({ id }) => String(id))
      return ids.length === 0 || ids.includes(id) ? null : yield* unknownModel(endpoint, id, ids)
    }),
    models: Effect.map(entries, (entries) => entries.map((entry) => toModel(String(entry.id), entry)))
  }
}

/**
 * Ollama silently truncates a prompt that is longer than its configured context window, even if the model supports more. The
 * window is therefore the one that the model file or the running server states, not the one that the model was trained with.
 * The OpenAI-compatible API can't set it per request: it is raised on the server (OLLAMA_CONTEXT_LENGTH) or in the model file.
 */
export const ollama: ModelQueries = (endpoint) => {
  const query = queryServer(endpoint)
  const names = Effect.map(
    query(`${root(endpoint)}/api/tags`),
    (response) => list(response?.models).map((model) => String(model.name ?? model.model))
  )

  const describe = Effect.fnUntraced(function*(id: string) {
    const details = yield* query(`${root(endpoint)}/api/show`, { model: id })
    if (details === null) {
      const ids = yield* names
      return ids.length === 0 || ids.includes(id) || ids.includes(`${id}:latest`) ? null : yield* unknownModel(endpoint, id, ids)
    }
    const running = yield* query(`${root(endpoint)}/api/ps`)
    const loaded = list(running?.models).find(({ model, name }) => model === id || name === id)
    const configured = /num_ctx\s+(\d+)/.exec(String(details.parameters ?? ""))?.[1]
    const trained = Object.entries(record(details.model_info)).find(([field]) => field.endsWith(".context_length"))?.[1]
    const assumed = Model.assumed(endpoint.provider, id, { local: true })
    const capabilities = Array.isArray(details.capabilities) ? details.capabilities : ["tools"]
    return {
      ...assumed,
      window: count(configured, loaded?.context_length) ?? Math.min(assumed.window, count(trained) ?? assumed.window),
      nativeTools: capabilities.includes("tools"),
      images: capabilities.includes("vision"),
      reasoning: capabilities.includes("thinking")
    }
  })

  const describeListed = (name: string) =>
    Effect.map(describe(name), (model) => model ?? Model.assumed(endpoint.provider, name, { local: true }))
  return { describe, models: Effect.flatMap(names, (names) => Effect.forEach(names, describeListed, { concurrency: 4 })) }
}

/** vLLM reports context windows in its list of models. */
export const vllm: ModelQueries = (endpoint) => {
  const entries = Effect.map(queryServer(endpoint)(`${root(endpoint)}/v1/models`), (response) => list(response?.data))
  return fromModelList(endpoint, entries, (entry) => {
    const window = count(entry.max_model_len)
    return Model.assumed(endpoint.provider, String(entry.id), { local: true, ...(window === undefined ? {} : { window }) })
  })
}
