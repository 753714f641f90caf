/** Serving MCP: a server made anew for each connection, over standard input and output or over HTTP on this machine. */
import {
  createMcpHandler,
  type EventStore,
  hostHeaderValidationResponse,
  isInitializeRequest,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpServerFactory,
  originValidationResponse,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createServer } from "node:http"
import { McpError } from "../../../domain/mcp/McpError.ts"
import { Ids } from "../../../services/Ids.ts"

/** The server of one connection. */
export type Make = McpServerFactory

/** Over standard input and output, until the input ends. */
export const stdio = (make: Make): Effect.Effect<void> =>
  Effect.scoped(Effect.gen(function*() {
    const ended = yield* Deferred.make<void>()
    const watched: Make = async (context) => {
      const server = await make(context)
      const inner = "server" in server ? server.server : server
      inner.onclose = () => Deferred.doneUnsafe(ended, Effect.void)
      return server
    }
    yield* Effect.acquireRelease(Effect.sync(() => serveStdio(watched)), (handle) => Effect.ignore(Effect.tryPromise(() => handle.close())))
    yield* Deferred.await(ended)
  }))

/** The path of the one endpoint. */
export const path = "/mcp"

/** Connections that are held at once, and messages of one stream that are kept for who reconnects. */
const limits = { sessions: 64, kept: 200 }

/**
 * Over HTTP on 127.0.0.1, until the scope closes; `port` 0 takes a free one. Requests that name another host, or come from
 * another's page, are refused: a page whose name was bound to this machine reaches nothing.
 */
export const http = Effect.fn("Mcp.http")(function*(make: Make, port: number) {
  const ids = yield* Ids
  const modern = createMcpHandler(make, { legacy: "reject" })
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => modern.close())))
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  yield* Effect.addFinalizer(() => Effect.forEach([...sessions.values()], (one) => Effect.ignore(Effect.tryPromise(() => one.close())), { concurrency: "unbounded" }))

  const begin = (id: string) =>
    Effect.promise(async () => {
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => id,
        eventStore: remembered(),
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
    const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? originValidationResponse(request, localhostAllowedOrigins())
    if (refused !== undefined) return refused
    if (!(yield* Effect.promise(() => isLegacyRequest(request)))) return yield* Effect.promise(() => modern.fetch(request))
    const named = request.headers.get("mcp-session-id")
    const known = named === null ? undefined : sessions.get(named)
    if (known !== undefined) return yield* Effect.promise(() => known.handleRequest(request))
    if (named !== null) return answer(404, -32001, "There is no such session: initialize anew.")
    const body = yield* Effect.promise(() => request.clone().json().catch(() => undefined))
    if (!isInitializeRequest(body)) return answer(400, -32000, "A session begins with initialize.")
    const transport = yield* begin(yield* ids.seed)
    return yield* Effect.promise(() => transport.handleRequest(request))
  })

  const server = yield* NodeHttpServer.make(() => createServer(), { port, host: "127.0.0.1" }).pipe(
    Effect.mapError(({ cause }) => new McpError({ server: "dacapo", reason: "NotStarted", message: `can't be served on port ${port}: ${cause instanceof Error ? cause.message : String(cause)}` }))
  )
  yield* server.serve(Effect.gen(function*() {
    const request = yield* HttpServerRequest.toWeb(yield* HttpServerRequest.HttpServerRequest)
    return HttpServerResponse.fromWeb(yield* handle(request))
  }))
  return `http://127.0.0.1:${"port" in server.address ? server.address.port : port}${path}`
})

const answer = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status })

/** What a stream said, for a client that lost it: the newest messages alone. */
const remembered = (): EventStore => {
  type Said = { readonly id: string; readonly stream: string; readonly message: Parameters<EventStore["storeEvent"]>[1] }
  let said: ReadonlyArray<Said> = []
  let count = 0
  return {
    storeEvent: async (stream, message) => {
      const id = `${++count}`
      said = [...said, { id, stream, message }].slice(-limits.kept)
      return id
    },
    getStreamIdForEventId: async (id) => said.find((one) => one.id === id)?.stream,
    replayEventsAfter: async (last, { send }) => {
      const from = said.find(({ id }) => id === last)
      if (from === undefined) return ""
      for (const { id, message, stream } of said) if (stream === from.stream && Number(id) > Number(last)) await send(id, message)
      return from.stream
    }
  }
}
