/** Anthropic Messages through `@anthropic-ai/sdk`, which is imported with the first request. */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as AnthropicMessages from "../../../domain/provider/AnthropicMessages.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import * as Google from "../clouds/Google.ts"
import * as BodyBytes from "../BodyBytes.ts"
import { httpStream } from "../transport/HttpStream.ts"
import * as GoogleToken from "./GoogleToken.ts"

/** The longest that a timer can be set for: silence is watched by the httpStream, not by the SDK. */
const noTimeoutMs = 2 ** 31 - 1

export const connect = (endpoint: Endpoint): Connection => ({
  encode: AnthropicMessages.encode,
  send: (body, { request }) =>
    httpStream({
      endpoint,
      protocol: AnthropicMessages.protocol,
      request,
      decode: (data) => JSON.parse(data) as unknown,
      post: (fetch, signal) =>
        post({
          endpoint,
          path: "/v1/messages",
          key: endpoint.key === undefined ? null : Redacted.value(endpoint.key),
          token: null,
          body,
          fetch,
          signal
        })
    })
})

/** Claude on Vertex AI, where the URL names the model, with Google Cloud credentials. */
export const vertex = (endpoint: Endpoint): Connection => {
  const credentials = GoogleToken.credentials(endpoint, ["ANTHROPIC_VERTEX_PROJECT_ID"])
  return {
    encode: AnthropicMessages.encodeHosted({ anthropic_version: "vertex-2023-10-16", stream: true }),
    send: (body, { model, request }) =>
      httpStream({
        endpoint,
        protocol: AnthropicMessages.protocol,
        request,
        decode: (data) => JSON.parse(data) as unknown,
        post: async (fetch, signal) => {
          const { project, token } = await credentials()
          const path = `/v1/projects/${project}/locations/${
            Google.location(endpoint.variables)
          }/publishers/anthropic/models/${model.id}:streamRawPredict`
          return post({ endpoint, path, key: null, token, body, fetch, signal })
        }
      })
  }
}

/** Authenticated by an Anthropic key or by the host's token. */
interface Post {
  readonly endpoint: Endpoint
  readonly path: string
  readonly key: string | null
  readonly token: string | null
  readonly body: Schema.Json
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

/** The key is sent in both headers: as a bearer token by the SDK, and in the older header that some compatible servers require. */
const post = async ({ body, endpoint, fetch, key, path, signal, token }: Post): Promise<Response> => {
  const { BaseAnthropic } = await import("@anthropic-ai/sdk/client")
  const client = new BaseAnthropic({
    apiKey: key,
    authToken: token,
    // Without credentials the SDK sends only what omits the header by name.
    defaultHeaders: { "x-api-key": key, ...(key === null && token === null ? { authorization: null } : {}) },
    baseURL: endpoint.baseUrl.replace(/\/+(?:v1\/*)?$/, ""),
    fetch,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: "off"
  })
  return client.post(path, { body: BodyBytes.of(body).bytes, headers: BodyBytes.headers, stream: true, signal }).asResponse()
}
