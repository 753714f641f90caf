/**
 * What happens to a request on its way to a provider, and to the response on its way back. A request passes, in this order:
 *
 * 1. the circuit breaker, which refuses it while the endpoint keeps failing (`CircuitBreaker.ts`),
 * 2. the gate, where it waits while another request is rate limited (`RateLimitGate.ts`),
 * 3. the route's SDK, which builds the HTTP request (`sdk/`),
 * 4. the user's additional headers, query parameters and body fields (`RequestAdditions.ts`),
 * 5. the retry of a connection that the server had closed while it was idle (`transport/RetryStaleConnection.ts`),
 * 6. the proxy (`transport/FetchLive.ts`), or the network (`transport/HttpFetch.ts`).
 *
 * The response is captured before the SDK reads it (`transport/CaptureResponse.ts`), read as a stream of chunks
 * (`transport/HttpStream.ts`) and checked (`ResponseChecks.ts`); its errors are explained, and its chunks timed.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Stream from "effect/Stream"
import type { TimedChunk } from "../../domain/message/Chunk.ts"
import type { ProviderError } from "../../domain/provider/ProviderError.ts"
import type { PreparedRequest } from "../../services/Provider.ts"
import { type Connection, hasServer, type Route } from "../../services/Route.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import type { EndpointNotes } from "./EndpointNotes.ts"
import * as RateLimitGate from "./RateLimitGate.ts"
import * as RequestAdditions from "./RequestAdditions.ts"
import * as ResponseChecks from "./ResponseChecks.ts"
import { guarded, type Response } from "./ResponseStart.ts"
import * as RetryStaleConnection from "./transport/RetryStaleConnection.ts"

/** Where a request goes. `guardKey` names the endpoint and the key that requests share limits by. */
export interface Target {
  readonly route: Route
  readonly connection: Connection
  readonly guardKey: string
  /** Its base URL. */
  readonly address: string
  readonly explain: (error: ProviderError) => ProviderError
}

/** Steps 1 to 3 and the way back. */
export const make = Effect.fnUntraced(function*(notes: EndpointNotes) {
  const breaker = yield* CircuitBreaker.make(notes)
  const gate = RateLimitGate.make()
  return (
    { body, model, request }: PreparedRequest,
    { address, connection, explain, guardKey, route }: Target
  ): Stream.Stream<TimedChunk, ProviderError> =>
    response(() => connection.send(body, { model, request })).pipe(
      ResponseChecks.withoutZeroUsage,
      ResponseChecks.checked(route, request),
      hasServer(route) ? guarded((start) => start.pipe(gate(guardKey), breaker({ provider: route.name, address, key: guardKey, explain })))
        : identity,
      Stream.mapError(explain),
      withTimes
    )
})

/** What a route sends, checked: one written in JavaScript may return anything, and fail with anything. */
const response = (send: () => Response): Response =>
  Stream.suspend(() => {
    const chunks: unknown = send()
    if (!Stream.isStream(chunks))
      return Stream.die(new TypeError("`send` must return a Stream of chunks: Stream.fromAsyncIterable makes one of an async iterable."))
    return Stream.catch(chunks as Response, (error) => error._tag === "ProviderError" ? Stream.fail(error) : Stream.die(error))
  })

/** Steps 4 and 5: the fetch that a route's SDK sends with, around the one of step 6. */
export const fetchFor = (fetch: typeof globalThis.fetch, additions: RequestAdditions.Additions): typeof globalThis.fetch =>
  RequestAdditions.wrap(RetryStaleConnection.wrap(fetch), additions)

/** Chunks with the time since the request was sent, in ms. */
const withTimes = (response: Response): Stream.Stream<TimedChunk, ProviderError> =>
  Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
    const sentAt = clock.currentTimeMillisUnsafe()
    return Stream.mapArray(response, (chunks) => {
      const at = Math.round(clock.currentTimeMillisUnsafe() - sentAt)
      return Arr.map(chunks, (chunk): TimedChunk => ({ at, chunk }))
    })
  }))
