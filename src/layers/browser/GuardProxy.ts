/**
 * The one way from a browser to the network: a proxy on loopback that connects where the guard has admitted a place, and to the address
 * that the guard judged. A browser resolves no names and opens no sockets of its own, so that redirects, WebSockets and what it would
 * like to tell its maker come through here too.
 */
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { WebError } from "../../domain/network/WebError.ts"
import * as Pinned from "../network/Pinned.ts"

/**
 * - `admitted`: whether the page asked for a URL and may reach it; it may take a moment until that is known.
 * - `refused` is told what the guard stopped. `ports` are those of our own, where no page gets.
 */
export interface Guard {
  readonly named: Pinned.Named
  readonly admitted: (url: string) => Promise<boolean>
  readonly refused: (url: string, why: string) => void
  readonly ports: ReadonlySet<number>
}

/** The header by which an answer of ours is known. */
export const refusal = "x-dacapo-refused"

/** ms until a place must have answered the connection. */
const patience = 30_000

/** Gives its address; ends with the scope, and every connection with it. */
export const open = Effect.fn("GuardProxy.open")(function*(guard: Guard, wires: Pinned.Wires) {
  const http = yield* Effect.promise(() => import("node:http"))
  const sockets = new Set<Socket>()
  const server = http.createServer({ maxHeaderSize: 64 * 1024 })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket)).on("error", () => {})
  })
  server.on("request", (request: IncomingMessage, response: ServerResponse) => void forward(http, guard, wires, request, response))
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => void tunnel(guard, wires, request.url ?? "", socket, head))
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        sockets.forEach((socket) => socket.destroy())
      })
  )
  return { port: (server.address() as AddressInfo).port }
})

/** Connects to where a URL may lead, or says why it does not. */
const connect = async (guard: Guard, wires: Pinned.Wires, url: string): Promise<{ readonly target: Pinned.Target; readonly socket: Socket }> => {
  // What nobody asked for in the page is the browser's own: it is not told.
  if (!await guard.admitted(url)) throw new WebError({ url, reason: "Refused", message: "" })
  const target = Pinned.judged(url, guard.named)
  const address = await Pinned.address(target, guard.named, wires)
  if (guard.ports.has(target.port) && isLoopback(address)) throw Pinned.fail(url, "Refused", `Port ${target.port} is one of our own.`)
  return { target, socket: await wires.connect(address, target.port, AbortSignal.timeout(patience)) }
}

const isLoopback = (address: string): boolean => /^(?:127\.|0\.|::1$|::$|::ffff:127\.)/.test(address)

/** Tells what was stopped, and gives the status that the browser is answered with. */
const answer = ({ refused }: Guard, url: string, cause: unknown): number => {
  if (!(cause instanceof WebError) || cause.reason === "Unreachable") return 502
  if (cause.message !== "") refused(url, cause.message)
  return 403
}

const forward = async ({ request: send }: typeof import("node:http"), guard: Guard, wires: Pinned.Wires, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = request.url ?? ""
  try {
    const { socket, target } = await connect(guard, wires, url)
    const { "proxy-authorization": _, "proxy-connection": __, ...headers } = request.headers
    const sent = send({
      createConnection: () => socket,
      method: request.method,
      path: `${target.url.pathname}${target.url.search}`,
      headers: { ...headers, host: target.url.host, connection: "close" },
      setHost: false
    })
    response.once("close", () => socket.destroy())
    sent.once("error", () => response.destroy())
    sent.once("response", (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.once("error", () => response.destroy()).pipe(response)
    })
    request.pipe(sent)
  } catch (cause) {
    response.writeHead(answer(guard, url, cause), { [refusal]: "1" }).end()
  }
}

/** A tunnel names no scheme: to port 80 it is a WebSocket without encryption. */
const tunnel = async (guard: Guard, wires: Pinned.Wires, place: string, socket: Socket, head: Buffer): Promise<void> => {
  const url = `${place.endsWith(":80") ? "http" : "https"}://${place}/`
  try {
    const { socket: far } = await connect(guard, wires, url)
    far.once("error", () => socket.destroy()).once("close", () => socket.destroy())
    socket.once("close", () => far.destroy())
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    far.write(head)
    far.pipe(socket).pipe(far)
  } catch (cause) {
    const status = answer(guard, url, cause)
    socket.end(`HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : "Bad Gateway"}\r\n\r\n`)
  }
}
