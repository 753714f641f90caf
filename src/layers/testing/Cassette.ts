/**
 * HTTP on tape: what a provider answered once, with the cuts that its bytes had, played again without a network.
 * A tape is JSON; it holds no request headers at all, and no keys in addresses.
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

/** A request as tapes hold it: no headers, and no secret in what is left. */
type Asked = Pick<Exchange, "method" | "url" | "body">

const asked = async (input: Parameters<typeof globalThis.fetch>[0], init: RequestInit | undefined): Promise<Asked> => {
  const request = new Request(input, { ...init, signal: null })
  return { method: request.method, url: request.url.replace(secretParameters, "$1[key]"), body: redact(await request.text()) }
}

/** The same on every machine, so that a tape is found again. */
const redact = Redactor.make({ tag: (secret) => sha256(secret).slice(0, 8) })

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const part = (bytes: Uint8Array): Exchange["parts"][number] => {
  try {
    return redact(strict.decode(bytes))
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") }
  }
}
const bytes = (part: Exchange["parts"][number]): Uint8Array =>
  typeof part === "string" ? new TextEncoder().encode(part) : Buffer.from(part.base64, "base64")

/** A tape beside what was asked: what the answer was, its parts filled in while it is read. */
const tape = (request: Asked, response: Response) => {
  const parts: Array<Exchange["parts"][number]> = []
  const headers = Object.fromEntries([...response.headers].filter(([name]) => telling.test(name)))
  const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({
    transform: (arrived, controller) => {
      parts.push(part(arrived))
      controller.enqueue(arrived)
    }
  }))
  const exchange: Exchange = { ...request, status: response.status, headers, parts }
  return { exchange, response: new Response(body ?? null, { status: response.status, headers: response.headers }) }
}

/** The answer of a tape, in the pieces that it came in. */
const play = ({ headers, parts, status }: Exchange): Response => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(bytes(part))
      controller.close()
    }
  })
  // What was decoded when it was taped is plain now.
  return new Response(body, { status, headers: Object.entries(headers).filter(([name]) => name !== "content-encoding") })
}

const write = (file: string, exchanges: ReadonlyArray<Exchange>) => writeFile(file, `${JSON.stringify({ version: 1, exchanges }, null, 1)}\n`)

const read = (file: string) =>
  Effect.flatMap(Effect.promise(() => readFile(file, "utf8")), (text) => Effect.orDie(Schema.decodeUnknownEffect(Tape)(text)))

/** Sends requests with the fetch that is there, and writes the tape when the layer closes. */
export const record = (file: string): Layer.Layer<never> =>
  Layer.effect(Fetch, Effect.gen(function*() {
    const fetch = yield* Fetch
    const exchanges: Array<Exchange> = []
    yield* Effect.addFinalizer(() => Effect.promise(() => write(file, exchanges)))
    return async (input, init) => {
      const taped = tape(await asked(input, init), await fetch(input, init))
      exchanges.push(taped.exchange)
      return taped.response
    }
  }))

/** Answers each request with the next exchange of the tape, which must be for the same request. */
export const replay = (file: string): Layer.Layer<never> =>
  Layer.effect(Fetch, Effect.gen(function*() {
    const { exchanges } = yield* read(file)
    let place = 0
    return async (input, init) => {
      const request = await asked(input, init)
      const next = exchanges[place++]
      if (next === undefined) throw new Error(`The tape ${file} is over: it holds ${exchanges.length} exchanges.`)
      const differs = (["method", "url", "body"] as const).find((field) => next[field] !== request[field])
      if (differs !== undefined) {
        throw new Error(clean(`Request ${place} is not the one on the tape ${file}: its ${differs} is ${request[differs]}, there ${next[differs]}`))
      }
      return play(next)
    }
  }))

/**
 * A folder of tapes, one a request, named by what was asked: in any order, each as often as one likes. What is not there
 * is asked for real and kept where `DACAPO_RECORD` is set; never where `CI` is.
 */
export const layer = (folder: string): Layer.Layer<never, Config.ConfigError> =>
  Layer.effect(Fetch, Effect.gen(function*() {
    const fetch = yield* Fetch
    const isSet = (name: string) => Effect.map(Config.String(name).pipe(Config.withDefault("")), (value) => value !== "" && value !== "0" && value !== "false")
    const records = (yield* isSet("DACAPO_RECORD")) && !(yield* isSet("CI"))
    const written: Array<Promise<void>> = []
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(written)))
    return async (input, init) => {
      const request = await asked(input, init)
      const file = join(folder, `${ofJson([request.method, request.url, request.body]).slice(0, 24)}.json`)
      if (existsSync(file)) return play((await Effect.runPromise(read(file))).exchanges[0]!)
      if (!records) {
        throw new Error(clean(`${folder} has no tape of this request; with DACAPO_RECORD=1, and CI not set, it is asked for real and kept: ${request.method} ${request.url} ${request.body.slice(0, 400)}`))
      }
      const taped = tape(request, await fetch(input, init))
      const [kept, given] = taped.response.body?.tee() ?? [null, null]
      written.push(new Response(kept).arrayBuffer().then(() => mkdir(folder, { recursive: true })).then(() => write(file, [taped.exchange])))
      return new Response(given, taped.response)
    }
  }))
