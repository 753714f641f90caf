/**
 * Model requests over `node:http`, in the shape of a fetch. Node's own costs 30 to 45 ms of processor time and 10 to 15 MiB before
 * its first request. What this one does not do (redirects, bodies other than text and bytes) it leaves to Node's.
 */
import type { ClientRequest, IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Readable } from "node:stream"
import { HeaderFields } from "./HeaderFields.ts"
import { HttpResponse } from "./HttpResponse.ts"

type Fetch = typeof globalThis.fetch

/** As long as Node's fetch waits for a connection. */
const connectTimeoutMs = 10_000

/** The client closed the connection, or the server did so without a word: Node reports a reset by the system in the same way. */
const closedCode = "ERR_STREAM_PREMATURE_CLOSE"

export const over = (fetch: Fetch): Fetch => async (input, init = {}) => {
  const { body = null, headers, method = "GET", redirect, signal } = init
  const url = typeof input === "string" ? URL.parse(input) : input instanceof URL ? input : null
  const isPlain = redirect === "manual" && (body === null || typeof body === "string" || body instanceof Uint8Array)
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return fetch(input, init)
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http")
  signal?.throwIfAborted()
  return new Promise<Response>((resolve, reject) => {
    const outgoing = request(url, { method, headers: Object.fromEntries(new HeaderFields(headers)), ...(signal ? { signal } : {}) })
    limitConnecting(outgoing)
    outgoing.once("error", (error) => reject(signal?.aborted === true ? signal.reason : named(error)))
    outgoing.once("response", (message) => {
      decoded(message).then((content) => resolve(new HttpResponse(message, content, url.href)), reject)
    })
    outgoing.end(body)
  })
}

/** A connection that takes too long fails; an open one may be silent. */
const limitConnecting = (outgoing: ClientRequest): void => {
  outgoing.once("socket", (socket: Socket) => {
    if (!socket.connecting) return
    socket.setTimeout(connectTimeoutMs)
    const onTimeout = () => outgoing.destroy(Object.assign(new Error("The connection timed out."), { code: "ETIMEDOUT" }))
    socket.once("timeout", onTimeout)
    socket.once("encrypted" in socket ? "secureConnect" : "connect", () => socket.setTimeout(0).off("timeout", onTimeout))
  })
}

/** `ECONNRESET` of no system call is Node's name for a connection that was closed. */
const named = (error: NodeJS.ErrnoException): Error =>
  error.code === "ECONNRESET" && error.syscall === undefined ? Object.assign(new Error("The connection was closed."), { code: closedCode })
    : error

/** The bytes of a message without its encoding. Nothing asks for one, but proxies may add it. */
const decoded = async (message: IncomingMessage): Promise<Readable> => {
  const encoding = message.headers["content-encoding"]?.toLowerCase() ?? ""
  if (!/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return message
  const { constants, createBrotliDecompress, createUnzip } = await import("node:zlib")
  const { pipeline } = await import("node:stream")
  const decoder = encoding === "br"
    ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH })
    : createUnzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH })
  pipeline(message, decoder, () => undefined)
  return decoder
}
