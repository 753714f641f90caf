/** A fetch whose every connection is made by the guard (Pinned), including redirects and discovered addresses. */
import * as Effect from "effect/Effect"
import type { Socket } from "node:net"
import { WebError } from "../../domain/network/WebError.ts"
import * as Address from "../../domain/network/Address.ts"
import * as HttpAgent from "./HttpAgent.ts"
import * as Pinned from "./Pinned.ts"

type Fetch = typeof globalThis.fetch

/** ms within which a host must accept the connection. */
const connectTimeoutMs = 30_000

/** Open until the scope closes. If the guard refuses, the promise is rejected with its `WebError`. */
export const make = Effect.fn("PinnedFetch.make")(function*(fetch: Fetch, isHostAllowed: Pinned.IsHostAllowed, wires: Pinned.Wires) {
  const connect: HttpAgent.Options["connect"] = ({ host, protocol }, onConnected) =>
    void open(`${protocol}//${host}/`, isHostAllowed, wires).then(
      (socket) => onConnected(null, socket),
      (cause: Error) => onConnected(cause, null)
    )
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const Agent = HttpAgent.current()
      return Agent === undefined ? undefined : new Agent({ headersTimeout: 0, bodyTimeout: 0, connect })
    }),
    (agent) => Effect.promise(async () => agent?.destroy())
  )
  const pinnedFetch: Fetch = async (input, init) => {
    // Without connections of our own nothing would be judged: nothing is sent.
    if (agent === undefined) throw new TypeError("This version of Node does not let a program control the connections of fetch.")
    try {
      return await fetch(input, { ...init, dispatcher: agent })
    } catch (cause) {
      throw cause instanceof Error && cause.cause instanceof WebError ? cause.cause : cause
    }
  }
  return pinnedFetch
})

const open = async (url: string, isHostAllowed: Pinned.IsHostAllowed, wires: Pinned.Wires): Promise<Socket> => {
  const target = Pinned.checkUrl(url, isHostAllowed)
  const plain = await wires.connect(await Pinned.address(target, isHostAllowed, wires), target.port, AbortSignal.timeout(connectTimeoutMs))
  if (target.url.protocol === "http:") return plain
  const tls = await import("node:tls")
  const socket = tls.connect({
    socket: plain,
    host: target.host,
    ALPNProtocols: ["http/1.1"],
    ...(Address.isAddress(target.host) ? {} : { servername: target.host })
  })
  return new Promise((resolve, reject) => void socket.once("secureConnect", () => resolve(socket)).once("error", reject))
}
