/** Questions to a server beside the model's answers: which models it has, and how large their windows are. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../services/Route.ts"
import { failures } from "./transport/HttpErrors.ts"

type Loose = Readonly<Record<string, unknown>>

/** How long such an answer stays good, and how long we wait for one; in ms. */
const fresh = 300_000
const patience = 5_000

/** The address of a server's own paths beside the compatible ones: the base URL without `/v1`. */
export const root = ({ baseUrl }: Endpoint): string => baseUrl.replace(/\/+(?:v1\/*)?$/, "")

/**
 * The JSON at an address; null when the server has no such thing or takes too long. Fails when nobody listens there:
 * better now than with the first words. Answers are kept for five minutes.
 */
export const asker = (endpoint: Endpoint) => {
  const known = new Map<string, { readonly at: number; readonly value: Loose | null }>()
  const fail = failures(endpoint)
  return (url: string, body?: object): Effect.Effect<Loose | null, ProviderError> =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const question = `${url} ${body === undefined ? "" : JSON.stringify(body)}`
      const before = known.get(question)
      if (before !== undefined && now - before.at < fresh) return before.value
      const value = yield* Effect.tryPromise({
        try: async (signal) => {
          const response = await endpoint.fetch(url, {
            method: body === undefined ? "GET" : "POST",
            headers: {
              ...(body === undefined ? {} : { "content-type": "application/json" }),
              ...(endpoint.key === undefined ? {} : { authorization: `Bearer ${Redacted.value(endpoint.key)}` })
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            redirect: "manual",
            signal
          })
          const text = await response.text()
          return response.ok ? parse(text) : null
        },
        catch: fail.connection
      }).pipe(Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.succeed(null) }))
      known.set(question, { at: now, value })
      return value
    })
}

const parse = (text: string): Loose | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value as Loose : null
  } catch {
    return null
  }
}

/** A value as a record or a list of records, whatever came. */
export const record = (value: unknown): Loose => typeof value === "object" && value !== null && !Array.isArray(value) ? value as Loose : {}
export const list = (value: unknown): ReadonlyArray<Loose> => Array.isArray(value) ? value.map(record) : []
/** The first that is a positive whole number. */
export const count = (...values: ReadonlyArray<unknown>): number | undefined =>
  values.map(Number).find((value) => Number.isInteger(value) && value > 0)
