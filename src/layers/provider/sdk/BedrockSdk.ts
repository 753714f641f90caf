/**
 * Amazon Bedrock through `@aws-sdk/client-bedrock-runtime`, which is imported when the first request goes out. It finds
 * the credentials and signs; what is sent and what comes back goes through the fetch that is given.
 */
import type { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime"
import * as Redacted from "effect/Redacted"
import * as AnthropicBedrock from "../../../domain/provider/AnthropicBedrock.ts"
import * as BedrockConverse from "../../../domain/provider/BedrockConverse.ts"
import type * as BedrockStream from "../../../domain/provider/BedrockStream.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Connection, Endpoint, Place, Variables } from "../../../services/Route.ts"
import { exchange } from "../transport/HttpStream.ts"
import { eventStream } from "../transport/Framing.ts"
import { kept } from "../transport/CaptureResponse.ts"

export const keys = ["AWS_BEARER_TOKEN_BEDROCK"]

const region = ({ AWS_DEFAULT_REGION, AWS_REGION }: Variables): string => AWS_REGION || AWS_DEFAULT_REGION || "us-east-1"

export const place: Place = {
  keys: ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_REGION", "AWS_DEFAULT_REGION"],
  address: (variables) => variables.AWS_ENDPOINT_URL_BEDROCK_RUNTIME || `https://bedrock-runtime.${region(variables)}.amazonaws.com`
}

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `claude-sonnet-4-5-20250929` where it comes from. */
export const claude = (id: string): string => id.replace(/^.*anthropic\./, "").replace(/-v\d+(?::\d+)?$/, "")

/** Models of many makers, over Converse. */
export const converse = (endpoint: Endpoint): Connection => ({
  encode: BedrockConverse.protocol.encode,
  send: (body, { model, request }) =>
    exchange({
      endpoint,
      protocol: BedrockConverse.protocol,
      request,
      framing: eventStream,
      decode: (data) => JSON.parse(data) as BedrockStream.Event,
      post: (fetch, signal) =>
        ask(endpoint, fetch, async (client) => {
          const { ConverseStreamCommand } = await sdk()
          // The body goes out as it was encoded, not as the SDK would write it.
          client.middlewareStack.add((next) => (args) => {
            Object.assign(args.request as object, { body: JSON.stringify(body) })
            return next(args)
          }, { step: "build", priority: "high" })
          return client.send(new ConverseStreamCommand({ modelId: model.id, messages: [] }), { abortSignal: signal })
        })
    })
})

/** Claude in its maker's own wire, each event of which comes wrapped in a frame. */
export const messages = (endpoint: Endpoint): Connection => ({
  encode: AnthropicBedrock.protocol.encode,
  send: (body, { model, request }) =>
    exchange({
      endpoint,
      protocol: AnthropicBedrock.protocol,
      request,
      framing: eventStream,
      decode: AnthropicBedrock.decode,
      post: (fetch, signal) =>
        ask(endpoint, fetch, async (client) => {
          const { InvokeModelWithResponseStreamCommand } = await sdk()
          const command = new InvokeModelWithResponseStreamCommand({ modelId: model.id, body: JSON.stringify(body), contentType: "application/json", accept: "application/json" })
          return client.send(command, { abortSignal: signal })
        })
    })
})

const sdk = () => import("@aws-sdk/client-bedrock-runtime")

/** Lets the SDK ask, and gives the response with its body unread. */
const ask = (endpoint: Endpoint, fetch: typeof globalThis.fetch, send: (client: BedrockRuntimeClient) => Promise<unknown>): Promise<Response> =>
  kept(fetch, async (fetch) => {
    const { BedrockRuntimeClient } = await sdk()
    const client = new BedrockRuntimeClient({
      region: region(endpoint.variables),
      endpoint: endpoint.baseUrl.replace(/\/+(?:v1\/*)?$/, ""),
      maxAttempts: 1,
      ...credentials(endpoint),
      requestHandler: { handle: (request: Request_, { abortSignal }: { abortSignal?: AbortSignal } = {}) => handle(fetch, request, abortSignal) }
    })
    // Before it is signed: what is added later would make the signature wrong.
    client.middlewareStack.add((next) => (args) => {
      addTo(args.request as Request_, endpoint)
      return next(args)
    }, { step: "build", priority: "low" })
    return send(client).catch((error: unknown) => {
      throw error instanceof Error && /credential|token.*(?:provid|expired)|profile/i.test(`${error.name} ${error.message}`) ? noCredentials(endpoint, error) : error
    })
  })

/** A key of Bedrock's own, or an account's; where neither is told, the SDK looks in its usual places. */
const credentials = ({ key, variables: { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } }: Endpoint) =>
  key !== undefined
    ? { token: { token: Redacted.value(key) }, authSchemePreference: ["httpBearerAuth"] }
    : AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY
    ? { credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY, ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}) } }
    : AWS_PROFILE ? { profile: AWS_PROFILE } : {}

/** A request as the SDK's handlers get it. */
interface Request_ {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly query?: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const addressOf = ({ hostname, path, port, protocol, query = {} }: Request_): URL => {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  return url
}

const addTo = (request: Request_, { added }: Endpoint): void => {
  const { body } = request
  const made = added({
    url: addressOf(request),
    headers: new Headers(request.headers),
    body: body instanceof Uint8Array ? new TextDecoder().decode(body) : body as string
  })
  if (made.headers.has("content-length")) made.headers.set("content-length", `${Buffer.byteLength(made.body as string)}`)
  Object.assign(request, { query: Object.fromEntries(made.url.searchParams), headers: Object.fromEntries(made.headers), body: made.body })
}

const handle = async (fetch: typeof globalThis.fetch, request: Request_, signal: AbortSignal | undefined) => {
  const { body, headers: { "content-length": _, host: __, ...rest }, method } = request
  const response = await fetch(addressOf(request), {
    method,
    headers: rest,
    body: body as string | Uint8Array<ArrayBuffer>,
    ...(signal === undefined ? {} : { signal })
  })
  return { response: { statusCode: response.status, headers: Object.fromEntries(response.headers), body: new Uint8Array(await response.arrayBuffer()) } }
}

const noCredentials = ({ provider }: Endpoint, { message }: Error) =>
  new ProviderError({
    provider,
    reason: { _tag: "Auth" },
    message: `There are no credentials for ${provider}: set ${keys[0]}, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE in the environment. (${message})`
  })
