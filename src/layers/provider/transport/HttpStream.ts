/**
 * One request and its streamed answer, for every protocol. An SDK knows how to ask (addresses, headers, authentication);
 * from the response on, all wires share this one path: bytes → frames → `Protocol.step` → chunks, with silence, cuts and
 * errors in mid-stream told apart.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { type Chunk, joined } from "../../../domain/message/Chunk.ts"
import { clean } from "../../../domain/provider/ClassifyError.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import type { Protocol } from "../../../domain/provider/Protocol.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../../services/Route.ts"
import * as Call from "../Call.ts"
import { type Failures, failures, origin } from "./HttpErrors.ts"
import { type Framing, sse } from "./Framing.ts"
import * as Refusal from "../Refusal.ts"

export interface Exchange<State, Event> {
  readonly endpoint: Endpoint
  readonly protocol: Protocol<State, Event>
  readonly request: ModelRequest
  /** Server-sent events, where nothing else is said. */
  readonly framing?: Framing
  /**
   * Sends the request with this fetch, as an SDK does it, and gives the response with its body unread. May reject with
   * a ProviderError of its own, where nothing could be sent.
   */
  readonly post: (fetch: typeof globalThis.fetch, signal: AbortSignal) => Promise<Response>
  /** The event that a frame's data stands for; throws for what is no JSON. */
  readonly decode: (data: string) => Event
}

export const exchange = <State, Event>(options: Exchange<State, Event>): Stream.Stream<Chunk, ProviderError> => {
  const { endpoint } = options
  const fail = failures(endpoint)
  return Stream.unwrap(Effect.gen(function*() {
    const call = yield* Call.make
    const clock = yield* Clock.Clock
    const seen = Refusal.watch(endpoint.fetch)
    const response = yield* Effect.tryPromise({
      try: () => options.post(seen.fetch, call.signal),
      catch: (error) => {
        const refused = seen.refused()
        return error instanceof ProviderError ? fail.hidden(error)
          : refused === undefined
          ? fail.connection(seen.cause() ?? error)
          : fail.hidden(options.protocol.classify({ ...refused, provider: endpoint.provider, now: clock.currentTimeMillisUnsafe() }))
      }
    }).pipe(Effect.timeoutOrElse({ duration: endpoint.idleMs, orElse: () => Effect.fail(fail.idle()) }))
    const body = response.body
    if (body === null || /text\/html/i.test(response.headers.get("content-type") ?? "")) {
      return yield* fail.make({ _tag: "BadAnswer" }, `${endpoint.provider} sent a web page in place of an answer. Is ${origin(endpoint)} right, and is no login page in between?`)
    }
    const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => fail.body(error), releaseLockOnEnd: true }).pipe(
      Stream.timeoutOrElse({ duration: endpoint.idleMs, orElse: () => Stream.fail(fail.idle()) })
    )
    return Stream.transformPull(bytes, (pull) => Effect.succeed(answer(options, fail, clock, pull, response.headers.get("content-type") ?? "", () => call.isOver(body))))
  }))
}

/** Pulls bytes until they make chunks. What came before a fault is given first, the fault with the next pull. */
const answer = <State, Event>(
  { decode, endpoint, framing = sse, protocol, request }: Exchange<State, Event>,
  fail: Failures,
  clock: Clock.Clock,
  pull: Pull.Pull<readonly [Uint8Array, ...Array<Uint8Array>], ProviderError>,
  contentType: string,
  isOver: () => void
): Pull.Pull<readonly [Chunk, ...Array<Chunk>], ProviderError> => {
  let state = protocol.initial(request)
  let fault: ProviderError | undefined
  let over = false
  let out: Array<Chunk> = []

  const take = (data: string) => {
    if (fault !== undefined || over) return
    let event: Event
    try {
      event = decode(data)
    } catch {
      fault = fail.make({ _tag: "BadAnswer" }, `${endpoint.provider} sent an event that is no JSON: ${clean(data)}`)
      return
    }
    const failure = protocol.failure(event)
    if (failure !== undefined) {
      fault = fail.hidden(protocol.classify({ ...failure, provider: endpoint.provider, headers: {}, now: clock.currentTimeMillisUnsafe() }))
      return
    }
    const [next, chunks] = protocol.step(state, event)
    state = next
    out.push(...chunks)
    over = protocol.over(state)
  }

  const frames = framing(contentType, take)
  const feed = (bytes: Uint8Array) => {
    const wrong = frames.push(bytes)
    if (wrong !== undefined) fault ??= fail.make({ _tag: "BadAnswer", lasting: true }, `${endpoint.provider} sent ${wrong}.`)
  }

  /** The bytes are over, or will bring nothing more. */
  const close = (why: ProviderError | undefined) => {
    frames.end()
    if (fault !== undefined) return
    if (protocol.ended(state)) {
      over = true
      out.push(...protocol.end(state))
    } else {
      fault = why ?? fail.make({ _tag: "StreamBroken" }, `The answer of ${endpoint.provider} ended in its middle.`)
    }
  }

  let closed = false
  const given = (): Pull.Pull<readonly [Chunk, ...Array<Chunk>], ProviderError> | undefined => {
    if (over && !closed) {
      closed = true
      isOver()
      close(undefined)
    }
    const [first, ...rest] = joined(out)
    out = []
    return first !== undefined ? Effect.succeed([first, ...rest]) : fault !== undefined ? Effect.fail(fault) : closed ? Cause.done() : undefined
  }

  return Effect.suspend(function loop(): Pull.Pull<readonly [Chunk, ...Array<Chunk>], ProviderError> {
    return given() ?? Pull.matchEffect(pull, {
      onSuccess: (arrays) => {
        for (const bytes of arrays) feed(bytes)
        // What is there already would be read without a pause, and keys and timers would wait for all of it.
        return Effect.andThen(Effect.yieldNow, Effect.suspend(loop))
      },
      onFailure: (cause) => {
        const why = cause.reasons.find(Cause.isFailReason)?.error
        if (why === undefined) return Effect.failCause(cause as Cause.Cause<never>)
        closed = true
        close(why)
        return Effect.suspend(loop)
      },
      onDone: () => {
        closed = true
        close(undefined)
        return Effect.suspend(loop)
      }
    })
  })
}
