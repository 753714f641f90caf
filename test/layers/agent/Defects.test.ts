/** What a program of others throws ends the task with a reason, never the session: the log is whole, and the next task runs. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Message from "../../../src/domain/message/Message.ts"
import * as Interruption from "../../../src/domain/session/Interruption.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import type * as Composition from "../../../src/layers/Composition.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Approver } from "../../../src/services/Approver.ts"
import { Checkpoints } from "../../../src/services/Checkpoints.ts"
import { Parser } from "../../../src/services/Parser.ts"
import { CrashReports, report as reportCrash } from "../../../src/services/process/CrashReports.ts"
import type { Connection, Route } from "../../../src/services/Route.ts"
import { Shell } from "../../../src/services/Shell.ts"
import * as Tool from "../../../src/services/Tool.ts"
import * as World from "./world.ts"

const broken = (): never => {
  throw new Error("it broke")
}

const writes = { calls: [{ name: "write_file", params: { path: "a.txt", content: "one\n" } }] }
const ends = { text: "Fine." }

/** Breaks once: the second task finds it mended. */
const once = <A>(mended: () => A) => {
  let calls = 0
  return () => calls++ === 0 ? broken() : mended()
}

const text: Connection["send"] = () =>
  Stream.make({ _tag: "TextDelta", text: "Fine." }, { _tag: "Finish", reason: "stop", raw: "stop" })

const route = (connection: Partial<Connection>) =>
  ProviderLive.layer({
    routes: [{
      name: "scripted",
      title: "A route of others",
      wire: "others",
      keys: [],
      baseUrl: "",
      local: true,
      connect: () => ({ encode: () => ({}), send: text, ...connection })
    } satisfies Route]
  })

const brokenTool = (broken: Partial<Tool.Tool<{}>>) =>
  Tool.define({
    name: "broken",
    description: "Breaks.",
    params: Schema.Struct({}),
    kind: "read",
    tags: [],
    access: () => [Access.other("broken", {})],
    run: () => Effect.succeed(Outcome.succeeded("It works.")),
    ...broken
  })
const callsIt = { calls: [{ name: "broken", params: {} }] }

interface Scenario {
  readonly world: Test.Script & Partial<Composition.Parts<never, Composition.All>>
  readonly state?: "failed" | "finished"
  readonly reason?: string
  readonly says: string
  /** What a broken tool's result says. */
  readonly error?: string
  /** The mode, and whether the next task still breaks. */
  readonly mode?: "bypassPermissions"
  readonly stays?: true
}

const scenarios: Record<string, Scenario> = {
  "an approver that dies": {
    world: {
      turns: [writes, ends],
      approver: Layer.sync(Approver, () => {
        const ask = once(() => Effect.succeed({ decision: "allow", scope: "once", by: "user" } as const))
        return { ask: () => Effect.suspend(ask), question: () => Effect.succeed({ by: "nobody" } as const) }
      })
    },
    says: "Internal error: it broke."
  },
  "an approver that throws": {
    world: { turns: [writes, ends], approver: Layer.sync(Approver, () => ({ ask: once(() => Effect.never), question: broken })) },
    says: "Internal error: it broke."
  },
  "a route whose encode throws": { world: { provider: route({ encode: once(() => ({})) }) }, says: "Internal error: it broke." },
  "a route whose send throws": {
    world: { provider: route({ send: (...args) => sendOnce(...args) }) },
    says: "Internal error: it broke."
  },
  "a route whose stream dies": {
    world: { provider: route({ send: (() => { const send = once(() => text); return (...args) => Stream.suspend(() => send()(...args)) })() }) },
    says: "Internal error: it broke."
  },
  "a route whose stream ends without Finish": {
    world: {
      provider: route({
        send: (() => {
          let calls = 0
          return (...args) => calls++ === 0 ? Stream.make({ _tag: "TextDelta", text: "Half of" }) : text(...args)
        })()
      })
    },
    reason: "provider",
    says: "scripted ended its response without a Finish chunk."
  },
  "a parser that throws": {
    world: { parser: Layer.succeed(Parser, { parse: broken }) },
    stays: true,
    says: "Internal error: it broke."
  },
  "checkpoints that die": {
    world: {
      turns: [writes],
      approver: Layer.succeed(Approver, {
        ask: () => Effect.succeed({ decision: "allow", scope: "once", by: "user" }),
        question: () => Effect.succeed({ by: "nobody" })
      }),
      checkpoints: Layer.mock(Checkpoints)({ begin: () => Effect.void, save: () => Effect.die(new Error("it broke")) })
    },
    stays: true,
    says: "Internal error: it broke."
  },
  "a tool whose access throws": {
    world: { turns: [callsIt, ends, ends], tools: [brokenTool({ access: broken })] },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine."
  },
  "a tool whose run throws": {
    world: { turns: [callsIt, ends, ends], tools: [brokenTool({ run: broken })] },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine."
  },
  "a tool whose run fails, which its type rules out": {
    world: { turns: [callsIt, ends, ends], tools: [brokenTool({ run: () => Effect.fail({ message: "it broke" }) as never })] },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine.",
    error: "{\"message\":\"it broke\"}"
  },
  "a tool whose accept throws": {
    world: { turns: [callsIt, ends, ends], tools: [brokenTool({ accept: broken })] },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine."
  },
  "a tool whose access is a promise": {
    world: { turns: [callsIt, ends, ends], tools: [brokenTool({ access: (async () => []) as never })] },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine.",
    error: "`access` must return a list of what the call would touch, such as [Access.read(path)] or [Access.other(name, params)]."
  },
  "a tool whose outcome can't be logged": {
    world: {
      turns: [callsIt, ends, ends],
      tools: [brokenTool({ run: () => Effect.succeed({ ...Outcome.succeeded("Done."), touched: [{ path: 1 }] } as never) })]
    },
    mode: "bypassPermissions",
    state: "finished",
    says: "Fine.",
    error: "The Outcome of `run` is invalid: Expected string at [\"touched\"][0][\"path\"]."
  },
  "a shell that returns no Effect": {
    world: {
      turns: [{ calls: [{ name: "run_command", params: { command: "make" } }] }, ends],
      shell: Layer.mock(Shell)({ inspect: (() => undefined) as never })
    },
    mode: "bypassPermissions",
    says: "Internal error: Fiber.runLoop: Not a valid effect: undefined."
  },
  "a route whose stream fails with another error, which its type rules out": {
    world: { provider: route({ send: (() => { const send = once(() => text); return (...args) => Stream.suspend(() => attempt(() => send()(...args))) })() }) },
    says: "Internal error: it broke."
  },
  "a route that sends no stream": {
    world: { provider: route({ send: (...args) => noStreamOnce(...args) }) },
    says: "Internal error: `send` must return a Stream of chunks: Stream.fromAsyncIterable makes one of an async iterable."
  },
  "a tool whose tasks throw": {
    world: { turns: [callsIt, ends], tools: [brokenTool({ tasks: broken })] },
    mode: "bypassPermissions",
    says: "Internal error: it broke."
  }
}

