/**
 * HTTP on tape: what a provider answered once, with the cuts that its bytes had, played again without a network.
 * A tape is JSON; it holds no request headers at all, and no keys in addresses.
 *
 *     Effect.provide(program, ProviderLive.layer().pipe(Layer.provide(Cassette.replay("test/cassettes/hello.json"))))
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { readFile, writeFile } from "node:fs/promises"
import { clean } from "../../domain/provider/Classify.ts"
import { Fetch } from "../../services/Fetch.ts"

/** `body` of the request is its text; parts of the answer are text where they can be, else base64. */
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

/** Headers of an answer that say what it is; the rest may name accounts. */
const telling = /^(?:content-type|content-encoding|retry-after(?:-ms)?|(?:x-|anthropic-)?ratelimit-.*|(?:x-)?request-id)$/

const secretParameters = /([?&](?:key|api[_-]?key|token|access_token|sig|signature)=)[^&#]*/gi

const asked = async (input: Parameters<typeof globalThis.fetch>[0], init: RequestInit | undefined) => {
  const request = new Request(input, { ...init, signal: null })
  return { method: request.method, url: request.url.replace(secretParameters, "$1[key]"), body: await request.text() }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const part = (bytes: Uint8Array): Exchange["parts"][number] => {
  try {
    return strict.decode(bytes)
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") }
  }
}
const bytes = (part: Exchange["parts"][number]): Uint8Array =>
  typeof part === "string" ? new TextEncoder().encode(part) : Buffer.from(part.base64, "base64")

/** Sends requests with the fetch that is there, and writes the tape when the layer closes. */
export const record = (file: string): Layer.Layer<never> =>
  Layer.effect(Fetch, Effect.gen(function*() {
    const fetch = yield* Fetch
    const exchanges: Array<Exchange> = []
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => writeFile(file, `${JSON.stringify({ version: 1, exchanges }, null, 1)}\n`))
    )
    return async (input, init) => {
      const request = await asked(input, init)
      const response = await fetch(input, init)
      const parts: Array<Exchange["parts"][number]> = []
      const headers = Object.fromEntries([...response.headers].filter(([name]) => telling.test(name)))
      exchanges.push({ ...request, status: response.status, headers, parts })
      const taped = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
        transform: (arrived, controller) => {
          parts.push(part(arrived))
          controller.enqueue(arrived)
        }
      }))
      return new Response(taped ?? null, { status: response.status, headers: response.headers })
    }
  }))

/** Answers each request with the next exchange of the tape, which must be for the same request. */
export const replay = (file: string): Layer.Layer<never> =>
  Layer.effect(Fetch, Effect.gen(function*() {
    const text = yield* Effect.promise(() => readFile(file, "utf8"))
    const { exchanges } = yield* Schema.decodeUnknownEffect(Tape)(text).pipe(Effect.orDie)
    let place = 0
    return async (input, init) => {
      const request = await asked(input, init)
      const next = exchanges[place++]
      if (next === undefined) throw new Error(`The tape ${file} is over: it holds ${exchanges.length} exchanges.`)
      const differs = (["method", "url", "body"] as const).find((field) => next[field] !== request[field])
      if (differs !== undefined) {
        throw new Error(clean(`Request ${place} is not the one on the tape ${file}: its ${differs} is ${request[differs]}, there ${next[differs]}`))
      }
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const part of next.parts) controller.enqueue(bytes(part))
          controller.close()
        }
      })
      // What was decoded when it was taped is plain now.
      const headers = Object.entries(next.headers).filter(([name]) => name !== "content-encoding")
      return new Response(body, { status: next.status, headers })
    }
  }))
