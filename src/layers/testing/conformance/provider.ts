/**
 * The contract of every Provider, as cases that any test runner can run: a case fails with an assertion. Its model answers
 * every request with the text `Fine.`
 *
 *     for (const { name, run } of ProviderConformance.cases(MyProvider.layer, "mine/model")) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import { Provider } from "../../../services/Provider.ts"
import { type Case, over } from "./ServiceCase.ts"

const request: ModelRequest = {
  system: "You are a careful engineer.",
  messages: [{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }],
  tools: [],
  maxTokens: 1000
}

/** `layer` is built for each case; `model` is the full name of a model that it has. */
export const cases = <E>(layer: Layer.Layer<Provider, E>, model: string): ReadonlyArray<Case> => {
  const check = over(Provider, layer)
  const respond = Effect.fnUntraced(function*({ describe, prepare, stream }: Provider["Service"]) {
    return yield* Stream.runCollect(stream(yield* prepare(yield* describe(model), request)))
  })
  return [
    check("describes its model the same way each time, with room for a request", (provider) =>
      Effect.gen(function*() {
        const { maxOutput, window } = yield* provider.describe(model)
        assert.ok(window > 0 && maxOutput > 0 && maxOutput <= window, `window ${window}, maxOutput ${maxOutput}`)
        assert.deepEqual(yield* provider.describe(model), yield* provider.describe(model))
        yield* respond(provider)
      })),
    check("prepares the same request as the same JSON", (provider) =>
      Effect.gen(function*() {
        const described = yield* provider.describe(model)
        const { body } = yield* provider.prepare(described, request)
        assert.deepEqual(JSON.parse(JSON.stringify(body)), body)
        assert.equal(JSON.stringify((yield* provider.prepare(described, structuredClone(request))).body), JSON.stringify(body))
        yield* respond(provider)
      })),
    check("streams a response that ends with its only finish", (provider) =>
      Effect.gen(function*() {
        const chunks = (yield* respond(provider)).map(({ chunk }) => chunk)
        assert.equal(chunks.flatMap((chunk) => chunk._tag === "TextDelta" ? [chunk.text] : []).join(""), "Fine.")
        assert.equal(chunks.at(-1)?._tag, "Finish")
        assert.equal(chunks.filter(({ _tag }) => _tag === "Finish").length, 1)
      })),
    check("counts the time from the request on, and never back", (provider) =>
      Effect.gen(function*() {
        const times = (yield* respond(provider)).map(({ at }) => at)
        assert.ok(times.every((at, i) => at >= (times[i - 1] ?? 0)), `times ${times.join(", ")}`)
      }))
  ]
}
