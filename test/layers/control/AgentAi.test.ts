/** The agent for programs that use `effect/ai`: as a tool of another model, and as a model. */
import { assert, describe, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AgentLanguageModel from "../../../src/layers/control/AgentLanguageModel.ts"
import * as AgentToolkit from "../../../src/layers/control/AgentToolkit.ts"
import { runTask } from "../../../src/layers/control/RunTask.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Storage } from "../../../src/services/Storage.ts"

const options = { cwd: Test.cwd, model: "scripted/test" }
const reads = { calls: [{ name: "read_file", params: { path: "a.txt" } }] }
const writes = { calls: [{ name: "write_file", params: { path: "a.txt", content: "two\n" } }] }
const files = () => MemoryWorkspace.files({ "a.txt": "one\n" })

const usage = { inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
/** Another model, which delegates one task. */
const delegating = LanguageModel.make({
  generateText: () =>
    Effect.succeed([
      { type: "tool-call", id: "c1", name: "run_task", params: { prompt: "Read a.txt" } },
      { type: "finish", reason: "tool-calls", usage, response: undefined }
    ]),
  streamText: () => Stream.empty
})

describe("the agent as a toolkit", () => {
  it.effect("runs a task of another model, and reports how it ended", () =>
    Effect.gen(function*() {
      const model = yield* delegating
      const { toolResults } = yield* model.generateText({ prompt: "Delegate it", toolkit: AgentToolkit.toolkit })
      const { cost, ...result } = toolResults[0]!.result as { readonly cost: number }
      assert.deepStrictEqual({ ...result, session: "" } as {}, { session: "", state: "finished", result: "It says one." })
      assert.isAtLeast(cost, 0)
    }).pipe(
      Effect.provide(AgentToolkit.layer(options)),
      Effect.provide(Test.layer({ files: files(), turns: [reads, { text: "It says one." }] }))
    ))

  it.effect("reports a session that can't start as a result", () =>
    Effect.gen(function*() {
      const model = yield* delegating
      const { toolResults } = yield* model.generateText({ prompt: "Delegate it", toolkit: AgentToolkit.toolkit })
      assert.isTrue(toolResults[0]?.isFailure)
      assert.include(JSON.stringify(toolResults[0]?.result), "unknown tool")
    }).pipe(
      Effect.provide(AgentToolkit.layer({ ...options, rules: { allow: ["NoSuchTool"], ask: [], deny: [] } })),
      Effect.provide(Test.layer({}))
    ))
})

describe("the agent as a model", () => {
  const withAgent = <A, E, E2>(program: Effect.Effect<A, E, LanguageModel.LanguageModel | Storage>, world: Layer.Layer<Agent | Storage, E2>) =>
    program.pipe(Effect.provide(Layer.provideMerge(AgentLanguageModel.layer(options), world)))

  it.effect("responds with the result of a task, and its usage", () =>
    withAgent(Effect.gen(function*() {
      const { finishReason, text, usage } = yield* LanguageModel.generateText({ prompt: "What does a.txt say?" })
      assert.deepStrictEqual([text, finishReason], ["It says one.", "stop"])
      assert.isAbove(usage.outputTokens.total ?? 0, 0)
      const sessions = yield* Effect.flatMap(Storage, ({ list }) => list({}))
      assert.strictEqual(sessions.length, 1)
    }), Test.layer({ files: files(), turns: [reads, { text: "It says one." }] })))

  it.effect("streams the result", () =>
    withAgent(Effect.gen(function*() {
      const parts = yield* Stream.runCollect(LanguageModel.streamText({ prompt: "What does a.txt say?" }))
      assert.strictEqual(parts.map((part) => part.type === "text-delta" ? part.delta : "").join(""), "It says one.")
      assert.strictEqual(parts.at(-1)?.type, "finish")
    }), Test.layer({ files: files(), turns: [reads, { text: "It says one." }] })))

  it.effect("has the model correct a response that its schema does not decode", () =>
    withAgent(Effect.gen(function*() {
      const { usage, value } = yield* LanguageModel.generateObject({ prompt: "How many lines?", schema: Schema.Struct({ lines: Schema.Int }) })
      assert.deepStrictEqual(value, { lines: 1 })
      assert.isAbove(usage.inputTokens.total ?? 0, 0)
      assert.strictEqual((yield* Effect.flatMap(Storage, ({ list }) => list({}))).length, 1)
    }), Test.layer({ turns: [{ text: "One, I think." }, { text: "{\"lines\":\"one\"}" }, { text: "{\"lines\":1}" }] })))

  it.effect("fails with the problem of a response that is never corrected", () =>
    withAgent(Effect.gen(function*() {
      const error = yield* Effect.flip(LanguageModel.generateObject({ prompt: "How many lines?", schema: Schema.Struct({ lines: Schema.Int }) }))
      assert.include(error.message, "it is not valid JSON")
    }), Test.layer({ turns: Array.from({ length: 4 }, () => ({ text: "One." })) })))

  it.effect("responds with an object of a schema", () =>
    withAgent(Effect.gen(function*() {
      const { value } = yield* LanguageModel.generateObject({ prompt: "How many lines?", schema: Schema.Struct({ lines: Schema.Int }) })
      assert.deepStrictEqual(value, { lines: 1 })
    }), Test.layer({ files: files(), turns: [reads, { text: "```json\n{\"lines\":1}\n```" }] })))

  it.effect("sees who said what in a conversation", () =>
    withAgent(Effect.gen(function*() {
      const { text } = yield* LanguageModel.generateText({
        prompt: [{ role: "system", content: "Be brief." }, { role: "user", content: "One?" }, { role: "assistant", content: "Yes." }, { role: "user", content: "Two?" }]
      })
      assert.strictEqual(text, "No.")
    }), Test.layer({ turns: [{ text: "No.", expect: { contains: ["<system>\nBe brief.\n</system>", "<assistant>\nYes.\n</assistant>", "<user>\nTwo?\n</user>"] } }] })))

  it.effect("refuses tools of the caller", () =>
    withAgent(Effect.gen(function*() {
      const error = yield* Effect.flip(LanguageModel.generateText({ prompt: "Hello", toolkit: AgentToolkit.toolkit, disableToolCallResolution: true }))
      assert.include(error.message, "its own tools")
    }), Test.layer({})))

  it.effect("fails where the task fails", () =>
    withAgent(Effect.gen(function*() {
      const error = yield* Effect.flip(LanguageModel.generateText({ prompt: "Hello" }))
      assert.include(error.message, "no key")
    }), Test.layer({ turns: [{ error: { reason: { _tag: "Auth" }, message: "no key" } }] })))
})

describe("a task that nobody watches", () => {
  it.effect("is asked about like any other, and denied where nobody allows it", () =>
    Effect.gen(function*() {
      const { result, state } = yield* runTask("Change it", { ...options, mode: "dontAsk" })
      assert.deepStrictEqual([state, result], ["finished", "I may not."])
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [writes, { text: "I may not." }] }))))

  it.effect("has limits, which the program may change", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const limits = (session: string) => Effect.map(agent.state(session), ({ settings: { limits: { turns, wallMs } } }) => [turns, wallMs])
      assert.deepStrictEqual(yield* limits((yield* runTask("Hello", options)).id), [100, 1_800_000])
      assert.deepStrictEqual(yield* limits((yield* runTask("Hello", { ...options, limits: { mistakes: 3, repeats: 3, turns: 2 } })).id), [2, 1_800_000])
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Hello." }] }))))

  it.live("ends with the fiber that runs it", () =>
    Effect.gen(function*() {
      const { list } = yield* Storage
      const agent = yield* Agent
      const fiber = yield* Effect.forkChild(runTask("Wait", options))
      const [session] = yield* Effect.repeat(list({}), { until: (all) => all.length > 0 })
      yield* agent.follow(session!.id, 0).pipe(Stream.filter((item) => item._tag === "Settled" && item.at.event._tag === "ModelRequested"), Stream.take(1), Stream.runDrain)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* agent.state(session!.id)).task.state, "interrupted")
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Never.", holds: 0 }] }))))
})
