/** Gemini through `@google/genai`, at Google's Gemini API or on Vertex AI; imported when the first request goes out. */
import type { GoogleGenAI } from "@google/genai"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Gemini from "../../../domain/provider/Gemini.ts"
import type * as GeminiStream from "../../../domain/provider/GeminiStream.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import { exchange } from "../transport/HttpStream.ts"
import * as GoogleToken from "./GoogleToken.ts"
import { kept } from "../transport/CaptureResponse.ts"

/** A client that sends with `fetch`, and how it calls a model. */
type Client = (endpoint: Endpoint, fetch: typeof globalThis.fetch) => Promise<GoogleGenAI>

const connect = (client: Client) => (endpoint: Endpoint): Connection => ({
  encode: Gemini.protocol.encode,
  send: (body, { model, request }) =>
    exchange({
      endpoint,
      protocol: Gemini.protocol,
      request,
      decode: (data) => first(JSON.parse(data) as GeminiStream.Event | ReadonlyArray<GeminiStream.Event>),
      post: (fetch, signal) =>
        kept(fetch, async (fetch) => {
          const { models } = await client(endpoint, fetch)
          // The body goes out as it was encoded: it stands in place of what the SDK would make of these contents.
          return models.generateContentStream({ model: model.id, contents: ".", config: { abortSignal: signal, httpOptions: { extraBody: record(body) } } })
        })
    })
})

const record = (body: Schema.Json): Record<string, unknown> => body as Record<string, unknown>

/** Without `alt=sse` the service gives a list; errors come as one, too. */
const first = (value: GeminiStream.Event | ReadonlyArray<GeminiStream.Event>): GeminiStream.Event =>
  Array.isArray(value) ? value[0] as GeminiStream.Event : value as GeminiStream.Event

/** A base URL may name a preview of the API; what is plain `v1` of other wires is the version that we write for. */
const address = ({ baseUrl }: Endpoint, version: string) => {
  const [, before = baseUrl, told = "v1"] = /^(.*?)\/+(v\d[a-z0-9]*)\/*$/.exec(baseUrl) ?? []
  return { baseUrl: before.replace(/\/+$/, ""), apiVersion: told === "v1" ? version : told }
}

/** Models at Google's Gemini API, by key. */
export const gemini = connect(async (endpoint, fetch) => {
  const { GoogleGenAI } = await import("@google/genai")
  return new GoogleGenAI({
    vertexai: false,
    apiKey: endpoint.key === undefined ? "none" : Redacted.value(endpoint.key),
    httpOptions: { ...address(endpoint, "v1beta"), fetch }
  })
})

/** Models on Vertex AI, with Google Cloud's credentials: the key that the SDK is told never goes out. */
export const vertex = (endpoint: Endpoint): Connection => {
  const credentials = GoogleToken.credentials(endpoint, [])
  return connect(async (endpoint, fetch) => {
    const { project, token } = await credentials()
    const { GoogleGenAI } = await import("@google/genai")
    return new GoogleGenAI({
      vertexai: true,
      project,
      location: GoogleToken.location(endpoint.variables),
      apiKey: "none",
      httpOptions: { ...address(endpoint, "v1"), fetch: GoogleToken.authorize(fetch, token) }
    })
  })(endpoint)
}
