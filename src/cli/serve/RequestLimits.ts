/** What a client may send: bounds that hold before anything of a request is read. */
import type { ServerOptions } from "node:http"
import type { RequestHead } from "../../layers/mcp/Gate.ts"

/** ms in which the head and the whole of a request must arrive, and how often that is checked. */
export const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  connectionsCheckingInterval: 5_000
} satisfies ServerOptions

export const maxConnections = 512

/** Bytes of an operation: a message with several images. */
const maxBody = 32 * 1024 * 1024

/** Undefined for a body of a stated, bearable size, or none. */
export const bodyRefusal = ({ headers, method }: RequestHead): Response | undefined => {
  if (method !== "POST") return undefined
  const length = headers["content-length"]
  return length === undefined ? refusal(411, "Content-Length is required.")
    : Number(length) > maxBody ? refusal(413, `A request may have at most ${maxBody} bytes.`) : undefined
}

/** The address of a request; a refusal if it is not valid, or names another server. */
export const parseUrl = (path: string, base: string): URL | Response => {
  try {
    if (path.startsWith("//")) return refusal(400, "The address is not valid.")
    const url = new URL(path, base)
    // Encoded parts of a path are decoded later, one by one.
    decodeURIComponent(url.pathname)
    return url
  } catch {
    return refusal(400, "The address is not valid.")
  }
}

/** The rest of the connection is not read. */
const refusal = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { "content-type": "text/plain", connection: "close" } })
