/**
 * Amazon Bedrock through `@aws-sdk/client-bedrock-runtime`, which is imported with the first request. It finds
 * the credentials and signs; requests and responses go through our own fetch.
 */
import type { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime"
import * as Redacted from "effect/Redacted"
import { optional } from "../../../domain/Optional.ts"
import * as AnthropicMessages from "../../../domain/provider/AnthropicMessages.ts"
import * as BedrockConverse from "../../../domain/provider/BedrockConverse.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Connection, Endpoint } from "../../../services/Route.ts"
import * as Amazon from "../clouds/Amazon.ts"
import { httpStream } from "../transport/HttpStream.ts"
import { awsEventStream } from "../transport/Framing.ts"
import { captureResponse } from "../transport/CaptureResponse.ts"

/** Models of many vendors, over Converse. */
export const converse = (endpoint: Endpoint): Connection => ({
  encode: BedrockConverse.protocol.encode,
  send: (body, { model, request }) =>
    httpStream({
      endpoint,
      protocol: BedrockConverse.protocol,
      request,
      framing: awsEventStream,
      decode: (data) => JSON.parse(data) as unknown,
      post: (fetch, signal) =>
        withClient(endpoint, fetch, async (client) => {
          const { ConverseStreamCommand } = await sdk()
          // The body is sent as it was encoded, not as the SDK would serialize it.
          client.middlewareStack.add((next) => (args) => {
            Object.assign(args.request as object, { body: JSON.stringify(body) })
            return next(args)
          }, { step: "build", priority: "high" })
          return client.send(new ConverseStreamCommand({ modelId: model.id, messages: [] }), { abortSignal: signal })
        })
    })
})

/** Claude in Anthropic's own wire, each event wrapped in a frame. */
export const messages = (endpoint: Endpoint): Connection => ({
  encode: AnthropicMessages.bedrockProtocol.encode,
  send: (body, { model, request }) =>
    httpStream({
      endpoint,
      protocol: AnthropicMessages.bedrockProtocol,
      request,
      framing: awsEventStream,
      decode: AnthropicMessages.decodeBedrockEvent,
      post: (fetch, signal) =>
        withClient(endpoint, fetch, async (client) => {
          const { InvokeModelWithResponseStreamCommand } = await sdk()
          const command = new InvokeModelWithResponseStreamCommand({
            modelId: model.id,
            body: JSON.stringify(body),
            contentType: "application/json",
            accept: "application/json"
          })
          return client.send(command, { abortSignal: signal })
        })
    })
})

const sdk = () => import("@aws-sdk/client-bedrock-runtime")

/** Sends with the SDK, and returns the response with its body unread. */
const withClient = (
  endpoint: Endpoint,
  fetch: typeof globalThis.fetch,
  send: (client: BedrockRuntimeClient) => Promise<unknown>
): Promise<Response> =>
  captureResponse(fetch, async (fetch) => {
    const { BedrockRuntimeClient } = await sdk()
    const client = new BedrockRuntimeClient({
      region: Amazon.region(endpoint.variables),
      endpoint: endpoint.baseUrl.replace(/\/+(?:v1\/*)?$/, ""),
      maxAttempts: 1,
      ...credentials(endpoint),
      requestHandler: {
        handle: (request: SdkRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) => handle(fetch, request, abortSignal)
      }
    })
    // Before signing: later additions would invalidate the signature.
    client.middlewareStack.add((next) => (args) => {
      addTo(args.request as SdkRequest, endpoint)
      return next(args)
    }, { step: "build", priority: "low" })
    return send(client).catch((error: unknown) => {
      throw error instanceof Error && /credential|token.*(?:provid|expired)|profile/i.test(`${error.name} ${error.message}`)
        ? noCredentials(endpoint, error) : error
    })
  })

/** A Bedrock API key, or account credentials; without either, the SDK looks in its usual places. */
const credentials = ({ key, variables: { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } }: Endpoint) =>
  key !== undefined
    ? { token: { token: Redacted.value(key) }, authSchemePreference: ["httpBearerAuth"] }
    : AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
    ? {
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {})
      }
    }
    : AWS_PROFILE ? { profile: AWS_PROFILE } : {}

/** A request as the SDK passes it to handlers. */
interface SdkRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const addressOf = ({ hostname, path, port, protocol, query = {} }: SdkRequest): URL => {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

const addTo = (request: SdkRequest, { decorate }: Endpoint): void => {
  const { body } = request
  const outgoing = decorate({
    url: addressOf(request),
    headers: new Headers(request.headers),
    body: body instanceof Uint8Array ? new TextDecoder().decode(body) : body as string
  })
  if (outgoing.headers.has("content-length")) outgoing.headers.set("content-length", `${Buffer.byteLength(outgoing.body as string)}`)
  Object.assign(request, {
    query: Object.fromEntries(outgoing.url.searchParams),
    headers: Object.fromEntries(outgoing.headers),
    body: outgoing.body
  })
}

const handle = async (fetch: typeof globalThis.fetch, request: SdkRequest, signal: AbortSignal | undefined) => {
  const { body, headers: { "content-length": _, host: __, ...rest }, method } = request
  const response = await fetch(addressOf(request), {
    method,
    headers: rest,
    body: body as string | Uint8Array<ArrayBuffer>,
    ...optional({ signal })
  })
  return {
    response: {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer())
    }
  }
}

const noCredentials = ({ provider }: Endpoint, { message }: Error) =>
  new ProviderError({
    provider,
    reason: { _tag: "Auth" },
    message: `No credentials for ${provider}. Set ${
      Amazon.keys[0]
    }, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE. (${message})`
  })
