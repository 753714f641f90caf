/** Chat Completions and Responses through `openai`, which is imported with the first request. */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as OpenAiChat from "../../../domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../domain/provider/OpenAiResponses.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import * as BodyBytes from "../BodyBytes.ts"
import type { ModelQueries } from "../queries/QueryServer.ts"
import { httpStream } from "../transport/HttpStream.ts"

/** The longest timeout that a timer takes: `HttpStream` applies the idle timeout, not the SDK. */
const noTimeoutMs = 2 ** 31 - 1

/** Connects to a server that speaks Chat Completions, with its quirks. */
export const chat = (quirks: Partial<OpenAiChat.Quirks> = {}, queries?: ModelQueries) => {
  const protocol = OpenAiChat.protocol({ ...OpenAiChat.defaultQuirks, ...quirks })
  return (endpoint: Endpoint): Connection => ({
    ...queries?.(endpoint),
    encode: protocol.encode,
    send: (body, { request }) =>
      httpStream({
        endpoint,
        protocol,
        request,
        decode: (data) => data === "[DONE]" ? data : JSON.parse(data) as unknown,
        post: (fetch, signal) => post(endpoint, "/chat/completions", body, fetch, signal)
      })
  })
}

/** Connects to a server that speaks Responses. */
export const responses = (endpoint: Endpoint): Connection => ({
  encode: OpenAiResponses.protocol.encode,
  send: (body, { request }) =>
    httpStream({
      endpoint,
      protocol: OpenAiResponses.protocol,
      request,
      decode: (data) => data === "[DONE]" ? { type: data } : JSON.parse(data) as unknown,
      post: (fetch, signal) => post(endpoint, "/responses", body, fetch, signal)
    })
})

const post = async (
  endpoint: Endpoint,
  path: string,
  body: Schema.Json,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal
): Promise<Response> => {
  const { OpenAI } = await import("openai")
  const client = new OpenAI({
    apiKey: endpoint.key === undefined ? "none" : Redacted.value(endpoint.key),
    baseURL: endpoint.baseUrl.replace(/\/+$/, ""),
    organization: null,
    project: null,
    fetch,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: "off"
  })
  return client.post(path, { body: BodyBytes.of(body).bytes, headers: BodyBytes.headers, stream: true, signal }).asResponse()
}
