/**
 * One request and its streamed response, for every protocol. An SDK knows how to send (addresses, headers, authentication);
 * from the response on, all wires share this path: bytes → frames → `Protocol.step` → chunks. It distinguishes silence, broken
 * connections and errors in the middle of a stream.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type Chunk, joinChunks } from "../../../domain/message/Chunk.ts"
import { clean } from "../../../domain/provider/ClassifyError.ts"
import * as ErrorBody from "../../../domain/provider/ErrorBody.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import type { Protocol } from "../../../domain/provider/Protocol.ts"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../../services/Route.ts"
import * as Framing from "./Framing.ts"
import { captureErrors, type HttpErrors, httpErrors } from "./HttpErrors.ts"

export interface HttpRequest<State> {
  readonly endpoint: Endpoint
  readonly protocol: Protocol<State>
  readonly request: ModelRequest
  /** Server-sent events by default. */
  readonly framing?: Framing.Framing
  /**
   * Sends the request with this fetch, as an SDK does it, and returns the response with its body unread. May reject with a
   * ProviderError of its own if nothing could be sent.
   */
  readonly post: (fetch: typeof globalThis.fetch, signal: AbortSignal) => Promise<Response>
  /** The event that the data of a frame stands for. Throws if the data is not valid JSON. */
  readonly decode: (data: string) => unknown
}

/** Sends a request and streams its response. */
export const httpStream = <State>(options: HttpRequest<State>): Stream.Stream<Chunk, ProviderError> => {
  const { endpoint, protocol } = options
  const errors = httpErrors(endpoint)
  return Stream.unwrap(Effect.gen(function*() {
    const connection = yield* openConnection
    const clock = yield* Clock.Clock
    const capture = captureErrors(endpoint.fetch)
    const response = yield* Effect.tryPromise({
      try: () => options.post(capture.fetch, connection.signal),
      catch: (error) => {
        const errorResponse = capture.errorResponse()
        return error instanceof ProviderError ? errors.redacted(error)
          : errorResponse === undefined
          ? errors.connection(capture.cause() ?? error)
          : errors.redacted(protocol.classify({ ...errorResponse, provider: endpoint.provider, now: clock.currentTimeMillisUnsafe() }))
      }
    }).pipe(Effect.timeoutOrElse({ duration: endpoint.idleMs, orElse: () => Effect.fail(errors.idle()) }))
    const body = response.body
    if (body === null) return yield* errors.make({ _tag: "BadAnswer" }, `${endpoint.provider} sent a response without a body.`)
    if (/text\/html/i.test(response.headers.get("content-type") ?? "")) return yield* errors.htmlPage()
    const bytes = Stream.fromReadableStream({ evaluate: () => body, onError: (error) => errors.body(error), releaseLockOnEnd: true }).pipe(
      Stream.timeoutOrElse({ duration: endpoint.idleMs, orElse: () => Stream.fail(errors.idle()) })
    )
    return Stream.transformPull(
      bytes,
      (pull) => Effect.succeed(pullChunks(options, errors, clock, pull, response, () => connection.onOver(body)))
    )
  }))
}

const MiB = 1024 * 1024

/**
 * The size limit of a response: 1 KiB per requested token, four times what the most verbose wire needs, and room for what is
 * not counted in tokens (an image, the result of a server-side tool). A larger response would never end.
 */
const maxBytes = ({ maxTokens }: ModelRequest): number => 16 * MiB + 1024 * maxTokens

/** Nesting levels of an event. A deeper one can be parsed, but not serialized again. */
const maxDepth = 500

const isTooDeep = (event: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [event]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((value) => typeof value === "object" && value !== null ? Object.values(value) : [])
  }
  return false
}

type Chunks = readonly [Chunk, ...Array<Chunk>]

