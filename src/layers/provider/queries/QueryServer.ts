/** Queries a server about its models: which ones it has, and how large their context windows are. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { assumed, type Model } from "../../../domain/provider/Model.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import { similarNames } from "../../../domain/provider/SimilarNames.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import { httpErrors } from "../transport/HttpErrors.ts"

/** What an endpoint's server says about its models. */
export type ModelQueries = (endpoint: Endpoint) => Pick<Connection, "describe" | "models">

type JsonRecord = Readonly<Record<string, unknown>>

const cacheMs = 300_000
const timeoutMs = 5_000

/** The root of a server's own API next to the compatible one: the base URL without `/v1`. */
export const root = ({ baseUrl }: Endpoint): string => baseUrl.replace(/\/+(?:v1\/*)?$/, "")

/**
 * Fetches JSON; null if the server has no such resource or takes too long. Fails if nothing listens at the address: better
 * here than with the first prompt. Results are cached for five minutes.
 */
export const queryServer = (endpoint: Endpoint) => {
  const cache = new Map<string, { readonly at: number; readonly value: JsonRecord | null }>()
  const errors = httpErrors(endpoint)
  return (url: string, body?: object): Effect.Effect<JsonRecord | null, ProviderError> =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const cacheKey = `${url} ${body === undefined ? "" : JSON.stringify(body)}`
      const cached = cache.get(cacheKey)
      if (cached !== undefined && now - cached.at < cacheMs) return cached.value
      const value = yield* Effect.tryPromise({
        try: async (signal) => {
          const response = await endpoint.fetch(url, {
            method: body === undefined ? "GET" : "POST",
            headers: {
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${Redacted.value(endpoint.key)}` })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            redirect: "manual",
            signal
          })
          const text = await response.text()
          return response.ok ? parse(text) : null
        },
        catch: errors.connection
      }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(null) }))
      cache.set(cacheKey, { at: now, value })
      return value
    })
}

const parse = (text: string): JsonRecord | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value as JsonRecord : null
  } catch {
    return null
  }
}

/** A value as a record; an empty one if it is something else. */
export const record = (value: unknown): JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonRecord : {}
/** A value as a list of records; an empty one if it is something else. */
export const list = (value: unknown): ReadonlyArray<JsonRecord> => Array.isArray(value) ? value.map(record) : []
/** The first value that is a positive integer. */
export const count = (...values: ReadonlyArray<unknown>): number | undefined =>
  values.map(Number).find((value) => Number.isInteger(value) && value > 0)

/** Queries for a server whose list describes each of its models. A model missing from an empty list is not denied. */
export const fromModelList = (
  endpoint: Endpoint,
  query: Effect.Effect<ReadonlyArray<JsonRecord>, ProviderError>,
  toModel: (entry: JsonRecord) => Model
) => ({
  describe: (id: string): Effect.Effect<Model | null, ProviderError> =>
    Effect.flatMap(query, (entries) => {
      if (entries.length === 0) return Effect.succeed(null)
      const entry = entries.find((entry) => entry.id === id)
      return entry === undefined
        ? Effect.fail(unknownModel(endpoint, id, entries.map(({ id }) => String(id))))
        : Effect.succeed(toModel(entry))
    }),
  models: Effect.map(query, (entries) => entries.map(toModel))
})

/** The fields in which servers list a model's window: vLLM, SGLang and others. */
const windowOf = (entry: JsonRecord): number | undefined =>
  count(entry.max_model_len, entry.context_length, entry.context_window, entry.max_context_length, record(entry.meta).n_ctx)

/**
 * Queries for a server of unknown make: the window of a model, if its list of models states one. A server without such a list, or one
 * that can't be reached now, describes nothing, and a model missing from the list may still be served. It is not asked about models
 * whose window is known.
 */
export const listedWindows = (isKnown: (id: string) => boolean): ModelQueries => (endpoint) => {
  const query = Effect.orElseSucceed(queryServer(endpoint)(`${endpoint.baseUrl.replace(/\/+$/, "")}/models`), () => null)
  return {
    describe: (id) =>
      isKnown(id) ? Effect.succeed(null) : Effect.map(query, (response) => {
        const entry = list(response?.data).find((entry) => entry.id === id)
        const window = entry === undefined ? undefined : windowOf(entry)
        return window === undefined ? null : assumed(endpoint.provider, id, { local: false, window })
      })
  }
}

/** A list this short is shown whole. */
const maxShown = 5

/** The error for a model that is missing from the server's own list. */
export const unknownModel = ({ provider }: Endpoint, id: string, ids: ReadonlyArray<string>): ProviderError => {
  const isShort = ids.length <= maxShown
  const names = (isShort ? ids : similarNames(id, ids)).map((id) => `${provider}/${id}`)
  const suggestion = names.length === 0 ? "" : isShort ? ` It has ${names.join(", ")}.` : ` Did you mean ${names.join(" or ")}?`
  return new ProviderError({
    provider,
    message: `${provider} has no model "${id}".${suggestion}`,
    reason: { _tag: "UnknownModel", near: names }
  })
}
