/**
 * The contract of every CodeSearch, as cases that any test runner can run: a case fails with an assertion. The implementation must
 * search a workspace with the files of `files`.
 *
 *     for (const { name, run } of CodeSearchConformance.cases(MyCodeSearch.layer)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CodeSearch, type CodeHit, type CodeSearchResult } from "../../../services/lookup/CodeSearch.ts"
import type { Case } from "./ServiceCase.ts"

/** The workspace: paths and texts. */
export const files: Readonly<Record<string, string>> = {
  "src/net/retry.ts": "import * as Clock from \"./clock.ts\"\n\n" +
    "/** How long to wait before the next attempt. */\nexport const delayBeforeRetry = (attempt: number) => 100 * 2 ** attempt\n",
  "src/basket.ts": "export const total = (prices: ReadonlyArray<number>) => prices.reduce((sum, price) => sum + price, 0)\n",
  "docs/retries.md": "# Retries\n\nA failed request is sent again after a delay before each retry.\n"
}

/** `layer` is built for each case. */
export const cases = <E>(layer: Layer.Layer<never, E>): ReadonlyArray<Case> => {
  const check = (
    name: string,
    body: (search: (query: string, folder?: string, limit?: number) => Effect.Effect<CodeSearchResult, unknown>) => Effect.Effect<
      void,
      unknown
    >
  ): Case => ({
    name,
    run: Effect.scoped(Effect.provide(
      Effect.flatMap(CodeSearch, ({ search }) => body((query, folder = ".", limit = 5) => search(query, folder, limit))),
      Layer.fresh(layer)
    ))
  })
  const pathsOf = ({ hits }: CodeSearchResult) => hits.map(({ path }) => path)
  const linesOf = ({ end, path, start }: CodeHit) => files[path]!.split("\n").slice(start - 1, end).join("\n")
  return [
    check("finds a part by the words in its names, as lines of the file", (search) =>
      Effect.gen(function*() {
        const result = yield* search("delay before retry")
        const hit = result.hits.find(({ path }) => path === "src/net/retry.ts")
        assert.ok(hit !== undefined)
        assert.ok(hit.start >= 1 && hit.end >= hit.start)
        assert.match(hit.text, /delayBeforeRetry/)
        for (const one of result.hits) assert.equal(one.text.trimEnd(), linesOf(one).trimEnd())
      })),
    check("gives no more hits than asked for, each once", (search) =>
      Effect.gen(function*() {
        const { hits } = yield* search("retry delay before", ".", 1)
        assert.equal(hits.length, 1)
        const all = yield* search("retry delay before", ".", 50)
        assert.equal(new Set(all.hits.map(({ path, start }) => `${path}:${start}`)).size, all.hits.length)
      })),
    check("searches a folder alone", (search) =>
      Effect.gen(function*() {
        const result = yield* search("delay before retry", "docs")
        assert.deepEqual([...new Set(pathsOf(result))], ["docs/retries.md"])
      })),
    check("finds nothing without failing", (search) => Effect.map(search("zebra"), ({ hits }) => assert.deepEqual(hits, []))),
    check("finds the same again", (search) =>
      Effect.gen(function*() {
        assert.deepEqual(yield* search("sum of prices"), yield* search("sum of prices"))
      }))
  ]
}