/** Pulls bytes until they complete chunks. Chunks from before a fault are emitted first, and the fault with the next pull. */
const pullChunks = <State>(
  { decode, endpoint, framing = Framing.sse, protocol, request }: HttpRequest<State>,
  errors: HttpErrors,
  clock: Clock.Clock,
  pull: Pull.Pull<readonly [Uint8Array, ...Array<Uint8Array>], ProviderError>,
  response: Response,
  onOver: () => void
): Pull.Pull<Chunks, ProviderError> => {
  const { provider } = endpoint
  let state = protocol.initial(request)
  let fault: ProviderError | undefined
  let isOver = false
  let out: Array<Chunk> = []

  const onData = (data: string, isWhole: boolean) => {
    if (fault !== undefined || isOver) return
    let event: unknown
    try {
      event = decode(data)
    } catch {
      fault = errors.make(
        { _tag: "BadAnswer", ...(isWhole ? { lasting: true } : {}) },
        `${provider} sent ${isWhole ? "a response" : "an event"} that is not valid JSON: ${clean(data)}`
      )
      return
    }
    try {
      if (data.length > maxDepth && isTooDeep(event)) throw new RangeError("it is nested too deeply")
      readEvent(event, isWhole)
    } catch (error) {
      // Readers ignore what they don't recognize; only what is too deep or too long for the engine itself throws.
      const reason = error instanceof Error ? error.message : String(error)
      fault = errors.make({ _tag: "BadAnswer", lasting: true }, `${provider} sent an event that can't be read (${reason}).`)
    }
  }

  const readEvent = (event: unknown, isWhole: boolean) => {
    const classified = (body: unknown, status: number) => {
      const headers = isWhole ? Object.fromEntries(response.headers) : {}
      return errors.redacted(protocol.classify({ provider, status, body, headers, now: clock.currentTimeMillisUnsafe() }))
    }
    const failure = protocol.failure(event)
    if (failure !== undefined) {
      // An error without a status that arrives instead of a stream did not happen in the middle of a response.
      fault = classified(failure.body, isWhole ? ErrorBody.read(failure.body).status ?? response.status : failure.status)
      return
    }
    const [next, chunks] = protocol.step(state, event)
    state = next
    const violation = protocol.violation?.(state)
    if (violation !== undefined) {
      fault = errors.make({ _tag: "StreamBroken" }, `${provider} ${violation}.`)
      return
    }
    out.push(...chunks)
    isOver = protocol.isOver(state)
    if (isWhole && !protocol.hasEnded(state)) fault = classified(event, response.status)
  }

  const frames = framing(response.headers.get("content-type") ?? "", onData)
  const limitBytes = maxBytes(request)
  let receivedBytes = 0
  const onBytes = (bytes: Uint8Array) => {
    if (fault !== undefined) return
    receivedBytes += bytes.length
    if (receivedBytes > limitBytes) {
      fault = errors.make(
        { _tag: "BadAnswer", lasting: true },
        `${provider} sent more than ${Math.floor(limitBytes / MiB)} MiB in one response, which was cut off.`
      )
      return
    }
    const problem = frames.push(bytes)
    if (problem !== undefined) {
      fault ??= problem === Framing.htmlPage
        ? errors.htmlPage()
        : errors.make({ _tag: "BadAnswer", lasting: true }, `${provider} sent ${problem}.`)
    }
  }

  /** The bytes have ended, or will bring nothing more. */
  const close = (error: ProviderError | undefined) => {
    frames.end()
    if (fault !== undefined) return
    if (protocol.hasEnded(state)) {
      isOver = true
      out.push(...protocol.end(state))
    } else {
      fault = error ?? errors.make({ _tag: "StreamBroken" }, `The response from ${provider} ended early.`)
    }
  }

  let isClosed = false
  /** What can be emitted now; undefined if more bytes are needed. */
  const emit = (): Pull.Pull<Chunks, ProviderError> | undefined => {
    if (isOver && !isClosed) {
      isClosed = true
      onOver()
      close(undefined)
    }
    const [first, ...rest] = joinChunks(out)
    out = []
    return first !== undefined ? Effect.succeed([first, ...rest])
      : fault !== undefined ? Effect.fail(fault)
      : isClosed ? Cause.done()
      : undefined
  }

  return Effect.suspend(function loop(): Pull.Pull<Chunks, ProviderError> {
    return emit() ?? Pull.matchEffect(pull, {
      onSuccess: (arrays) => {
        for (const bytes of arrays) onBytes(bytes)
        // Buffered bytes would be read without a pause, and keys and timers would wait for all of them.
        return Effect.andThen(Effect.yieldNow, Effect.suspend(loop))
      },
      onFailure: (cause) => {
        const error = cause.reasons.find(Cause.isFailReason)?.error
        if (error === undefined) return Effect.failCause(cause as Cause.Cause<never>)
        isClosed = true
        close(error)
        return Effect.suspend(loop)
      },
      onDone: () => {
        isClosed = true
        close(undefined)
        return Effect.suspend(loop)
      }
    })
  })
}

/**
 * One request's hold on its connection. A connection can serve the next request only once the response was read to the end of
 * its body, a few bytes after the last event: those are read in the background, so that nobody waits for them.
 */
interface Connection {
  /** Aborts when the scope closes, unless the response is over. */
  readonly signal: AbortSignal
  /** Marks the response as over: the rest of the body is to be read, not cut off. */
  readonly onOver: (body: ReadableStream<Uint8Array>) => void
}

/** How long a server may take to end the body of a response that is over. */
const bodyEndTimeout = "1 second"

const openConnection: Effect.Effect<Connection, never, Scope.Scope> = Effect.gen(function*() {
  const controller = new AbortController()
  let remainder: ReadableStream<Uint8Array> | undefined
  const abort = Effect.sync(() => controller.abort())
  yield* Effect.addFinalizer(() =>
    remainder === undefined ? abort : Effect.forkDetach(
      drain(remainder).pipe(Effect.timeout(bodyEndTimeout), Effect.catch(() => abort)),
      { startImmediately: true }
    )
  )
  return {
    signal: controller.signal,
    onOver: (body) => {
      remainder = body
    }
  }
})

const drain = (body: ReadableStream<Uint8Array>) =>
  Stream.runDrain(Stream.fromReadableStream({ evaluate: () => body, onError: () => "broken" as const }))
