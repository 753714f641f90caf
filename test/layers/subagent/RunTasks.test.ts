/** Delegated work: subagents side by side, their reports combined, and what becomes of those that fail. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Message from "../../../src/domain/message/Message.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as World from "../agent/world.ts"

const asks = (tasks: ReadonlyArray<object>) => ({ calls: [{ name: "delegate", params: { tasks } as never }] })
const finds = (prompt: string, text: string) => ({ prompt, turns: [{ text }] })

const resultOf = (log: Parameters<typeof World.of>[0]): string => Message.text(World.of(log, "ToolFinished")[0]!.outcome.content)

describe("delegate", () => {
  it.effect("passes the result of one child", () =>
    Effect.gen(function*() {
      const { id, session } = yield* World.run("look around")
      assert.strictEqual(session.task.result, "done")
      const log = yield* World.events(id)
      assert.strictEqual(resultOf(log), "There is one door.")
      const [child] = World.of(log, "ChildStarted")
      const storage = yield* Storage
      assert.deepStrictEqual((yield* storage.list({ parent: id })).map((one) => [one.id, one.title]), [[child!.session, "doors"]])
      assert.deepStrictEqual((yield* storage.list({ parent: null })).map((one) => one.id), [id])
      yield* World.replays(id)
      yield* World.replays(child!.session)
    }).pipe(Effect.provide(Test.layer({
      turns: [asks([{ prompt: "Count the doors.", name: "doors" }]), { text: "done", expect: { lastResult: "There is one door." } }],
      children: [finds("Count the doors.", "There is one door.")]
    }))))

  it.effect("makes one answer of several, keeps what only one found, and tells of the one that failed", () =>
    Effect.gen(function*() {
      const { id } = yield* World.run("look around")
      const log = yield* World.events(id)
      const result = resultOf(log)
      assert.include(result, "The login is safe.")
      assert.include(result, "the cache never expires")
      assert.include(result, "3. third: failed.")
      assert.strictEqual(World.of(log, "SynthesisEnded").length, 1)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [asks([{ prompt: "one?", name: "first" }, { prompt: "two?", name: "second" }, { prompt: "three?", name: "third" }]), { text: "done" }],
      children: [
        finds("one?", "- The login is safe."),
        finds("two?", "- The login is safe.\n- In src/cache.ts:12 the cache never expires."),
        { prompt: "three?", turns: [{ error: { reason: { _tag: "BadRequest" }, message: "No such thing." } }] }
      ],
      synthesis: { text: "The login is safe." }
    }))))

  it.effect("answers with the combination where no model can write one", () =>
    Effect.gen(function*() {
      const { id } = yield* World.run("look around")
      const log = yield* World.events(id)
      assert.include(resultOf(log), "2 of 2 tasks finished.")
      assert.include(resultOf(log), "## Conflict")
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [asks([{ prompt: "one?" }, { prompt: "two?" }]), { text: "done" }],
      children: [finds("one?", "- The build passes."), finds("two?", "- The build fails.")],
      synthesis: { error: { reason: { _tag: "BadRequest" }, message: "no" } }
    }))))

  it.effect("ends every child when its session is interrupted", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin()
      yield* agent.say(id, "look around")
      const waiting = yield* Effect.forkChild(Effect.all([World.until(id, "ChildStarted")]))
      yield* Fiber.join(waiting)
      const children = World.of(yield* World.events(id), "ChildStarted")
      yield* Effect.forEach(children, ({ session }) => World.until(session, "ModelRequested"))
      yield* agent.interrupt(id, "stop")
      const states = yield* Effect.forEach(children, ({ session }) => agent.state(session))
      assert.deepStrictEqual(states.map(({ task }) => task.state), states.map(() => "interrupted"))
      assert.strictEqual((yield* agent.state(id)).task.state, "interrupted")
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [asks([{ prompt: "one?" }, { prompt: "two?" }])],
      children: [{ prompt: "?", turns: [{ text: "slow", delayMs: 1e9 }] }]
    }))))
})
