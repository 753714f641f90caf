/** A session that moves to another process is left open as after a crash, and a message with a key is recorded once. */
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as Test from "../../../src/layers/Test.ts"
import { RunCommand } from "../../../src/layers/tool/RunCommand.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { HandOver } from "../../../src/services/process/HandOver.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as World from "./world.ts"

const turns = [{ calls: [{ name: "run_command", params: { command: "make" } }] }, { text: "Done." }]
const stuck = [{ ...RunCommand, run: () => Effect.never }]

/** A process, until the scope closes. What its script did not play was for another one. */
const process = Effect.fnUntraced(function*(world: Partial<Test.World>, isDue = () => false) {
  const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Effect.exit(Scope.close(scope, Exit.void)))
  return yield* Layer.buildWithScope(Layer.provide(Test.layer({ turns, ...world }), Layer.succeed(HandOver, { isDue })), scope)
})

/** A session whose process ended in the middle of a command. */
const stopped = Effect.fnUntraced(function*(storage: Layer.Layer<Storage>, isHandedOver: boolean) {
  let isDue = false
  return yield* Effect.gen(function*() {
    const services = yield* process({ tools: stuck, storage }, () => isDue)
    return yield* Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin({ mode: "bypassPermissions", onAsk: "deny" })
      yield* agent.say(id, "Go")
      yield* World.until(id, "ToolStarted")
      isDue = isHandedOver
      return id
    }).pipe(Effect.provide(services))
  }).pipe(Effect.scoped)
})

const sharedStore = Effect.map(Layer.build(MemoryStorage.layer), (services) => Layer.succeed(Storage, Context.get(services, Storage)))

describe("a session that is handed over", () => {
  it.live("has no interruption in its log, and finishes in the next process", () =>
    Effect.gen(function*() {
      const storage = yield* sharedStore
      const id = yield* stopped(storage, true)
      yield* Effect.gen(function*() {
        expect(World.tags(yield* World.events(id)).at(-1)).toBe("ToolStarted")
        const agent = yield* Agent
        yield* agent.resume(id, { overrides: {}, shouldContinue: true })
        expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "Done." })
        const log = yield* World.events(id)
        expect(World.tags(log)).not.toContain("Interrupted")
        expect(World.of(log, "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["unknown"])
      }).pipe(Effect.provide(yield* process({ storage })))
    }).pipe(Effect.scoped))

  it.live("is interrupted where nobody takes it over", () =>
    Effect.gen(function*() {
      const storage = yield* sharedStore
      const id = yield* stopped(storage, false)
      const log = yield* Effect.provide(World.events(id), yield* process({ storage }))
      expect(World.tags(log)).toContain("Interrupted")
    }).pipe(Effect.scoped))
})

describe("a message with a key", () => {
  it.live("is recorded once, however often it is sent, and replays", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin()
      yield* Effect.all([1, 2].map(() => agent.say(id, "Go", "task", "user", "first")), { concurrency: "unbounded" })
      yield* agent.settled(id)
      yield* agent.say(id, "Go", "task", "user", "first")
      yield* agent.settled(id)
      yield* agent.say(id, "Go", "task", "user", "second")
      yield* agent.settled(id)
      expect(World.of(yield* World.events(id), "UserSaid").map(({ key }) => key)).toEqual(["first", "second"])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "One." }, { text: "Two." }] }))))
})
