/**
 * HTTP cassettes: a provider's recorded responses, in their original chunks, played again without a network. A cassette
 * is JSON; it contains no request headers at all, and no keys in addresses.
 *
 *     Effect.provide(program, ProviderLive.layer().pipe(Layer.provide(Cassette.replay("test/cassettes/hello.json"))))
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Config from "effect/Config"
import { existsSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { clean } from "../../domain/provider/ClassifyError.ts"
import * as Redactor from "../../domain/secret/Redactor.ts"
import { Fetch } from "../../services/Fetch.ts"
import { ofJson, sha256 } from "../storage/Digest.ts"

/** `body` of the request is its text; parts of the response are text if possible, else base64. */
const Exchange = Schema.Struct({
  method: Schema.String,
  url: Schema.String,
  body: Schema.String,
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  parts: Schema.Array(Schema.Union([Schema.String, Schema.Struct({ base64: Schema.String })]))
})
type Exchange = typeof Exchange.Type
const Tape = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), exchanges: Schema.Array(Exchange) }))

/** Response headers that describe the content; others may name accounts. */
const recordedHeaders = /^(?:content-type|content-encoding|retry-after(?:-ms)?|(?:x-|anthropic-)?ratelimit-.*|(?:x-)?request-id)$/

const secretParameters = /([?&](?:key|api[_-]?key|token|access_token|sig|signature)=)[^&#]*/gi

/** A request as recorded: no headers, and no secret in the remainder. */
type RecordedRequest = Pick<Exchange, "method" | "url" | "body">

const recordRequest = async (input: Parameters<typeof globalThis.fetch>[0], init: RequestInit | undefined): Promise<RecordedRequest> => {
  const request = new Request(input, { ...init, signal: null })
  return { method: request.method, url: request.url.replace(secretParameters, "$1[key]"), body: redact(await request.text()) }
}

/** The same on every machine, so that a cassette is found again. */
const redact = Redactor.make({ tag: (secret) => sha256(secret).slice(0, 8) })

const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const part = (bytes: Uint8Array): Exchange["parts"][number] => {
  try {
    return redact(strictDecoder.decode(bytes))
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") }
  }
}
const bytes = (part: Exchange["parts"][number]): Uint8Array =>
  typeof part === "string" ? new TextEncoder().encode(part) : Buffer.from(part.base64, "base64")

/** A recorded exchange: the response, its parts filled in while it is read. */
const recordResponse = (request: RecordedRequest, response: Response) => {
  const parts: Array<Exchange["parts"][number]> = []
  const headers = Object.fromEntries([...response.headers].filter(([name]) => recordedHeaders.test(name)))
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        parts.push(part(chunk))
        controller.enqueue(chunk)
      }
    })
  )
  const exchange: Exchange = { ...request, status: response.status, headers, parts }
  return { exchange, response: new Response(body ?? null, { status: response.status, headers: response.headers }) }
}

/** The recorded response, in its original pieces. */
const play = ({ headers, parts, status }: Exchange): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(bytes(part))
      controller.close()
    }
  })
  // Content that was decoded for the recording is plain now.
  return new Response(body, { status, headers: Object.entries(headers).filter(([name]) => name !== "content-encoding") })
}

const write = (file: string, exchanges: ReadonlyArray<Exchange>) =>
  writeFile(file, `${JSON.stringify({ version: 1, exchanges }, null, 1)}\n`)

const read = (file: string) =>
  Effect.flatMap(Effect.promise(() => readFile(file, "utf8")), (text) => Effect.orDie(Schema.decodeUnknownEffect(Tape)(text)))

/** Sends requests with the current fetch, and writes the cassette when the layer closes. */
export const record = (file: string): Layer.Layer<never> =>
  Layer.effect(
    Fetch,
    Effect.gen(function*() {
      const fetch = yield* Fetch
      const exchanges: Array<Exchange> = []
      yield* Effect.addFinalizer(() => Effect.promise(() => write(file, exchanges)))
      return async (input, init) => {
        const recording = recordResponse(await recordRequest(input, init), await fetch(input, init))
        exchanges.push(recording.exchange)
        return recording.response
      }
    })
  )

/** Answers each request with the next exchange of the cassette, which must be for the same request. */
export const replay = (file: string): Layer.Layer<never> =>
  Layer.effect(
    Fetch,
    Effect.gen(function*() {
      const { exchanges } = yield* read(file)
      let position = 0
      return async (input, init) => {
        const request = await recordRequest(input, init)
        const next = exchanges[position++]
        if (next === undefined) throw new Error(`The cassette ${file} is exhausted: it contains ${exchanges.length} exchanges.`)
        const differentField = (["method", "url", "body"] as const).find((field) => next[field] !== request[field])
        if (differentField !== undefined) {
          throw new Error(
            clean(
              `Request ${position} does not match the cassette ${file}: its ${differentField} is ${request[differentField]}, recorded was ${
                next[differentField]
              }`
            )
          )
        }
        return play(next)
      }
    })
  )

/**
 * A folder of cassettes, one per request, named by its digest: in any order, each as often as needed. A missing one is
 * requested and recorded if `DACAPO_RECORD` is set; never if `CI` is.
 */
export const layer = (folder: string): Layer.Layer<never, Config.ConfigError> =>
  Layer.effect(
    Fetch,
    Effect.gen(function*() {
      const fetch = yield* Fetch
      const isSet = (name: string) =>
        Effect.map(Config.String(name).pipe(Config.withDefault("")), (value) => value !== "" && value !== "0" && value !== "false")
      const isRecording = (yield* isSet("DACAPO_RECORD")) && !(yield* isSet("CI"))
      const writes: Array<Promise<void>> = []
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(writes)))
      return async (input, init) => {
        const request = await recordRequest(input, init)
        const file = join(folder, `${ofJson([request.method, request.url, request.body]).slice(0, 24)}.json`)
        if (existsSync(file)) return play((await Effect.runPromise(read(file))).exchanges[0]!)
        if (!isRecording) {
          throw new Error(
            clean(
              `${folder} has no cassette for this request; with DACAPO_RECORD=1, and CI unset, it is sent and recorded: ${request.method} ${request.url} ${
                request.body.slice(0, 400)
              }`
            )
          )
        }
        const recording = recordResponse(request, await fetch(input, init))
        const [recordedBody, returnedBody] = recording.response.body?.tee() ?? [null, null]
        writes.push(
          new Response(recordedBody).arrayBuffer().then(() => mkdir(folder, { recursive: true })).then(() =>
            write(file, [recording.exchange])
          )
        )
        return new Response(returnedBody, recording.response)
      }
    })
  )
