/** Money and tokens: reserved before a request, settled after it, never passed, by the session and its children together. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import { ProviderError } from "../../../src/domain/provider/ProviderError.ts"
import * as Script from "../../../src/domain/provider/Script.ts"
import * as Budget from "../../../src/domain/session/Budget.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"
import * as PlayScript from "../../../src/layers/provider/routes/PlayScript.ts"
import { Provider } from "../../../src/services/Provider.ts"
import { Agent } from "../../../src/services/Agent.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as World from "./world.ts"

/** USD for a million tokens. */
const price = { input: 3, output: 15 }
const model = { price, maxOutput: 64_000 }
const limits = { mistakes: 3, repeats: 3 }
const usage = { input: 4000, output: 100 }
const list = { calls: [{ name: "list_files", params: { path: "." } }], usage }
const headless = { onAsk: "deny" } as const

const reported = (output: number, final: boolean): Chunk => ({ _tag: "Usage", usage: { ...Usage.zero, input: usage.input, output }, final })

/** A model whose first two answers break off after these chunks, when it has reported what they cost so far. */
const cutTwice = (chunks: ReadonlyArray<Chunk>) => {
  let attempts = 0
  const broken = new ProviderError({ provider: "scripted", message: "Cut.", reason: { _tag: "StreamBroken" } })
  const answer = () => {
    attempts += 1
    return attempts <= 2
      ? Stream.concat(Stream.fromIterable([reported(8, false), ...chunks]), Stream.fail(broken))
      : Stream.fromIterable<Chunk>([{ _tag: "TextDelta", text: "Done." }, reported(usage.output, true), { _tag: "Finish", reason: "stop", raw: "" }])
  }
  return Layer.succeed(Provider, Provider.of({
    describe: (name) => Effect.succeed(Script.model(name, { model: { ...model, maxOutput: 4_000 }, turns: [] })),
    prepare: (model, request) => Effect.succeed({ model, request, body: PlayScript.encode(request) }),
    stream: () => Stream.map(Stream.suspend(answer), (chunk) => ({ at: 0, chunk }))
  }))
}

const spent = ({ input, output }: { readonly input: number; readonly output: number }) => (input * price.input + output * price.output) / 1e6

