/** Anthropic Messages through `@anthropic-ai/sdk`, which is imported when the first request goes out. */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as AnthropicMessages from "../../domain/provider/AnthropicMessages.ts"
import type { Connection, Endpoint } from "../../services/Route.ts"
import { exchange } from "./Exchange.ts"

/** The longest that a timer can be set for: silence is watched by the exchange, not by the SDK. */
const never = 2 ** 31 - 1

export const connect = (endpoint: Endpoint): Connection => ({
  encode: AnthropicMessages.encode,
  send: (body, { request }) =>
    exchange({
      endpoint,
      protocol: AnthropicMessages.protocol,
      request,
      decode: (data) => JSON.parse(data) as AnthropicMessages.Event,
      post: (fetch, signal) => post(endpoint, body, fetch, signal)
    })
})

/** The key goes in both headers: the SDK sends it as a bearer, and servers that copy the wire often know the older name alone. */
const post = async (endpoint: Endpoint, body: Schema.Json, fetch: typeof globalThis.fetch, signal: AbortSignal): Promise<Response> => {
  const { Anthropic } = await import("@anthropic-ai/sdk")
  const key = endpoint.key === undefined ? null : Redacted.value(endpoint.key)
  const client = new Anthropic({
    apiKey: key,
    authToken: null,
    defaultHeaders: { "x-api-key": key },
    baseURL: endpoint.baseUrl.replace(/\/+(?:v1\/*)?$/, ""),
    fetch,
    maxRetries: 0,
    timeout: never,
    logLevel: "off"
  })
  return client.post("/v1/messages", { body, stream: true, signal }).asResponse()
}