/** Fails as `run` throws. */
const attempt = (run: () => ReturnType<Connection["send"]>): ReturnType<Connection["send"]> => {
  try {
    return run()
  } catch (error) {
    return Stream.fail(error as never)
  }
}

const noStreamOnce: Connection["send"] = (() => {
  let calls = 0
  return (...args) => calls++ === 0 ? (async function*() {})() as never : text(...args)
})()

const sendOnce: Connection["send"] = (() => {
  const send = once(() => text)
  return (...args) => send()(...args)
})()

// The clock stands still: a task that waited for anything would not end, so each ends at once.
describe("a task ends at once, and its session continues, with", () => {
  it.effect.each(Object.entries(scenarios))("%s", ([, { mode = "default" as const, error = "it broke", reason = "defect", says, state = "failed", stays, world }]) =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id, session } = yield* World.run("Do it", { mode })
      assert.deepStrictEqual([session.task.state, session.task.result], [state, says])
      if (state === "failed") assert.strictEqual(session.task.failure, reason)
      else assert.include(World.of(yield* World.events(id), "ToolFinished").map(({ outcome }) => Message.text(outcome.content)).join(), `broken failed with an internal error: ${error}`)
      assert.isFalse(Interruption.isOpen(session))
      assert.isTrue(session.calls.every((call) => call.state === "done"))
      yield* agent.say(id, "And again")
      const next = yield* agent.settled(id)
      if (stays === undefined) assert.deepStrictEqual([next.task.state, next.task.result], ["finished", "Fine."])
      const events = yield* World.events(id)
      assert.strictEqual(next.seq + 1, events.length)
      assert.deepStrictEqual([...new Set(events.map(({ time }) => time))], [yield* Clock.currentTimeMillis])
    }).pipe(Effect.provide(Test.layer(world as Test.World))))
})

describe("a defect", () => {
  it.live("replays: the loop dies where it died", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* World.run("Do it", { mode: "default" })
      yield* agent.say(id, "And again")
      yield* agent.settled(id)
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer(scenarios["an approver that dies"]!.world as Test.World)), Effect.scoped))

  it.live("is reported with its details, and the sentence names the report", () =>
    Effect.gen(function*() {
      const details: Array<string> = []
      const saved = Layer.succeed(CrashReports, { save: (text) => Effect.sync(() => (details.push(text), "/crashes/1.txt")) })
      const { session } = yield* Effect.provide(
        World.run("Do it", { mode: "default" }),
        Test.layer({ ...scenarios["an approver that throws"]!.world, turns: [writes], crashReports: saved } as {} as Test.World)
      )
      assert.strictEqual(
        session.task.result,
        "Internal error: it broke. A crash report is in /crashes/1.txt; please attach it to a bug report."
      )
      assert.include(details[0], "at broken")
    }))

  it.effect("is reported within a bound, with its fields, whatever was thrown", () =>
    Effect.gen(function*() {
      const details: Array<string> = []
      const saved = Layer.succeed(CrashReports, { save: (text) => Effect.sync(() => (details.push(text), undefined)) })
      const report = (error: unknown) => Effect.provide(reportCrash(error, "flags: --print"), saved)
      const chained = Object.assign(new Error("broke", { cause: { code: 5 } }), { body: "x".repeat(2_000) })
      assert.strictEqual(yield* report(chained), "Internal error: broke.")
      assert.strictEqual(yield* report({ status: 500, body: ["a", { b: 1 }] }), "Internal error: {\"status\":500,\"body\":[\"a\",{\"b\":1}]}.")
      assert.strictEqual(yield* report("a text"), "Internal error: a text.")
      assert.match(details[0]!, /^flags: --print\nError: broke\n {4}at [^]*"code": 5/)
      yield* report(Object.assign(new Error("broke"), { body: "x".repeat(1_000_000) }))
      assert.isBelow(details.at(-1)!.length, 20_000)
      assert.include(details[1], "\"status\": 500")
    }))
})
