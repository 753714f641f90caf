import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Message } from "../../../../src/domain/message/Message.ts"
import type { ModelRequest } from "../../../../src/domain/provider/ModelRequest.ts"
import * as ProviderLive from "../../../../src/layers/provider/ProviderLive.ts"
import { collect } from "../../../../src/layers/testing/CollectResponse.ts"
import { environment, request } from "../../../../src/layers/testing/conformance/route.ts"
import * as Scripted from "../../../../src/layers/testing/ScriptedProvider.ts"
import { Provider } from "../../../../src/services/Provider.ts"

const live = ProviderLive.layer().pipe(Layer.provide(environment({})))
const user = (text: string): Message => ({ role: "user", content: [{ _tag: "Text", text }] })
const assistant = (text: string): Message => ({ role: "assistant", content: [{ _tag: "Text", text }] })

/** Asks a model of this name, and puts the answer together. */
const ask = (name: string, asked: ModelRequest) =>
  Effect.gen(function*() {
    const provider = yield* Provider
    const model = yield* provider.describe(name)
    const timed = yield* Stream.runCollect(provider.stream(yield* provider.prepare(model, asked)))
    return collect(timed.map(({ chunk }) => chunk))
  })

const withFile = <A, E, R>(text: string, use: (name: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "script-"))
      writeFileSync(join(folder, "turns.jsonc"), text)
      return folder
    }),
    (folder) => use(`scripted/${join(folder, "turns.jsonc")}`),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const script = `{
  // Two turns: a call, then an end.
  "model": { "name": "Demo", "window": 1000, "price": { "input": 1, "output": 2 } },
  "turns": [
    { "reasoning": "Look first.", "text": "I read it.", "calls": [{ "name": "read_file", "params": { "path": "a.ts" } }], "chunkSize": 3 },
    { "text": "Done.", "expect": { "contains": ["export"], "lastResult": "export" }, "usage": { "input": 7, "output": 8 } },
  ]
}`

const answered = request([
  user("Begin"),
  { role: "assistant", content: [{ _tag: "ToolCall", id: "c", name: "read_file", params: { path: "a.ts" } }] },
  { role: "user", content: [{ _tag: "ToolResult", id: "c", name: "read_file", isError: false, content: [{ _tag: "Text", text: "export const a = 1" }] }] }
])

describe("a model from a file of turns", () => {
  it.live("plays the turn that the history has come to", () =>
    withFile(script, (name) =>
      Effect.gen(function*() {
        const model = yield* Effect.flatMap(Provider, (provider) => provider.describe(name))
        assert.deepStrictEqual([model.name, model.window, model.price], ["Demo", 1000, { input: 1, output: 2 }])
        const first = yield* ask(name, request([user("Begin")]))
        assert.deepStrictEqual([first.reasoning, first.text, first.calls], ["Look first.", "I read it.", [{ id: "call_1_1", name: "read_file", args: "{\"path\":\"a.ts\"}", ended: true }]])
        const second = yield* ask(name, answered)
        assert.deepStrictEqual([second.text, second.usage], ["Done.", { input: 7, output: 8, cacheRead: 0, cacheWrite: 0, reasoning: 0 }])
      }).pipe(Effect.provide(live))))

  it.live("writes its calls as XML where the request has no tools", () =>
    withFile(script, (name) =>
      Effect.gen(function*() {
        const { calls, text } = yield* ask(name, request([user("Begin")], { tools: [] }))
        assert.deepStrictEqual([text, calls], ["I read it.\n\n<read_file>\n<path>a.ts</path>\n</read_file>", []])
      }).pipe(Effect.provide(live))))

  it.live("says what it expected, what is left of its turns, and where its file is wrong", () =>
    Effect.gen(function*() {
      const message = (text: string, asked: ModelRequest) => withFile(text, (name) => ask(name, asked).pipe(Effect.flip, Effect.map(({ message }) => message)))
      assert.include(yield* message(script, request([user("Begin"), assistant("x"), user("Again")])), "Turn 2 of the script expected \"export\" in the newest message, which is: Again")
      assert.include(yield* message(script, request([user("a"), assistant("b"), user("c"), assistant("d"), user("e")])), "The script has 2 turns and was asked for number 3.")
      assert.match(yield* message("{\n\"turns\": [\n{ oops }\n] }", answered), /is not valid JSON: \w+ on line 3/)
      assert.match(yield* message("{ \"turns\": [{ \"text\": 1 }] }", answered), /is not a list of turns/)
      const absent = yield* Effect.flip(ask("scripted/absent.json", answered))
      assert.include(absent.message, "Could not read the script absent.json")
    }).pipe(Effect.provide(live)))

  it.live("fails as often as it is told to, after what it said before", () =>
    withFile(JSON.stringify({ turns: [{ text: "Half an answer", error: { reason: { _tag: "StreamBroken" }, times: 1 } }] }), (name) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(ask(name, request([user("Begin")])))
        assert.strictEqual(error.reason._tag, "StreamBroken")
        assert.strictEqual((yield* ask(name, request([user("Begin")]))).text, "Half an answer")
      }).pipe(Effect.provide(live))))
})

describe("the scripted provider of tests", () => {
  const run = <A, E>(turns: ReadonlyArray<Scripted.Turn>, effect: Effect.Effect<A, E, Provider>) => Effect.exit(Effect.provide(effect, Scripted.layer(turns)))
  const failure = <A, E>(exit: Exit.Exit<A, E>) => Exit.isFailure(exit) ? String(exit.cause.reasons.map((reason) => reason._tag === "Fail" ? String((reason.error as Error).message) : reason._tag === "Die" ? String(reason.defect) : "")) : ""

  it.live("answers turn by turn", () =>
    Effect.gen(function*() {
      const exit = yield* run([{ text: "One" }], ask("scripted/test", request([user("Go")])))
      assert.strictEqual(Exit.isSuccess(exit) ? exit.value.text : failure(exit), "One")
    }))
  it.live("fails when turns are left over", () =>
    Effect.gen(function*() {
      assert.include(failure(yield* run([{ text: "One" }, { text: "Two" }], ask("scripted/test", request([user("Go")])))), "nobody asked for:\n2:")
    }))
  it.live("keeps the error of a program that fails before it asked for all turns", () =>
    Effect.gen(function*() {
      const exit = yield* run([{ text: "One" }], Effect.fail("the program's own"))
      assert.deepStrictEqual(exit, Exit.fail("the program's own"))
    }))
  it.live("fails for a request that it does not expect", () =>
    Effect.gen(function*() {
      assert.include(failure(yield* run([{ text: "One" }], ask("scripted/test", request([user("a"), assistant("b"), user("c")])))), "The script has 1 turns and was asked for number 2.")
    }))
  it.live("fails when a call has no result, or two", () =>
    Effect.gen(function*() {
      const [said, called, result] = answered.messages
      const twice = { ...result!, content: [...result!.content, ...result!.content] }
      for (const messages of [[said!, called!, user("?")], [said!, called!, twice]]) {
        assert.include(failure(yield* run([{ text: "One" }, { text: "Two" }], ask("scripted/test", request(messages)))), "The call c of message 1 has not exactly one result")
      }
    }))
})
