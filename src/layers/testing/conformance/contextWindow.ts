/**
 * The contract of every ContextWindow, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of ContextWindowConformance.cases(MyContext.layer, session)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Message } from "../../../domain/message/Message.ts"
import type { Model } from "../../../domain/provider/Model.ts"
import type { Session } from "../../../domain/session/Session.ts"
import { ContextWindow } from "../../../services/ContextWindow.ts"
import * as Script from "../../../domain/provider/Script.ts"
import { type Case, over } from "./ServiceCase.ts"

const model: Model = Script.model("test", { turns: [] })

const conversation = (...texts: ReadonlyArray<string>): ReadonlyArray<Message> =>
  texts.map((text, i): Message => ({ role: i % 2 === 0 ? "user" : "assistant", content: [{ _tag: "Text", text }] }))

/** `session` works in a folder that the context window can gather facts of; the cases give it messages. */
export const cases = <E>(layer: Layer.Layer<ContextWindow, E>, session: Session): ReadonlyArray<Case> => {
  const check = over(ContextWindow, layer)
  const talk: Session = { ...session, messages: conversation("Count the doors.", "There are two.", "And the windows?") }
  return [
    check("gathers facts, and the same ones again while nothing changes", ({ gather }) =>
      Effect.gen(function*() {
        const facts = yield* gather(talk)
        assert.deepEqual(yield* gather({ ...talk, facts }), facts)
        assert.deepEqual(JSON.parse(JSON.stringify(facts)), facts, "facts are logged")
      })),
    check("plans the same request from the same session and facts", ({ gather, plan, weigh }) =>
      Effect.gen(function*() {
        const facts = yield* gather(talk)
        const planned = Effect.flatMap(weigh(talk, facts, model), (request) => plan(request))
        assert.deepEqual(yield* planned, yield* planned)
      })),
    check("sends the whole conversation, in order, with a system prompt", ({ gather, plan, weigh }) =>
      Effect.gen(function*() {
        const { request, system } = yield* plan(yield* weigh(talk, yield* gather(talk), model))
        assert.notEqual(system, "")
        assert.equal(request.system, system)
        const texts = request.messages.flatMap(({ content }) => content.flatMap((part) => part._tag === "Text" ? [part.text] : []))
        assert.deepEqual(texts.filter((text) => ["Count the doors.", "There are two.", "And the windows?"].includes(text)), [
          "Count the doors.",
          "There are two.",
          "And the windows?"
        ])
      })),
    check("leaves room for the response, within the window and the model's limit", ({ gather, plan, weigh }) =>
      Effect.gen(function*() {
        const { request, tokens } = yield* plan(yield* weigh(talk, yield* gather(talk), model))
        assert.ok(tokens > 0 && request.maxTokens > 0)
        assert.ok(tokens + request.maxTokens <= model.window && request.maxTokens <= model.maxOutput)
      })),
    check("fails for a request that does not fit, and counts it", ({ gather, plan, weigh }) =>
      Effect.gen(function*() {
        const long: Session = { ...session, messages: conversation("word ".repeat(model.window)) }
        const facts = yield* gather(long)
        const result = yield* Effect.result(Effect.flatMap(weigh(long, facts, model), (request) => plan(request)))
        assert.ok(Result.isFailure(result), "it should not fit")
        assert.equal(result.failure._tag, "ContextError")
        assert.ok(result.failure.tokens > model.window / 2 && result.failure.window === model.window)
      })),
    check("uses the texts that a log recorded", ({ gather, plan, weigh }) =>
      Effect.gen(function*() {
        const recorded = { system: "As it was then.", tools: [] }
        const { request, tools } = yield* plan(yield* weigh(talk, yield* gather(talk), model, recorded))
        assert.deepEqual([request.system, tools], [recorded.system, recorded.tools])
      })),
    check("reports what fills the window", ({ report }) =>
      Effect.gen(function*() {
        const { items, tokens, window } = yield* report(talk, model)
        assert.equal(window, model.window)
        assert.ok(tokens > 0)
        assert.equal(items.filter(({ kind }) => kind === "message").length, 3)
      }))
  ]
}