describe("a budget", () => {
  it.effect("of a cent stops a task before the request that could exceed it", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 0.01 } })
      const log = yield* World.events(id)
      expect(session.task).toMatchObject({ state: "failed", failure: "budget" })
      expect(session.task.result).toMatch(/^The session budget of \$0\.01 does not cover the next request: \$0\.01 is left, and the request could cost up to \$0\.0\d+\.$/)
      expect(World.of(log, "ModelRequested")).toEqual([])
      expect(World.of(log, "BudgetExhausted")).toMatchObject([{ level: "session", unit: "usd", limit: 0.01, left: 0.01 }])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [], model }))))

  it.effect("of a dollar runs a task on a model of 64K output tokens: the answer is clipped to what it pays", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 1 } })
      const log = yield* World.events(id)
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const [reserved, again] = World.of(log, "BudgetReserved")
      expect(reserved!.usd).toBeLessThanOrEqual(1)
      expect(again!.usd).toBeLessThanOrEqual(1 - spent(usage))
      expect(World.of(log, "ModelRequested").every(({ maxTokens }) => maxTokens >= 1024 && maxTokens <= 64_000)).toBe(true)
      expect(World.of(log, "BudgetSettled")).toMatchObject([{ usd: spent(usage), tokens: 4100 }, { usd: spent(usage), tokens: 4100 }])
      expect(session.budget.spent).toMatchObject({ tokens: 8200 })
      expect(session.budget.reservations.size).toBe(0)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [list, { text: "Done.", usage }], model }))))

  it.effect("in tokens stops like one in money, and says which it was", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, tokens: 7000 } })
      expect(session.task).toMatchObject({ state: "failed", failure: "budget" })
      expect(session.task.result).toContain("The session budget of 7000 tokens does not cover")
      expect(World.of(yield* World.events(id), "ModelResponded").length).toBeGreaterThan(0)
      expect(session.budget.spent.tokens).toBeLessThanOrEqual(7000)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [list] }))))

  it.live("charges an attempt without usage with all that was reserved for it", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 10 } })
      const log = yield* World.events(id)
      const [first] = World.of(log, "BudgetReserved")
      const [broken, whole] = World.of(log, "BudgetSettled")
      expect(session.task.state).toBe("finished")
      expect(broken).toMatchObject({ usd: first!.usd, tokens: first!.tokens })
      expect(whole).toMatchObject({ usd: spent(usage) })
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done.", usage, error: { reason: { _tag: "StreamBroken" }, times: 1 } }], model }))))

  it.live("charges an attempt that was cut with what the provider had reported of it", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 0.2 } })
      const log = yield* World.events(id)
      expect(session.task.state).toBe("finished")
      const cost = spent({ input: 4000, output: 8 })
      expect(World.of(log, "ModelRetrying").map(({ spent }) => spent?.cost)).toEqual([cost, cost])
      expect(World.of(log, "BudgetSettled")).toMatchObject([{ usd: cost }, { usd: cost }, { usd: spent(usage) }])
      expect(World.of(log, "BudgetSettled").map(({ isUpperBound }) => isUpperBound)).toEqual([undefined, undefined, undefined])
      expect(session.budget.spent.usd).toBeCloseTo(session.cost, 10)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [], provider: cutTwice([{ _tag: "TextDelta", text: "I begin here, and then" }]) }))))

  it.live("charges all of it where thoughts may hide what an attempt cost, and says so", () =>
    Effect.gen(function*() {
      const { id } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 10 } })
      const log = yield* World.events(id)
      const [first] = World.of(log, "BudgetReserved")
      expect(World.of(log, "BudgetSettled")[0]).toMatchObject({ usd: first!.usd, isUpperBound: true })
      expect(Budget.settlementNotes(World.of(log, "BudgetSettled")[0]!)).toEqual([expect.stringMatching(/^The provider did not report the cost of the last request\. The budget counts the full amount reserved for it: \$\d/)])
      expect(World.of(log, "BudgetSettled").at(-1)).not.toHaveProperty("isUpperBound")
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [], provider: cutTwice([{ _tag: "ReasoningDelta", text: "Hm." }]) }))))

  it.live("does not charge an attempt that the server refused", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 1 } })
      const log = yield* World.events(id)
      expect(session.task.state).toBe("finished")
      expect(World.of(log, "ModelRetrying")).toHaveLength(1)
      expect(World.of(log, "BudgetReserved")).toHaveLength(2)
      expect(World.of(log, "BudgetSettled")).toMatchObject([{ usd: spent(usage) }, { usd: spent(usage) }])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...list, error: { reason: { _tag: "RateLimited", retryAfterMs: 1 }, times: 1 } }, { text: "Done.", usage }], model }))))

  it.effect("stops between two attempts if the second is not affordable", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 1.2 } })
      const log = yield* World.events(id)
      expect(session.task).toMatchObject({ state: "failed", failure: "budget" })
      expect(World.of(log, "BudgetReserved")).toHaveLength(1)
      expect(session.budget.spent.usd).toBeLessThanOrEqual(1.2)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done.", usage, error: { reason: { _tag: "StreamBroken" }, times: 1 } }], model }))))

  it.effect("warns once at 80% and once at 90%", () =>
    Effect.gen(function*() {
      const { id } = yield* World.run("Go", { ...headless, limits: { ...limits, usd: 1 } })
      const warnings = World.of(yield* World.events(id), "BudgetSettled").flatMap(({ warning }) => warning ?? [])
      expect(warnings).toEqual([80, 90])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      model,
      turns: [
        { ...list, usage: { input: 200_000, output: 14_000 } },
        { calls: [{ name: "list_files", params: { path: ".", depth: 2 } }], usage: { input: 1000, output: 3000 } },
        { calls: [{ name: "list_files", params: { path: ".", depth: 3 } }], usage: { input: 1000, output: 3000 } },
        { text: "Done.", usage: { input: 1000, output: 10 } }
      ]
    }))))

  it.effect("asks if a user is there, and continues with what they allow", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { limits: { ...limits, usd: 0.06 } })
      const log = yield* World.events(id)
      expect(World.of(log, "BudgetRaised")).toMatchObject([{ level: "session", unit: "usd" }])
      expect(session.settings.limits.usd).toBeGreaterThan(0.06)
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...list, usage: { input: 10_000, output: 500 } }, { text: "Done.", usage }], model, words: ["Continue"] }))))

  it.effect("ends the task if the user declines", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("Go", { limits: { ...limits, usd: 0.001 } })
      expect(session.task).toMatchObject({ state: "failed", failure: "budget" })
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [], model, words: ["no thanks"] }))))

  it.effect("of a task starts again with the next one", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const wanted = { ...headless, limits: { ...limits, taskUsd: 0.08 } }
      const { id } = yield* World.run("One", wanted)
      yield* agent.say(id, "Two")
      const session = yield* agent.settled(id)
      expect(session.task).toMatchObject({ state: "finished", result: "Two." })
      expect(session.budget.spent.usd).toBeGreaterThan(0.08)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [{ text: "One.", usage: { input: 10_000, output: 1000 } }, { text: "Two.", usage: { input: 10_000, output: 1000 } }],
      model
    }))))

  it.effect("needs a price, and says how to set one", () =>
    Effect.gen(function*() {
      const refused = yield* Effect.flip(World.begin({ limits: { ...limits, usd: 1 } }))
      expect(refused).toMatchObject({ _tag: "SettingsError" })
      expect(refused.message).toContain("\"prices\": { \"scripted/test\": { \"input\"")
      const id = yield* World.begin({ limits: { ...limits, usd: 1 }, prices: { "scripted/test": price } })
      expect((yield* (yield* Agent).state(id)).settings.model.price).toEqual(price)
    }).pipe(Effect.provide(Test.layer({ turns: [] }))))
})

