/** An MCP server: a new one for each connection, over standard input and output, or over HTTP on a Unix socket or a local port. */
import {
  createMcpHandler,
  type EventStore,
  isInitializeRequest,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as HttpServer from "effect/http/HttpServer"
import { createServer } from "node:http"
import type { ListenOptions } from "node:net"
import { McpError } from "../../../domain/mcp/McpError.ts"
import { Ids } from "../../../services/Ids.ts"
import * as Secret from "../../network/Secret.ts"
import * as Gate from "../Gate.ts"

/** The server of one connection. */
export type Make = McpServerFactory

/** Over standard input and output, until the input ends. */
export const stdio = (make: Make): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const closeSignal = yield* Deferred.make<void>()
    const factory: Make = async (context) => {
      const server = await make(context)
      const inner = "server" in server ? server.server : server
      inner.onclose = () => Deferred.doneUnsafe(closeSignal, Effect.void)
      return server
    }
    yield* Effect.acquireRelease(Effect.sync(() => serveStdio(factory)), (handle) => Effect.ignore(Effect.tryPromise(() => handle.close())))
    yield* Deferred.await(closeSignal)
  }))

/** The path of the only endpoint. */
export const path = "/mcp"

/** Limits: concurrent connections, and buffered messages per stream for reconnecting clients. */
const limits = { sessions: 64, events: 200 }

/**
 * Over HTTP on 127.0.0.1, until the scope closes; `port` 0 picks a free one. Only requests with the token are served:
 * it belongs to this run, and other users of the machine do not have it.
 */
export const http = Effect.fn("Mcp.http")(function*(make: Make, port: number) {
  const token = yield* Secret.make
  const server = yield* listen({ port, host: "127.0.0.1" }, `port ${port}`)
  const boundPort = "port" in server.address ? server.address.port : port
  yield* serveRequests(server, make, Gate.make(token, Gate.loopback(boundPort)))
  return { url: `http://127.0.0.1:${boundPort}${path}`, token }
})

/** Over HTTP on a Unix socket, until the scope closes. Only this user can enter its folder. */
export const socket = Effect.fn("Mcp.socket")(function*(make: Make, file: string) {
  yield* serveRequests(yield* listen({ path: file }, file), make, () => Effect.succeed(undefined))
})

const listen = (options: ListenOptions, endpoint: string) =>
  NodeHttpServer.make(() => createServer(), options).pipe(
    Effect.mapError(({ cause }) =>
      new McpError({
        server: "dacapo",
        reason: "NotStarted",
        message: `can't be served on ${endpoint}: ${cause instanceof Error ? cause.message : String(cause)}`
      })
    )
  )

const serveRequests = Effect.fnUntraced(function*(server: HttpServer.HttpServer["Service"], make: Make, gate: Gate.Gate) {
  const ids = yield* Ids
  const modern = createMcpHandler(make, { legacy: "reject" })
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => modern.close())))
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  yield* Effect.addFinalizer(() =>
    Effect.forEach([...sessions.values()], (one) => Effect.ignore(Effect.tryPromise(() => one.close())), { concurrency: "unbounded" })
  )

  const openSession = (id: string) =>
    Effect.promise(async () => {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: makeEventStore(),
        retryInterval: 1_000,
        onsessionclosed: () => void sessions.delete(id)
      })
      const server = await make({ era: "legacy" })
      await server.connect(transport)
      const [oldest] = sessions.size >= limits.sessions ? sessions : []
      if (oldest !== undefined) {
        sessions.delete(oldest[0])
        await oldest[1].close()
      }
      sessions.set(id, transport)
      return transport
    })

  const handle = Effect.fnUntraced(function*(request: Request) {
    if (new URL(request.url).pathname !== path) return new Response("Not found: the endpoint is /mcp.\n", { status: 404 })
    if (!(yield* Effect.promise(() => isLegacyRequest(request)))) return yield* Effect.promise(() => modern.fetch(request))
    const sessionId = request.headers.get("mcp-session-id")
    const session = sessionId === null ? undefined : sessions.get(sessionId)
    if (session !== undefined) return yield* Effect.promise(() => session.handleRequest(request))
    if (sessionId !== null) return errorResponse(404, -32001, "Unknown session: initialize again.")
    const body = yield* Effect.promise(() => request.clone().json().catch(() => undefined))
    if (!isInitializeRequest(body)) return errorResponse(400, -32000, "A session must begin with initialize.")
    const transport = yield* openSession(yield* ids.seed)
    return yield* Effect.promise(() => transport.handleRequest(request))
  })

  yield* server.serve(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const refusal = yield* gate(request)
    return HttpServerResponse.fromWeb(refusal ?? (yield* handle(yield* HttpServerRequest.toWeb(request))))
  }))
})

const errorResponse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })

/** A stream's messages, for a client that lost it: only the newest ones. */
const makeEventStore = (): EventStore => {
  type StoredEvent = { readonly id: string; readonly stream: string; readonly message: Parameters<EventStore["storeEvent"]>[1] }
  let events: ReadonlyArray<StoredEvent> = []
  let count = 0
  return {
    storeEvent: async (stream, message) => {
      const id = `${++count}`
      events = [...events, { id, stream, message }].slice(-limits.events)
      return id
    },
    getStreamIdForEventId: async (id) => events.find((one) => one.id === id)?.stream,
    replayEventsAfter: async (last, { send }) => {
      const lastEvent = events.find(({ id }) => id === last)
      if (lastEvent === undefined) return ""
      for (const { id, message, stream } of events) if (stream === lastEvent.stream && Number(id) > Number(last)) await send(id, message)
      return lastEvent.stream
    }
  }
}
