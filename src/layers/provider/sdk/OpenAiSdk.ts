/** Chat Completions and Responses through `openai`, which is imported when the first request goes out. */
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as OpenAiChat from "../../../domain/provider/OpenAiChat.ts"
import type * as OpenAiChatStream from "../../../domain/provider/OpenAiChatStream.ts"
import * as OpenAiResponses from "../../../domain/provider/OpenAiResponses.ts"
import type * as OpenAiResponsesStream from "../../../domain/provider/OpenAiResponsesStream.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import { exchange } from "../transport/HttpStream.ts"

const never = 2 ** 31 - 1

/** Asks a server which models it has, and what it knows of one. */
export type Asks = (endpoint: Endpoint) => Pick<Connection, "describe" | "models">

/** How a server that speaks Chat Completions answers, with what is its own. */
export const chat = (quirks: Partial<OpenAiChat.Quirks> = {}, asks?: Asks) => {
  const protocol = OpenAiChat.protocol({ ...OpenAiChat.common, ...quirks })
  return (endpoint: Endpoint): Connection => ({
    ...asks?.(endpoint),
    encode: protocol.encode,
    send: (body, { request }) =>
      exchange({
        endpoint,
        protocol,
        request,
        decode: (data) => data === "[DONE]" ? data : JSON.parse(data) as OpenAiChatStream.Event,
        post: (fetch, signal) => post(endpoint, "/chat/completions", body, fetch, signal)
      })
  })
}

/** How a server that speaks Responses answers. */
export const responses = (endpoint: Endpoint): Connection => ({
  encode: OpenAiResponses.protocol.encode,
  send: (body, { request }) =>
    exchange({
      endpoint,
      protocol: OpenAiResponses.protocol,
      request,
      decode: (data) => data === "[DONE]" ? { type: data } : JSON.parse(data) as OpenAiResponsesStream.Event,
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
    timeout: never,
    logLevel: "off"
  })
  return client.post(path, { body, stream: true, signal }).asResponse()
}