describe("the budget of a session that starts others", () => {
  it.effect("is spent by them, and stops them before the request that could exceed it", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const parent = yield* World.begin({ ...headless, limits: { ...limits, usd: 0.08 } })
      const child = yield* World.begin({ ...headless, parent })
      yield* agent.say(child, "Go")
      const ended = yield* agent.settled(child)
      expect(ended.task).toMatchObject({ state: "failed", failure: "budget" })
      expect(ended.task.result).toContain("The parent session budget")
      const above = yield* agent.state(parent)
      expect(above.budget.spent.usd).toBeCloseTo(ended.budget.spent.usd, 10)
      expect(above.budget.spent.usd).toBeLessThanOrEqual(0.08)
      expect(above.budget.reservations.size).toBe(0)
      yield* World.replays(child)
      yield* World.replays(parent)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...list, usage: { input: 20_000, output: 1000 } }], model }))))

  it.effect("is shared by children side by side", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const parent = yield* World.begin({ ...headless, limits: { ...limits, usd: 1 } })
      const children = yield* Effect.forEach([1, 2, 3], () => World.begin({ ...headless, parent }))
      yield* Effect.forEach(children, (child) => agent.say(child, "Go"), { concurrency: "unbounded" })
      const ends = yield* Effect.forEach(children, agent.settled, { concurrency: "unbounded" })
      const log = yield* World.events(parent)
      // At no moment was more than the budget held and spent.
      let held = new Map<string, number>()
      let spentSoFar = 0
      for (const { event } of log) {
        if (event._tag === "BudgetReserved") held.set(event.child!, event.usd)
        if (event._tag === "BudgetSettled") {
          held.delete(event.child!)
          spentSoFar += event.usd
        }
        expect([...held.values()].reduce((sum, usd) => sum + usd, spentSoFar)).toBeLessThanOrEqual(1 + 1e-9)
      }
      expect(ends.some(({ task }) => task.state === "finished")).toBe(true)
      yield* Effect.forEach([parent, ...children], World.replays)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done.", usage }], model }))))

  it.effect("bounds what the user spends in a day, over all sessions", () =>
    Effect.gen(function*() {
      const wanted = { ...headless, limits: { ...limits, dayUsd: 0.2 } }
      const first = yield* World.run("One", wanted)
      expect(first.session.task.state).toBe("finished")
      const second = yield* World.run("Two", wanted)
      expect(second.session.task).toMatchObject({ state: "failed", failure: "budget" })
      expect(second.session.task.result).toContain("The daily budget of $0.2 ")
      yield* World.replays(first.id)
      yield* World.replays(second.id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done.", usage: { input: 40_000, output: 4000 } }], model }))))
})
