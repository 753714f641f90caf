/** GET behind the guard (Pinned): nothing is sent before URL, addresses and socket are judged; a redirect is a new request in all of that. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { IncomingMessage } from "node:http"
import { WebError } from "../../domain/network/WebError.ts"
import * as Address from "../../domain/network/Address.ts"
import { Environment } from "../../services/Environment.ts"
import { type Asked, type Page, Web } from "../../services/Web.ts"
import * as Body from "./Body.ts"
import { address, fail, judged, type Target, type Wires, wires } from "./Pinned.ts"

export type { Wires } from "./Pinned.ts"

/** `bytes` of a body, `ms` for all of one page, hops of redirects. */
export interface Limits {
  readonly bytes: number
  readonly ms: number
  readonly redirects: number
}

const usual: Limits = { bytes: 5 * 1024 * 1024, ms: 30_000, redirects: 5 }

export const layerWith = (use: Wires, limits: Partial<Limits> = {}): Layer.Layer<Web, never, Environment> =>
  Layer.effect(Web, Effect.gen(function*() {
    const { version } = yield* Environment
    const all = { ...usual, ...limits }
    const get = Effect.fn("Web.get")(function*(asked: Asked) {
      return yield* Effect.tryPromise({
        try: (signal) => follow(asked, use, all, `dacapo/${version}`, AbortSignal.any([signal, AbortSignal.timeout(all.ms)])),
        catch: (cause) => failure(asked.url, cause)
      })
    })
    return Web.of({ get })
  }))

export const layer: Layer.Layer<Web, never, Environment> = layerWith(wires)

const failure = (url: string, cause: unknown): WebError => {
  if (cause instanceof WebError) return cause
  const { code, message, name } = cause as NodeJS.ErrnoException
  return name === "TimeoutError" || code === "ABORT_ERR"
    ? fail(url, "TimedOut", "The page did not come in time.")
    : fail(url, "Unreachable", code === "ENOTFOUND" ? "There is no host of this name." : message)
}

const follow = async ({ named, url }: Asked, use: Wires, limits: Limits, agent: string, signal: AbortSignal): Promise<Page> => {
  let at = url
  for (let hop = 0; hop <= limits.redirects; hop++) {
    const target = judged(at, named)
    const response = await send(target, await address(target, named, use), use, agent, signal)
    const next = location(response, target)
    if (next === undefined) return await page(target, response, limits)
    response.destroy()
    at = onSameHost(target, next, named)
  }
  throw fail(url, "Refused", `It redirects more than ${limits.redirects} times.`)
}

/** One request on a socket of its own; nothing of the user's goes with it. */
const send = async ({ host, port, url }: Target, address: string, { connect }: Wires, agent: string, signal: AbortSignal): Promise<IncomingMessage> => {
  const [http, tls] = await Promise.all([import("node:http"), import("node:tls")])
  const plain = await connect(address, port, signal)
  const isName = !Address.isAddress(host)
  const socket = url.protocol === "https:" ? tls.connect({ socket: plain, host, ...(isName ? { servername: host } : {}) }) : plain
  return new Promise((resolve, reject) => {
    const headers = { host: url.host, "user-agent": agent, accept: "text/html, text/*, application/json, application/xml;q=0.9, */*;q=0.1", "accept-encoding": "gzip, br", connection: "close" }
    const request = http.request({ createConnection: () => socket, method: "GET", path: `${url.pathname}${url.search}`, headers, signal, maxHeaderSize: 32 * 1024 })
    request.once("response", resolve).once("error", reject).end()
    plain.once("error", reject)
  })
}

const location = ({ headers, statusCode = 0 }: IncomingMessage, { url }: Target): string | undefined => {
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return undefined
  return URL.canParse(headers.location, url.href) ? new URL(headers.location, url).href : headers.location
}

/** Another host is another question: it is told, and not followed. The way to the same host over TLS is followed. */
const onSameHost = (from: Target, next: string, named: Asked["named"]): string => {
  const to = judged(next, named)
  const same = to.host === from.host && (to.port === from.port || (from.port === 80 && to.port === 443))
  if (!same) throw fail(next, "Elsewhere", `It redirects to ${next}, which is another place: fetch that if you want it.`)
  return next
}

const page = async (target: Target, response: IncomingMessage, { bytes }: Limits): Promise<Page> => {
  const url = target.url.href
  const { statusCode = 0 } = response
  const type = Body.typeOf(response.headers["content-type"])
  if (!Body.isText(type)) {
    response.destroy()
    throw fail(url, "Kind", `It is ${type}, which can't be read as text.`)
  }
  const { cut, text } = await Body.read(response, bytes)
  if (text === undefined) throw fail(url, "Kind", `It says that it is ${type}, and holds bytes that are no text.`)
  if (statusCode >= 400) throw fail(url, "Status", `The server answered ${statusCode}.`)
  return { url, type, text, cut }
}
