import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inMemory, text } from "../tool/world.ts"

const article = `<html><head><title>Threads</title><script>steal()</script></head><body><nav>Home</nav>
<article><h1>Threads</h1><p>${"A thread runs beside others. ".repeat(20)}</p><pre><code>spawn(f)</code></pre><ul><li>first</li></ul></article></body></html>`

describe("fetch_url", () => {
  it.effect("gives an article as Markdown, without what runs in it", () =>
    inMemory({ pages: { "https://docs.test/threads": article } }, ({ call }) =>
      Effect.map(call("fetch_url", { url: "https://docs.test/threads" }), (outcome) => {
        const shown = text(outcome)
        assert.include(shown, "# Threads")
        assert.include(shown, "A thread runs beside others.")
        assert.include(shown, "spawn(f)")
        assert.notInclude(shown, "steal")
        assert.notInclude(shown, "<p>")
      })))

  it.effect("gives other text as it is", () =>
    inMemory({ pages: { "https://api.test/x": { type: "application/json", text: "{\"a\": 1}", isTruncated: false } } }, ({ call }) =>
      Effect.map(call("web_fetch", { url: "https://api.test/x" }), (outcome) => assert.include(text(outcome), "{\"a\": 1}"))))

  it.effect("says why a page was not fetched", () =>
    inMemory({}, ({ call }) =>
      Effect.gen(function*() {
        const inside = yield* call("fetch_url", { url: "http://169.254.169.254/latest" })
        assert.strictEqual(inside.status, "failed")
        assert.include(text(inside), "metadata")
        assert.include(text(yield* call("fetch_url", { url: "https://none.test/" })), "404")
      })))
})
