/** Vectors of texts by the service that the user's settings name: bounded in size and time, never followed elsewhere. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SafeText from "../../domain/message/SafeText.ts"
import * as WebUrl from "../../domain/network/WebUrl.ts"
import { wires, type Purpose } from "../../domain/search/EmbeddingWire.ts"
import type { EmbeddingSettings } from "../../domain/search/SearchSettings.ts"
import { Environment } from "../../services/Environment.ts"
import { Fetch } from "../../services/Fetch.ts"
import * as Keys from "../../services/Keys.ts"
import { CodeSearchError } from "../../services/lookup/CodeSearch.ts"
import * as KeyMissing from "./KeyMissing.ts"
import * as ResponseText from "./ResponseText.ts"

const limits = { requestMs: 120_000, bytes: 64 * 1024 * 1024, text: 6_000 }

/** Unit vectors of texts, in their order. */
export type Embed = (texts: ReadonlyArray<string>, purpose: Purpose) => Effect.Effect<ReadonlyArray<Float32Array>, CodeSearchError>

export const make = Effect.fnUntraced(function*({ baseUrl, keyEnv, model, route }: EmbeddingSettings) {
  const wire = wires[route]
  const { variables } = yield* Environment
  const fetch = yield* Fetch
  const keyStore = yield* Keys.Keys
  const fail = (message: string) => new CodeSearchError({ message })
  const variable = wire.baseUrlVariable === undefined ? undefined : variables[wire.baseUrlVariable]?.trim()
  const address = ([variable, baseUrl].find((one) => one !== undefined && one !== "") ?? wire.baseUrl).replace(/\/+$/, "")

  const key = yield* Effect.cached(Effect.gen(function*() {
    const names = keyEnv === undefined ? wire.keys : [keyEnv]
    const apiKey = yield* Keys.find(names, variables, (key) => Redacted.make(key, { label: route })).pipe(
      Effect.provideService(Keys.Keys, keyStore),
      Effect.mapError(({ message, where }) => fail(`${where} ${message}`))
    )
    // A model on the user's own machine or network usually has no key.
    if (apiKey === undefined && names.length > 0 && WebUrl.read(address)._tag !== "Private")
      return yield* fail(KeyMissing.sentence({ name: route, title: `embeddings of ${wire.title}`, keys: wire.keys }, names, keyStore))
    return apiKey === undefined ? "" : Redacted.value(apiKey.key)
  }))

  const request = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, purpose: Purpose) {
    const secret = yield* key
    const clean = (text: string) => SafeText.of(secret.length < 4 ? text : text.replaceAll(secret, "[key]"))
    const { body, headers, url } = wire.request(
      { baseUrl: address, key: secret, model },
      texts.map((text) => text.slice(0, limits.text)),
      purpose
    )
    const response = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(url, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
          redirect: "manual",
          signal: AbortSignal.any([signal, AbortSignal.timeout(limits.requestMs)])
        })
        const { isTruncated, text } = await ResponseText.read(response, limits.bytes)
        return { status: response.status, isOk: response.ok && !isTruncated, text }
      },
      catch: (cause) => fail(clean(`Could not reach ${wire.title} at ${address}: ${(cause as Error).message}.`))
    })
    if (!response.isOk)
      return yield* fail(
        `${wire.title} responded to a request for embeddings with status ${response.status}: ${clean(response.text.slice(0, 300))}`
      )
    const vectors = yield* Effect.try({
      try: () => wire.read(JSON.parse(response.text)),
      catch: () => fail(`${wire.title} sent no embeddings.`)
    })
    if (vectors?.length !== texts.length) return yield* fail(`${wire.title} sent no embedding for each text.`)
    return vectors.map(unit)
  })

  const embed: Embed = (texts, purpose) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: Math.ceil(texts.length / wire.maxTexts) }, (_, i) => texts.slice(i * wire.maxTexts, (i + 1) * wire.maxTexts)),
        (batch) => request(batch, purpose)
      ),
      (lists) => lists.flat()
    )
  return { embed, maxTexts: wire.maxTexts, name: `${route}/${model}` }
})

/** The same direction, of length 1: then a dot product is the similarity. */
const unit = (values: ReadonlyArray<number>): Float32Array => {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) || 1
  return Float32Array.from(values, (value) => value / length)
}
