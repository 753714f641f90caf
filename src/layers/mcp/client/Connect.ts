/** One connection to a server, by the official SDK. Loaded when a server is there to be connected to. */
import { Client, type ClientOptions, type FetchLike, SdkErrorCode, SdkError, SdkHttpError, SSEClientTransport, SseError, StreamableHTTPClientTransport, type Transport as Wire, UnauthorizedError } from "@modelcontextprotocol/client"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Definition, Transport } from "../../../domain/mcp/Definition.ts"
import { McpError, type McpReason } from "../../../domain/mcp/McpError.ts"
import { Fetch } from "../../../services/Fetch.ts"
import { version } from "../../settings/version.ts"
import * as Stdio from "./StdioTransport.ts"

/** `transport` is the definition's with its variables filled in; `changed` is told of lists that are not as they were. */
export interface Options extends Omit<Stdio.Surroundings, "broken"> {
  readonly definition: Definition
  readonly transport: Transport
  readonly connectMs: number
  readonly capabilities: NonNullable<ClientOptions["capabilities"]>
  /** Sets what answers the server's own requests, before it is connected to. */
  readonly prepare: (client: Client) => void
  /** Puts a login on requests to a remote server. */
  readonly wrap?: (fetch: FetchLike) => FetchLike
  readonly changed: () => void
  readonly closed: () => void
}

export interface Connection {
  readonly client: Client
  /** The last that it said on its standard error; empty for remote ones. */
  readonly words: () => string
}

/**
 * The older way over HTTP. Its stream is opened anew when it breaks, but what was to be said on it never comes: a break is the end of
 * the connection, and a call that waits fails at once.
 */
class OneStream extends SSEClientTransport {
  override async start(): Promise<void> {
    await super.start()
    const told = this.onerror
    this.onerror = (error) => {
      told?.(error)
      if (error instanceof SseError) void this.close()
    }
  }
}

/** Open until the scope closes: then nothing of it is left. */
export const open = Effect.fn("Mcp.connect")(function*(options: Options) {
  const { transport } = options
  const plain = yield* Fetch
  const fetch = options.wrap === undefined ? plain : options.wrap(plain)
  const headers = transport._tag === "Stdio" ? {} : { requestInit: { headers: { ...transport.headers } } }
  const attempt = (wire: Effect.Effect<Wire & { readonly words?: () => string }, never, import("effect/Scope").Scope>, mode: "auto" | "legacy") =>
    Effect.flatMap(wire, (wire) => connect(options, wire, mode))
  if (transport._tag === "Stdio") {
    // Old servers die of a question before `initialize`: they are asked again in the way that they know.
    const wire = Stdio.wire(transport, { ...options, broken: options.closed })
    return yield* attempt(wire, "auto").pipe(Effect.catchIf(({ reason }) => reason === "Closed", () => attempt(wire, "legacy")))
  }
  const url = new URL(transport.url)
  const remote = (make: () => Wire) => Effect.acquireRelease(Effect.sync(make), (wire) => Effect.ignore(Effect.tryPromise(() => wire.close())))
  const older = remote(() => new OneStream(url, { fetch, ...headers }))
  if (transport._tag === "Sse") return yield* attempt(older, "legacy")
  const newer = attempt(remote(() => new StreamableHTTPClientTransport(url, { fetch, ...headers })), "auto")
  return yield* transport.guessed ? newer.pipe(Effect.catchIf(({ reason }) => reason === "Refused", () => attempt(older, "legacy"))) : newer
}, Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))

const connect = (options: Options, wire: Wire & { readonly words?: () => string }, mode: "auto" | "legacy") =>
  Effect.gen(function*() {
    const client = new Client({ name: "dacapo", version }, {
      capabilities: options.capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, options.connectMs) } },
      listChanged: { tools: changes(options.changed), prompts: changes(options.changed), resources: changes(options.changed) }
    })
    const words = wire.words ?? (() => "")
    options.prepare(client)
    client.onclose = options.closed
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(Effect.tryPromise(() => client.close()), "1 second")))
    yield* Effect.tryPromise({
      try: (signal) => client.connect(wire, { signal, timeout: options.connectMs }),
      catch: (cause) => failure(options.definition.name, cause, words())
    }).pipe(Effect.timeoutOrElse({
      duration: options.connectMs,
      orElse: () => Effect.fail(new McpError({ server: options.definition.name, reason: "Timeout", message: said(`did not answer within ${seconds(options.connectMs)}`, words()) }))
    }))
    return { client, words } satisfies Connection as Connection
  })

/** A server that does not know the newer way may say nothing at all. */
const probeMs = 3_000

const changes = (changed: () => void) => ({ autoRefresh: false, debounceMs: 0, onChanged: changed })

export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** What went wrong, as the reason that decides what follows, and a sentence; the SDK wraps what a request failed of. */
export const failure = (server: string, cause: unknown, words = ""): McpError => {
  if (cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed && cause.cause instanceof Error) return failure(server, cause.cause, words)
  const reason = reasonOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  return new McpError({
    server,
    reason,
    message: reason === "Closed" ? said("ended", words)
      : reason === "Auth" ? `wants to know who you are: \`dacapo mcp auth ${server}\` logs in`
      : reason === "NotStarted" ? `can't be started: ${message}`
      : reason === "Timeout" ? said("did not answer in time", words)
      : said(`said: ${message}`, "")
  })
}

/** A server that did not survive being asked what it speaks is one that ended. */
const closing: ReadonlySet<SdkErrorCode> = new Set([SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.EraNegotiationFailed])

const reasonOf = (cause: unknown): McpReason =>
  cause instanceof UnauthorizedError || (cause instanceof SdkHttpError && cause.status === 401) ? "Auth"
  : cause instanceof SdkError && closing.has(cause.code) ? "Closed"
  : cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout ? "Timeout"
  : cause instanceof Error && ("syscall" in cause || cause.cause instanceof Error && "code" in cause.cause) ? "NotStarted"
  : "Refused"

const said = (what: string, words: string): string => words.trim() === "" ? what : `${what}; its last words: ${words.trim()}`
