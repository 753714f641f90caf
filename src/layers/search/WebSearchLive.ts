/**
 * One request to the service that the user's settings name, with the key that they name. Its address is the user's own choice, and may
 * be on a private network; what it answers is data: bounded in size and time, never followed elsewhere.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { optional } from "../../domain/Optional.ts"
import * as SafeText from "../../domain/message/SafeText.ts"
import { WebError } from "../../domain/network/WebError.ts"
import * as ErrorBody from "../../domain/provider/ErrorBody.ts"
import type { WebSearchSettings } from "../../domain/search/SearchSettings.ts"
import type { WebQuery } from "../../domain/search/WebResults.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import * as Keys from "../../services/Keys.ts"
import { type SearchRequest, type SearchRoute, WebSearch } from "../../services/lookup/WebSearch.ts"
import { builtin } from "./builtin.ts"
import * as KeyMissing from "./KeyMissing.ts"
import * as ResponseText from "./ResponseText.ts"

/** A model that searches takes longer than an engine. */
const limits = { engineMs: 30_000, modelMs: 180_000, bytes: 4 * 1024 * 1024, error: 400, results: 8 }

const failed = (url: string, reason: WebError["reason"], message: string) => new WebError({ url, reason, message })

/** The user's settings for the route of this name; the settings may have changed since the session began. */
const settingsOf = (settings: WebSearchSettings, route: string): Omit<WebSearchSettings, "route"> =>
  settings.route === route ? settings : {}

export const layer = (settings: WebSearchSettings): Layer.Layer<never, never, Environment> =>
  Layer.effect(
    WebSearch,
    Effect.gen(function*() {
      const { variables } = yield* Environment
      const fetch = yield* Fetch
      const keyStore = yield* Keys.Keys

      /** The address and the key of a route, or what to do about their absence. */
      const endpointOf = Effect.fnUntraced(function*(route: SearchRoute) {
        const { baseUrl, keyEnv } = settingsOf(settings, route.name)
        const variable = route.baseUrlVariable === undefined ? undefined : variables[route.baseUrlVariable]?.trim()
        const address = [variable, baseUrl, route.baseUrl].find((one) => one !== undefined && one !== "") ?? ""
        const url = URL.parse(address)
        if (url === null || !/^https?:$/.test(url.protocol)) {
          return yield* failed(
            address,
            "Refused",
            address === ""
              ? `Web search has no address of ${route.title}: set "baseUrl" in "webSearch" of the settings${
                route.baseUrlVariable === undefined ? "" : `, or ${route.baseUrlVariable}`
              }.`
              : `"${address}" is not the address of a web service.`
          )
        }
        const names = keyEnv === undefined ? route.keys : [keyEnv]
        const apiKey = yield* Keys.find(names, variables, (key) => Redacted.make(key, { label: route.name })).pipe(
          Effect.provideService(Keys.Keys, keyStore),
          Effect.mapError(({ message, where }) => failed(address, "Refused", `${where} ${message}`))
        )
        if (apiKey === undefined && names.length > 0)
          return yield* failed(address, "Refused", KeyMissing.sentence(route, names, keyStore))
        return { baseUrl: address.replace(/\/+$/, ""), ...optional({ key: apiKey?.key }) }
      })

      const send = (route: SearchRoute, { body, headers, method, url }: SearchRequest, clean: (text: string) => string) =>
        Effect.tryPromise({
          try: async (signal) => {
            const timeout = AbortSignal.timeout(route.provider === undefined ? limits.engineMs : limits.modelMs)
            const response = await fetch(url, {
              method,
              headers,
              redirect: "manual",
              signal: AbortSignal.any([signal, timeout]),
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
            const { isTruncated, text } = await ResponseText.read(response, limits.bytes)
            if (!response.ok) throw statusError(route, url, response.status, text, clean)
            if (isTruncated) throw failed(url, "Kind", `${route.title} sent more than ${limits.bytes} bytes.`)
            return JSON.parse(text) as unknown
          },
          catch: (cause) => connectionError(route, url, cause, clean)
        })

      return {
        search: Effect.fn("WebSearch.search")(function*(query, { model, route: name }) {
          const route = builtin.find((one) => one.name === name)
          if (route === undefined) return yield* failed("", "Refused", `There is no route "${name}" for web search.`)
          const endpoint = yield* endpointOf(route)
          const full: WebQuery = { ...query, maxResults: settingsOf(settings, name).maxResults ?? limits.results }
          const secret = endpoint.key === undefined ? "" : Redacted.value(endpoint.key)
          const clean = (text: string) => SafeText.of(secret.length < 4 ? text : text.replaceAll(secret, "[key]"))
          const body = yield* send(route, route.request(full, { ...endpoint, ...optional({ model }) }), clean)
          const results = route.read(body)
          if (Result.isFailure(results)) return yield* failed(endpoint.baseUrl, "Status", clean(results.failure))
          return { ...results.success, title: route.title, query: full }
        })
      }
    })
  )

const statusError = (route: SearchRoute, url: string, status: number, text: string, clean: (text: string) => string): WebError => {
  const { message } = ErrorBody.read(parsed(text))
  const detail = message.trim() === "" ? "" : ` It says: ${Truncate.line(clean(message).replace(/\s+/g, " ").trim(), limits.error)}`
  const advice = status === 401 || status === 403
    ? route.keys.length > 0 ? ` Check the key (${route.keys[0]}).` : " Its settings must allow the format json (search.formats)."
    : status === 429 ? " Its rate limit is reached: wait before you search again." : ""
  return failed(url, "Status", `${route.title} responded with status ${status}.${advice}${detail}`)
}

const connectionError = (route: SearchRoute, url: string, cause: unknown, clean: (text: string) => string): WebError => {
  if (cause instanceof WebError) return cause
  const error = cause as Error & { readonly cause?: { readonly code?: string; readonly message?: string } }
  if (error.name === "TimeoutError") return failed(url, "TimedOut", `${route.title} did not respond in time.`)
  if (error instanceof SyntaxError) return failed(url, "Kind", `${route.title} sent something that is not JSON.`)
  return failed(
    url,
    "Unreachable",
    clean(
      `Could not reach ${route.title} at ${URL.parse(url)?.origin ?? "its address"}: ${
        error.cause?.code ?? error.cause?.message ?? error.message
      }.`
    )
  )
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
