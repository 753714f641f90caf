/**
 * The only route from a browser to the network: a proxy on loopback that connects where the guard has admitted a host,
 * and to the address that the guard judged. The browser resolves no names and opens no sockets of its own, so that
 * redirects, WebSockets and telemetry come through here too.
 */
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { WebError } from "../../domain/network/WebError.ts"
import * as Pinned from "../network/Pinned.ts"
import * as Secret from "../network/Secret.ts"

/**
 * - `isAdmitted`: whether the page asked for a URL and may reach it; the answer may take a moment.
 * - `onRefused` is called with what the guard blocked. `ports` are our own, which no page may reach.
 */
export interface Guard {
  readonly isHostAllowed: Pinned.IsHostAllowed
  readonly isAdmitted: (url: string) => Promise<boolean>
  readonly onRefused: (url: string, why: string) => void
  readonly ports: ReadonlySet<number>
}

/** The header that marks our own responses. */
export const refusal = "x-dacapo-refused"

/** ms within which a host must accept the connection. */
const connectTimeoutMs = 30_000

/** The proxy user name of our browser; the password is the proof. */
export const user = "dacapo"

/** Returns its port and the password it requires; ends with the scope, and every connection with it. */
export const open = Effect.fn("GuardProxy.open")(function*(guard: Guard, wires: Pinned.Wires) {
  const password = yield* Secret.make
  const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
  const isOurs = ({ headers }: IncomingMessage) => Secret.isSame(credentials, headers["proxy-authorization"] ?? "")
  const http = yield* Effect.promise(() => import("node:http"))
  const sockets = new Set<Socket>()
  const server = http.createServer({ maxHeaderSize: 64 * 1024 })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket)).on("error", () => {})
  })
  // Any user of this machine can reach this port: requests that are not from our browser get nothing.
  server.on(
    "request",
    (request: IncomingMessage, response: ServerResponse) =>
      isOurs(request) ? void forward(http, guard, wires, request, response) : void response.writeHead(407, challenge).end()
  )
  server.on(
    "connect",
    (request: IncomingMessage, socket: Socket, head: Buffer) =>
      isOurs(request) ? void tunnel(guard, wires, request.url ?? "", socket, head) : void socket.end(unauthorized)
  )
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        sockets.forEach((socket) => socket.destroy())
      })
  )
  return { port: (server.address() as AddressInfo).port, password }
})

const challenge = { "proxy-authenticate": "Basic realm=\"dacapo\"", "content-length": "0" }
const unauthorized = ["HTTP/1.1 407 Proxy Authentication Required", ...Object.entries(challenge).map((header) => header.join(": ")), "", ""]
  .join("\r\n")

/** Connects to where a URL may lead, or says why not. */
const connect = async (
  guard: Guard,
  wires: Pinned.Wires,
  url: string
): Promise<{ readonly target: Pinned.Target; readonly socket: Socket }> => {
  // What the page did not ask for is the browser's own traffic: it is not reported.
  if (!await guard.isAdmitted(url)) throw new WebError({ url, reason: "Refused", message: "" })
  const target = Pinned.checkUrl(url, guard.isHostAllowed)
  const address = await Pinned.address(target, guard.isHostAllowed, wires)
  if (guard.ports.has(target.port) && isLoopback(address)) throw Pinned.fail(url, "Refused", `Port ${target.port} is one of our own.`)
  return { target, socket: await wires.connect(address, target.port, AbortSignal.timeout(connectTimeoutMs)) }
}

const isLoopback = (address: string): boolean => /^(?:127\.|0\.|::1$|::$|::ffff:127\.)/.test(address)

/** Reports what was blocked, and returns the status for the browser. */
const statusOf = ({ onRefused }: Guard, url: string, cause: unknown): number => {
  if (!(cause instanceof WebError) || cause.reason === "Unreachable") return 502
  if (cause.message !== "") onRefused(url, cause.message)
  return 403
}

const forward = async (
  { request: send }: typeof import("node:http"),
  guard: Guard,
  wires: Pinned.Wires,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> => {
  const url = request.url ?? ""
  try {
    const { socket, target } = await connect(guard, wires, url)
    const { "proxy-authorization": _, "proxy-connection": __, ...headers } = request.headers
    const upstream = send({
      createConnection: () => socket,
      method: request.method,
      path: `${target.url.pathname}${target.url.search}`,
      headers: { ...headers, host: target.url.host, connection: "close" },
      setHost: false
    })
    response.once("close", () => socket.destroy())
    upstream.once("error", () => response.destroy())
    upstream.once("response", (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.once("error", () => response.destroy()).pipe(response)
    })
    request.pipe(upstream)
  } catch (cause) {
    response.writeHead(statusOf(guard, url, cause), { [refusal]: "1" }).end()
  }
}

/** A tunnel names no scheme: to port 80 it is an unencrypted WebSocket. */
const tunnel = async (guard: Guard, wires: Pinned.Wires, authority: string, socket: Socket, head: Buffer): Promise<void> => {
  const url = `${authority.endsWith(":80") ? "http" : "https"}://${authority}/`
  try {
    const { socket: upstream } = await connect(guard, wires, url)
    upstream.once("error", () => socket.destroy()).once("close", () => socket.destroy())
    socket.once("close", () => upstream.destroy())
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    upstream.write(head)
    upstream.pipe(socket).pipe(upstream)
  } catch (cause) {
    const status = statusOf(guard, url, cause)
    socket.end(`HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : "Bad Gateway"}\r\n\r\n`)
  }
}
