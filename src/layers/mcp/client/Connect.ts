/** One connection to a server, by the official SDK. Loaded when there is a server to connect to. */
import {
  Client,
  type ClientOptions,
  type FetchLike,
  SdkErrorCode,
  SdkError,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport as Wire,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import * as Effect from "effect/Effect"
import type { Definition, Transport } from "../../../domain/mcp/Definition.ts"
import { McpError, type McpReason } from "../../../domain/mcp/McpError.ts"
import { Fetch } from "../../../services/Fetch.ts"
import { withRealClock } from "../../../services/process/RealClock.ts"
import { WebError } from "../../../domain/network/WebError.ts"
import type * as Pinned from "../../network/Pinned.ts"
import * as PinnedFetch from "../../network/PinnedFetch.ts"
import { version } from "../../settings/version.ts"
import * as ProgramTransport from "./ProgramTransport.ts"
import * as StdioTransport from "./StdioTransport.ts"

/** `transport` is the definition's with its variables filled in; `changed` is called when lists change. */
export interface Options extends Omit<StdioTransport.ProcessOptions, "broken"> {
  readonly definition: Definition
  readonly transport: Transport
  readonly connectMs: number
  readonly capabilities: NonNullable<ClientOptions["capabilities"]>
  /** Sets the handlers for the server's own requests, before connecting. */
  readonly prepare: (client: Client) => void
  /** Whether a URL may lead to a private address, and how connections to it are made. */
  readonly named: Pinned.IsHostAllowed
  readonly wires: Pinned.Wires
  /** Adds a login to requests to a remote server. */
  readonly wrap?: (fetch: FetchLike) => FetchLike
  readonly changed: () => void
  readonly closed: () => void
}

export interface Connection {
  readonly client: Client
  /** The end of its standard error; empty for remote servers. */
  readonly stderrTail: () => string
}

/**
 * The older HTTP transport. A broken stream is reopened, but what should have been sent on it never arrives: a break
 * ends the connection, and a pending call fails at once.
 */
class OneStream extends SSEClientTransport {
  override async start(): Promise<void> {
    await super.start()
    const previousHandler = this.onerror
    this.onerror = (error) => {
      previousHandler?.(error)
      if (error instanceof SseError) void this.close()
    }
  }
}

/** Open until the scope closes: then nothing of it is left. */
export const open = Effect.fn("Mcp.connect")(function*(options: Options) {
  const { transport } = options
  const pinnedFetch = yield* PinnedFetch.make(yield* Fetch, options.named, options.wires)
  const fetch = options.wrap === undefined ? pinnedFetch : options.wrap(pinnedFetch)
  const attempt = (
    wire: Effect.Effect<Wire & { readonly stderrTail?: () => string }, never, import("effect/Scope").Scope>,
    mode: "auto" | "legacy"
  ) => Effect.flatMap(wire, (wire) => connect(options, wire, mode))
  if (transport._tag === "Stdio") {
    // Old servers crash on a request before `initialize`: they are contacted again with the older protocol.
    const wire = StdioTransport.wire(transport, { ...options, broken: options.closed })
    return yield* attempt(wire, "auto").pipe(Effect.catchIf(({ reason }) => reason === "Closed", () => attempt(wire, "legacy")))
  }
  if (transport._tag === "Program") return yield* attempt(ProgramTransport.wire(options.definition.name), "legacy")
  const url = new URL(transport.url)
  const headers = { requestInit: { headers: { ...transport.headers } } }
  const remote = (make: () => Wire) =>
    Effect.acquireRelease(Effect.sync(make), (wire) => Effect.ignore(Effect.tryPromise(() => wire.close())))
  const legacy = remote(() => new OneStream(url, { fetch, ...headers }))
  if (transport._tag === "Sse") return yield* attempt(legacy, "legacy")
  const modern = attempt(remote(() => new StreamableHTTPClientTransport(url, { fetch, ...headers })), "auto")
  return yield* transport.isTypeInferred ? modern.pipe(Effect.catchIf(({ reason }) =>
    reason === "Refused", () => attempt(legacy, "legacy")))
    : modern
}, withRealClock)

const connect = (options: Options, wire: Wire & { readonly stderrTail?: () => string }, mode: "auto" | "legacy") =>
  Effect.gen(function*() {
    const client = new Client({ name: "dacapo", version }, {
      capabilities: options.capabilities,
      versionNegotiation: { mode, probe: { timeoutMs: Math.min(probeMs, options.connectMs) } },
      listChanged: { tools: listChanged(options.changed), prompts: listChanged(options.changed), resources: listChanged(options.changed) }
    })
    const stderrTail = wire.stderrTail ?? (() => "")
    options.prepare(client)
    client.onclose = options.closed
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(Effect.tryPromise(() => client.close()), "1 second")))
    yield* Effect.tryPromise({
      try: (signal) => client.connect(wire, { signal, timeout: options.connectMs }),
      catch: (cause) => failure(options.definition.name, cause, stderrTail())
    }).pipe(Effect.timeoutOrElse({
      duration: options.connectMs,
      orElse: () =>
        Effect.fail(
          new McpError({
            server: options.definition.name,
            reason: "Timeout",
            message: withStderr(`did not respond within ${seconds(options.connectMs)}`, stderrTail())
          })
        )
    }))
    return { client, stderrTail } satisfies Connection as Connection
  })

/** A server that does not know the newer protocol may not respond at all. */
const probeMs = 3_000

const listChanged = (onChanged: () => void) => ({ autoRefresh: false, debounceMs: 0, onChanged: onChanged })

export const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

/** A failure as the reason that decides what follows, and a sentence; the SDK wraps the cause of a failed request. */
export const failure = (server: string, cause: unknown, stderrTail = ""): McpError => {
  if (cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed && cause.cause instanceof Error)
    return failure(server, cause.cause, stderrTail)
  const reason = reasonOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  return new McpError({
    server,
    reason,
    message: reason === "Unwanted" ? `is not connected: ${message}`
      : reason === "Closed" ? withStderr("ended", stderrTail)
      : reason === "Auth" ? `requires a login: run \`dacapo mcp auth ${server}\``
      : reason === "NotStarted" ? `can't be started: ${message}`
      : reason === "Timeout" ? withStderr("did not respond in time", stderrTail)
      : withStderr(`said: ${message}`, "")
  })
}

/** A server that crashes on the version request counts as ended. */
const closedCodes: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.ConnectionClosed,
  SdkErrorCode.NotConnected,
  SdkErrorCode.EraNegotiationFailed
])

const reasonOf = (cause: unknown): McpReason =>
  cause instanceof WebError ? "Unwanted"
    : cause instanceof UnauthorizedError || (cause instanceof SdkHttpError && cause.status === 401) ? "Auth"
    : cause instanceof SdkError && closedCodes.has(cause.code) ? "Closed"
    : cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout ? "Timeout"
    : cause instanceof Error && ("syscall" in cause || cause.cause instanceof Error && "code" in cause.cause) ? "NotStarted"
    : "Refused"

const withStderr = (message: string, stderrTail: string): string =>
  stderrTail.trim() === "" ? message : `${message}; end of its error output: ${stderrTail.trim()}`
