/**
 * Access control for a server that listens on a local port: other users and web pages can reach that port too. A
 * request must carry this run's token, name this very address as its host, and come from no other origin.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Secret from "../network/Secret.ts"

/** Checked before anything else of a request. Header names are in lower case. */
export interface RequestHead {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** Undefined if a request may pass, else the response: the same for all that are refused for one reason. */
export type Gate = (head: RequestHead) => Effect.Effect<Response | undefined>

/** How many bad tokens within how many ms get a full response before further ones only get "too many requests". */
const limits = { tries: 20, ms: 10_000 }

const methods: ReadonlySet<string> = new Set(["GET", "POST", "DELETE"])

/** What a server calls itself: `names` are addresses or host names, those of IPv6 in brackets. */
export interface ServedAddress {
  readonly protocol: "http" | "https"
  readonly names: ReadonlyArray<string>
  readonly port: number
}

export const loopback = (port: number): ServedAddress => ({ protocol: "http", names: ["127.0.0.1", "localhost"], port })

/** Who names another host or comes from another origin; undefined for everyone else. */
export const foreignRefusal = ({ names, port, protocol }: ServedAddress): (head: RequestHead) => Response | undefined => {
  const origins = names.map((name) => new URL(`${protocol}://${name}:${port}`).origin)
  return ({ headers }) => {
    if (!origins.includes(`${protocol}://${headers["host"]}`)) return textResponse(421, "The Host header does not match.")
    const { origin } = headers
    return origin === undefined || origins.includes(origin) ? undefined : textResponse(403, "Requests from other origins are not allowed.")
  }
}

/** The token that a request carries; empty for none. */
export const tokenOf = ({ headers }: RequestHead): string => /^bearer (\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? ""

/** Lets requests with this token pass. */
export const make = (token: string, address: ServedAddress): Gate => over(address, (head) => Secret.isSame(token, tokenOf(head)))

/** Lets authorized requests pass. */
export const over = (address: ServedAddress, isAuthorized: (head: RequestHead) => boolean): Gate => {
  const refusal = foreignRefusal(address)
  let attempts: ReadonlyArray<number> = []

  return (head) =>
    Effect.gen(function*() {
      const { method } = head
      const foreign = refusal(head)
      if (foreign !== undefined) return foreign
      if (!isAuthorized(head)) {
        const now = yield* Clock.currentTimeMillis
        attempts = [...attempts.filter((time) => now - time < limits.ms), now].slice(-limits.tries - 1)
        return attempts.length > limits.tries
          ? textResponse(429, "Too many requests without the token.", { "retry-after": `${limits.ms / 1000}` })
          : textResponse(401, "A token is required: Authorization: Bearer <token>.", { "www-authenticate": "Bearer" })
      }
      return methods.has(method) ? undefined
        : textResponse(405, "Only GET, POST and DELETE are supported.", { allow: [...methods].join(", ") })
    })
}

const textResponse = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(`${text}\n`, { status, headers: { "content-type": "text/plain", ...headers } })
