/** What a task does when its model can't answer. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import { phase } from "../../../src/domain/session/Session.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent, type SessionOptions } from "../../../src/services/Agent.ts"
import { begin, events, of, replays, run, tags, until } from "./world.ts"
import * as Stream from "effect/Stream"
import type { Followed } from "../../../src/domain/session/SessionEvent.ts"

/** Waits for the first words of an answer. */
const untilSaid = <E>(followed: Stream.Stream<Followed, E>) =>
  Stream.runDrain(Stream.takeUntil(followed, ({ _tag }) => _tag === "Parsed"))

const fails = (reason: ProviderReason, times?: number) => ({ error: { reason, message: "Nobody is there.", ...(times === undefined ? {} : { times }) } })
const overloaded = { _tag: "Overloaded" } as const

/** A whole task while time flies. */
const flying = (prompt: string, wanted: Partial<SessionOptions> = {}) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(run(prompt, wanted))
    return yield* Effect.race(Fiber.join(fiber), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))))
  })

describe("a model that is overloaded", () => {
  it.effect("is tried six times, then the fallback responds in its own format until the task ends", () =>
    Effect.gen(function*() {
      const { id, session } = yield* flying("Go", { fallback: "scripted/second" })
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const log = yield* events(id)
      expect(tags(log).filter((tag) => tag !== "ModelRetrying")).toEqual([
        "SessionStarted", "UserSaid", "ContextPlanned", "ModelRequested", "ModelFailed",
        "FallbackTaken", "ContextPlanned", "ModelRequested", "ModelResponded", "TaskFinished"
      ])
      expect(of(log, "ModelRetrying").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5])
      expect(of(log, "FallbackTaken")[0]).toMatchObject({ model: { id: "second" }, toolFormat: "native", why: "Nobody is there." })
      expect(of(log, "ModelRequested").map(({ model }) => model)).toEqual(["scripted/test", "scripted/second"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...fails(overloaded, 6), text: "Done." }] }))))

  it.effect("is waited for without a fallback, in a separate phase, and tried every half minute", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin()
      yield* agent.say(id, "Go")
      yield* Effect.race(until(id, "ModelWaiting"), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))))
      expect(phase(yield* agent.state(id))).toBe("waiting for the provider")
      const session = yield* Effect.race(agent.settled(id), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))))
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const log = yield* events(id)
      expect(of(log, "ModelWaiting")).toEqual([1, 2].map(() => ({ _tag: "ModelWaiting", message: "Nobody is there.", delayMs: 30_000 })))
      expect(of(log, "ModelRetrying").length).toBe(5)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...fails(overloaded, 7), text: "Done." }] }))))

  it.effect("fails the task after ten minutes, and it can be resumed", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id, session } = yield* flying("Go")
      expect(session.task).toMatchObject({ state: "failed", failure: "provider" })
      expect(session.task.result).toContain("Gave up after waiting 10 min")
      expect(of(yield* events(id), "ModelWaiting").length).toBe(20)
      yield* agent.resume(id, { overrides: {}, shouldContinue: true })
      const again = yield* Effect.race(agent.settled(id), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))))
      expect(again.task).toMatchObject({ state: "finished", result: "Done." })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...fails(overloaded, 6 + 20), text: "Done." }] }))))

  it.effect("is not waited for if the user disabled that, or for our own errors", () =>
    Effect.gen(function*() {
      const { id, session } = yield* flying("Go", { limits: { mistakes: 3, repeats: 3, waitMs: 0 } })
      expect(session.task).toMatchObject({ state: "failed", result: "Nobody is there." })
      expect(tags(yield* events(id))).not.toContain("ModelWaiting")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [fails({ _tag: "Connection" })] }))))
})

describe("a model without credit", () => {
  it.effect("is replaced by the next of the chain, and used again ten minutes later", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Go", { fallback: ["scripted/second", "scripted/third"] })
      yield* TestClock.adjust("10 minutes")
      yield* agent.say(id, "And on")
      expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "Back." })
      const log = yield* events(id)
      expect(of(log, "FallbackTaken").map(({ model, place }) => [place, model.id])).toEqual([[1, "second"], [0, "test"]])
      expect(of(log, "ModelRequested").map(({ model }) => model)).toEqual(["scripted/test", "scripted/second", "scripted/test"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...fails({ _tag: "Quota" }, 1), text: "Done." }, { text: "Back." }] }))))
})

describe("a provider that asks for a day", () => {
  const day = { _tag: "RateLimited", retryAfterMs: 86_400_000 } as const

  it.effect("stops a headless task at once", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Go", { onAsk: "deny" })
      expect(session.task).toMatchObject({ state: "failed", failure: "provider" })
      expect(session.task.result).toContain("dacapo --continue")
      expect(tags(yield* events(id)).slice(-2)).toEqual(["ModelFailed", "TaskFailed"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [fails(day)] }))))

  it.effect("is waited for if the user agrees", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(run("Go"))
      yield* Effect.yieldNow
      const { id, session } = yield* Effect.race(Fiber.join(fiber), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 hour"))))
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      expect(of(yield* events(id), "ModelWaiting").map(({ delayMs }) => delayMs)).toEqual([86_400_000])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ ...fails(day, 1), text: "Done." }], words: ["Wait"] }))))

  it.effect("is not waited for if the user declines", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Go")
      expect(session.task).toMatchObject({ state: "failed", failure: "provider" })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [fails(day)], words: ["Stop"] }))))
})

describe("an answer that breaks", () => {
  it.effect("is requested again completely, three times; the partial response and its cost stay in the log", () =>
    Effect.gen(function*() {
      const { id, session } = yield* flying("Go")
      expect(session.task).toMatchObject({ state: "failed", failure: "provider" })
      const log = yield* events(id)
      const broken = [...of(log, "ModelRetrying"), ...of(log, "ModelFailed")]
      expect(broken.length).toBe(4)
      expect(broken.every(({ draft, spent }) => typeof draft === "string" && spent?.usage.estimated === true && spent.usage.output > 0)).toBe(true)
      expect(session.usage).toMatchObject({ estimated: true, output: 4 * broken[0]!.spent!.usage.output })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Some words that came.", ...fails({ _tag: "StreamBroken" }) }] }))))

  it.effect("because the user stopped it precedes the next user message", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin()
      yield* agent.say(id, "Go")
      yield* Effect.race(
        agent.follow(id, 0).pipe((followed) => Effect.asVoid(untilSaid(followed))),
        Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second")))
      )
      yield* agent.interrupt(id, "Esc")
      expect(of(yield* events(id), "ModelFailed")[0]).toMatchObject({ reason: { _tag: "Interrupted" }, said: "Some words, " })
      yield* agent.say(id, "Shorter, please")
      const session = yield* Effect.race(agent.settled(id), Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("1 second"))))
      expect(session.messages.map(({ content, role }) => [role, content[0]?._tag === "Text" ? content[0].text : ""])).toEqual([
        ["user", "Go"],
        ["assistant", "Some words,\n\n[interrupted by the user]"],
        ["user", "Shorter, please"],
        ["assistant", "Done."]
      ])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Some words, and many more.", chunkSize: 12, delayMs: 1_000 }, { text: "Done." }] }))))
})
