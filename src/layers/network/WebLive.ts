/**
 * GET behind the guard (Pinned): nothing is sent before URL, addresses and socket are judged; a redirect is a new
 * request in every respect.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage } from "node:http"
import { WebError } from "../../domain/network/WebError.ts"
import * as Address from "../../domain/network/Address.ts"
import { Environment } from "../../services/Environment.ts"
import { type PageRequest, type Page, Web } from "../../services/Web.ts"
import * as Body from "./Body.ts"
import { address, fail, checkUrl, type Target, type Wires, wires } from "./Pinned.ts"

export type { Wires } from "./Pinned.ts"

/** Limits: `maxBytes` of a body, `timeoutMs` for a complete page, number of redirects. */
export interface Limits {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly maxRedirects: number
}

const defaults: Limits = { maxBytes: 5 * 1024 * 1024, timeoutMs: 30_000, maxRedirects: 5 }

export const layerWith = (use: Wires, limits: Partial<Limits> = {}): Layer.Layer<Web, never, Environment> =>
  Layer.effect(
    Web,
    Effect.gen(function*() {
      const { version } = yield* Environment
      const all = { ...defaults, ...limits }
      const get = Effect.fn("Web.get")(function*(request: PageRequest) {
        return yield* Effect.tryPromise({
          try: (signal) => follow(request, use, all, `dacapo/${version}`, AbortSignal.any([signal, AbortSignal.timeout(all.timeoutMs)])),
          catch: (cause) => failure(request.url, cause)
        })
      })
      return Web.of({ get })
    })
  )

export const layer: Layer.Layer<Web, never, Environment> = layerWith(wires)

const failure = (url: string, cause: unknown): WebError => {
  if (cause instanceof WebError) return cause
  const { code, message, name } = cause as NodeJS.ErrnoException
  return name === "TimeoutError" || code === "ABORT_ERR"
    ? fail(url, "TimedOut", "The page did not load in time.")
    : fail(url, "Unreachable", code === "ENOTFOUND" ? "The host name does not exist." : message)
}

const follow = async (
  { isHostAllowed, url }: PageRequest,
  use: Wires,
  limits: Limits,
  agent: string,
  signal: AbortSignal
): Promise<Page> => {
  let at = url
  for (let hop = 0; hop <= limits.maxRedirects; hop++) {
    const target = checkUrl(at, isHostAllowed)
    const response = await send(target, await address(target, isHostAllowed, use), use, agent, signal)
    const next = location(response, target)
    if (next === undefined) return await page(target, response, limits)
    response.destroy()
    at = onSameHost(target, next, isHostAllowed)
  }
  throw fail(url, "Refused", `It redirects more than ${limits.maxRedirects} times.`)
}

/** One request on a separate socket; none of the user's data goes with it. */
const send = async (
  { host, port, url }: Target,
  address: string,
  { connect }: Wires,
  agent: string,
  signal: AbortSignal
): Promise<IncomingMessage> => {
  const [http, tls] = await Promise.all([import("node:http"), import("node:tls")])
  const plain = await connect(address, port, signal)
  const isName = !Address.isAddress(host)
  const socket = url.protocol === "https:" ? tls.connect({ socket: plain, host, ...(isName ? { servername: host } : {}) }) : plain
  return new Promise((resolve, reject) => {
    const headers = {
      host: url.host,
      "user-agent": agent,
      accept: "text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1",
      "accept-encoding": "gzip, br",
      connection: "close"
    }
    const request = http.request({
      createConnection: () => socket,
      method: "GET",
      path: `${url.pathname}${url.search}`,
      headers,
      signal,
      maxHeaderSize: 32 * 1024
    })
    request.once("response", resolve).once("error", reject).end()
    plain.once("error", reject)
  })
}

const location = ({ headers, statusCode = 0 }: IncomingMessage, { url }: Target): string | undefined => {
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return undefined
  return URL.canParse(headers.location, url.href) ? new URL(headers.location, url).href : headers.location
}

/** A redirect to another host needs its own decision: it is reported, not followed. An upgrade to TLS on the same host is followed. */
const onSameHost = (from: Target, next: string, isHostAllowed: PageRequest["isHostAllowed"]): string => {
  const destination = checkUrl(next, isHostAllowed)
  const isSameServer = destination.host === from.host && (destination.port === from.port || (from.port === 80 && destination.port === 443))
  if (!isSameServer) throw fail(next, "Elsewhere", `It redirects to ${next}, which is another host: fetch that URL if you need it.`)
  return next
}

const page = async (target: Target, response: IncomingMessage, { maxBytes }: Limits): Promise<Page> => {
  const url = target.url.href
  const { statusCode = 0 } = response
  const type = Body.typeOf(response.headers["content-type"])
  if (!Body.isText(type)) {
    response.destroy()
    throw fail(url, "Kind", `It is of type ${type}, which can't be read as text.`)
  }
  const { isTruncated, text } = await Body.read(response, maxBytes)
  if (text === undefined) throw fail(url, "Kind", `It claims to be ${type}, but contains bytes that are not text.`)
  if (statusCode >= 400) throw fail(url, "Status", `The server responded with status ${statusCode}.`)
  return { url, type, text, isTruncated }
}
