/**
 * The contract of every WebSearch, as cases that any test runner can run: a case fails with an assertion. The implementation must have
 * results for the query `node sqlite`, none for `nothing at all`, and must fail for `broken`.
 *
 *     for (const { name, run } of WebSearchConformance.cases(MyWebSearch.layer)) it.effect(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WebError } from "../../../domain/network/WebError.ts"
import { WebSearch, type WebSearchService } from "../../../services/lookup/WebSearch.ts"
import type { Case } from "./ServiceCase.ts"

/** `at` names the route and the model of the session that searches. `layer` is built for each case. */
export const cases = <E>(
  layer: Layer.Layer<never, E>,
  at: { readonly route: string; readonly model?: string } = { route: "test" }
): ReadonlyArray<Case> => {
  const check = (name: string, body: (service: WebSearchService) => Effect.Effect<void, unknown>): Case => ({
    name,
    run: Effect.scoped(Effect.provide(Effect.flatMap(WebSearch, body), Layer.fresh(layer)))
  })
  const query = (query: string) => ({ query, allowedDomains: [], blockedDomains: [] })
  return [
    check("gives results with an address and a title, under the name of the service", ({ search }) =>
      Effect.gen(function*() {
        const { query: { maxResults }, results, title } = yield* search(query("node sqlite"), at)
        assert.notEqual(title, "")
        assert.ok(results.length > 0 && results.length <= maxResults)
        for (const result of results) {
          assert.match(result.url, /^https?:\/\//)
          assert.equal(typeof result.title, "string")
        }
      })),
    check("says what was searched", ({ search }) =>
      Effect.gen(function*() {
        const limited = { ...query("node sqlite"), allowedDomains: ["nodejs.org"] }
        const { query: { maxResults, ...searched } } = yield* search(limited, at)
        assert.deepEqual(searched, limited)
        assert.ok(Number.isInteger(maxResults) && maxResults > 0)
      })),
    check(
      "finds nothing without failing",
      ({ search }) => Effect.map(search(query("nothing at all"), at), ({ results }) => assert.deepEqual(results, []))
    ),
    check("fails with a sentence", ({ search }) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(search(query("broken"), at))
        assert.ok(error instanceof WebError)
        assert.match(error.message, /\S/)
      })),
    check("keeps searches at the same time apart", ({ search }) =>
      Effect.gen(function*() {
        const texts = ["node sqlite", "nothing at all", "node sqlite"]
        const responses = yield* Effect.forEach(texts, (text) => search(query(text), at), { concurrency: "unbounded" })
        assert.deepEqual(
          responses.map(({ query, results }) => [query.query, results.length > 0]),
          texts.map((text) => [text, text === "node sqlite"])
        )
      }))
  ]
}
