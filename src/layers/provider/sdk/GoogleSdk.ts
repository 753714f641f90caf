/** Gemini through `@google/genai`, at Google's Gemini API or on Vertex AI; imported with the first request. */
import type { GoogleGenAI } from "@google/genai"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import * as Gemini from "../../../domain/provider/Gemini.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import * as Google from "../clouds/Google.ts"
import { httpStream } from "../transport/HttpStream.ts"
import * as GoogleToken from "./GoogleToken.ts"
import { captureResponse } from "../transport/CaptureResponse.ts"

/** Creates a client that sends with `fetch`. */
type Client = (endpoint: Endpoint, fetch: typeof globalThis.fetch) => Promise<GoogleGenAI>

const connect = (client: Client) => (endpoint: Endpoint): Connection => ({
  encode: Gemini.protocol.encode,
  send: (body, { model, request }) =>
    httpStream({
      endpoint,
      protocol: Gemini.protocol,
      request,
      decode: (data) => first(JSON.parse(data)),
      post: (fetch, signal) =>
        captureResponse(fetch, async (fetch) => {
          const { models } = await client(endpoint, fetch)
          // The encoded body is sent as it is: it replaces what the SDK would make of these contents.
          return models.generateContentStream({
            model: model.id,
            contents: ".",
            config: { abortSignal: signal, httpOptions: { extraBody: record(body) } }
          })
        })
    })
})

const record = (body: Schema.Json): Record<string, unknown> => body as Record<string, unknown>

/** Without `alt=sse` the service returns a list; errors also arrive as one. */
const first = (value: unknown): unknown => Array.isArray(value) ? value[0] : value

/** A base URL may name a preview version of the API. A plain `v1`, as in other wires' URLs, means the version that we encode for. */
const address = ({ baseUrl }: Endpoint, version: string) => {
  const [, host = baseUrl, urlVersion = "v1"] = /^(.*?)\/+(v\d[a-z0-9]*)\/*$/.exec(baseUrl) ?? []
  return { baseUrl: host.replace(/\/+$/, ""), apiVersion: urlVersion === "v1" ? version : urlVersion }
}

/** Models at Google's Gemini API, with an API key. */
export const gemini = connect(async (endpoint, fetch) => {
  const { GoogleGenAI } = await import("@google/genai")
  return new GoogleGenAI({
    vertexai: false,
    apiKey: endpoint.key === undefined ? "none" : Redacted.value(endpoint.key),
    httpOptions: { ...address(endpoint, "v1beta"), fetch }
  })
})

/** Models on Vertex AI, with Google Cloud credentials: the placeholder key that the SDK requires is never sent. */
export const vertex = (endpoint: Endpoint): Connection => {
  const credentials = GoogleToken.credentials(endpoint, [])
  return connect(async (endpoint, fetch) => {
    const { project, token } = await credentials()
    const { GoogleGenAI } = await import("@google/genai")
    return new GoogleGenAI({
      vertexai: true,
      project,
      location: Google.location(endpoint.variables),
      apiKey: "none",
      httpOptions: { ...address(endpoint, "v1"), fetch: GoogleToken.withToken(fetch, token) }
    })
  })(endpoint)
}
