import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as ProviderLive from "../../../src/layers/provider/ProviderLive.ts"
import * as HashChain from "../../../src/layers/storage/HashChain.ts"
import * as SessionFile from "../../../src/layers/storage/SessionFile.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Replay from "../../../src/layers/testing/Replay.ts"
import * as Test from "../../../src/layers/Test.ts"
import type { Route } from "../../../src/services/Route.ts"
import * as Tool from "../../../src/services/Tool.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { begin, run } from "../agent/world.ts"

const RollDice = Tool.define({
  name: "roll_dice",
  description: "Rolls a die.",
  params: Schema.Struct({ sides: Schema.Int }),
  kind: "read",
  tags: [],
  access: (params) => [Access.other("roll_dice", params)],
  run: () => Effect.succeed(Outcome.succeeded("4"))
})

/** A recorded session, through its exported file. */
const record = Effect.fnUntraced(function*<E, R>(program: Effect.Effect<{ readonly id: string }, E, R>) {
  const { id } = yield* program
  const storage = yield* Storage
  const whole = yield* SessionFile.gather(id, yield* storage.read(id, 0), storage.getBlob)
  const folder = mkdtempSync(join(tmpdir(), "replay-"))
  writeFileSync(join(folder, "log.jsonl"), SessionFile.write(whole))
  return yield* Effect.ensuring(Replay.read(join(folder, "log.jsonl")), Effect.sync(() => rmSync(folder, { recursive: true })))
})

const recorded = record(run("Read it")).pipe(Effect.provide(Test.layer({
  files: MemoryWorkspace.files({ "a.txt": "one\n" }),
  turns: [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "It says one." }]
})))

/** What came by itself in the session. */
const again = Effect.fnUntraced(function*(prompt: string) {
  const agent = yield* Agent
  const id = yield* begin()
  yield* agent.say(id, prompt)
  return yield* agent.settled(id)
})

describe("Replay.layer", () => {
  it.live("is a world that answers as it did: without a script, a model or a file", () =>
    Effect.gen(function*() {
      const log = yield* recorded
      const session = yield* Effect.provide(again("Read it"), Replay.layer(log))
      expect(session.task).toMatchObject({ state: "finished", result: "It says one." })
    }))

  it.live("knows the program's own tools", () =>
    Effect.gen(function*() {
      const program = run("Roll", { mode: "bypassPermissions" })
      const log = yield* Effect.provide(record(program), Test.layer({
        tools: [RollDice],
        turns: [{ calls: [{ name: "roll_dice", params: { sides: 6 } }] }, { text: "Four." }]
      }))
      expect(yield* Replay.verifyLog(log, { tools: [RollDice] })).toEqual({ events: log.events.length })
      const again = Effect.provide(run("Roll", { mode: "bypassPermissions" }), Replay.layer(log, { tools: [RollDice] }))
      expect((yield* again).session.task).toMatchObject({ state: "finished", result: "Four." })
    }))

  it.live("takes what calls of the program's own tools touch from the log, if it does not have them", () =>
    Effect.gen(function*() {
      const log = yield* Effect.provide(record(run("Roll")), Test.layer({
        tools: [RollDice],
        answers: [{ decision: "allow" }, { decision: "deny", words: "Enough." }],
        turns: [
          { calls: [{ name: "roll_dice", params: { sides: 6 } }] },
          { calls: [{ name: "roll_dice", params: { sides: "many" } }] },
          { calls: [{ name: "roll_dice", params: { sides: 20 } }] },
          { calls: [{ name: "no_such_tool", params: {} }] },
          { text: "Four." }
        ]
      }))
      expect(log.events.flatMap(({ event }) => event._tag === "ToolFinished" ? [event.outcome.status] : [])).toEqual(["succeeded", "failed", "denied", "failed"])
      expect(yield* Replay.verifyLog(log)).toEqual({ events: log.events.length, programTools: ["roll_dice"] })
      const changed = HashChain.rehash(log.events, (event) =>
        event._tag === "ToolProposed" ? { ...event, access: [Access.other("roll_dice", { sides: 7 })] } : event)
      const diverged = yield* Effect.flip(Replay.verifyLog({ ...log, events: changed }))
      expect(diverged.message).toContain("(ToolProposed): action is ")
    }))

  it.live("takes requests to the program's own providers from the log, if it does not have them, also those for summaries", () =>
    Effect.gen(function*() {
      const mine: Route = {
        name: "mine",
        title: "Mine",
        wire: "mine",
        keys: [],
        baseUrl: "",
        local: false,
        connect: () => ({
          encode: ({ messages }) => ({ messages: JSON.stringify(messages) }),
          send: () => Stream.make({ _tag: "TextDelta", text: "Fine." }, { _tag: "Finish", reason: "stop", raw: "stop" })
        })
      }
      const program = Effect.gen(function*() {
        const agent = yield* Agent
        const { id } = yield* run("Read it", { model: "mine/model" })
        for (let i = 0; i < 8; i++) {
          yield* agent.say(id, `And again: ${"read on, ".repeat(1000)}`)
          yield* agent.settled(id)
        }
        yield* agent.compact(id)
        yield* agent.settled(id)
        return { id }
      })
      const log = yield* Effect.provide(record(program), Test.layer({ provider: ProviderLive.layer({ routes: [mine] }) }))
      expect(log.events.map(({ event }) => event._tag)).toContain("SummaryRequested")
      expect(yield* Replay.verifyLog(log, { routes: [mine] })).toEqual({ events: log.events.length })
      expect(yield* Replay.verifyLog(log)).toEqual({ events: log.events.length, programProviders: ["mine"] })
    }))

  it.live("shows the fields in which an event differs", () =>
    Effect.gen(function*() {
      const log = yield* recorded
      const diverged = yield* Effect.flip(Replay.verifyLog({
        ...log,
        events: HashChain.rehash(log.events, (event) => event._tag === "ContextPlanned" ? { ...event, tokens: event.tokens + 1 } : event)
      }))
      expect(diverged.message).toMatch(/^The replay differs from the log at event \d+ \(ContextPlanned\): tokens is (\d+) in the log, \d+ in the replay\.$/)
    }))

  it.live("ends at the first event that comes out otherwise", () =>
    Effect.gen(function*() {
      const log = yield* recorded
      const exit = yield* Effect.exit(Effect.provide(again("Read something else"), Replay.layer(log)))
      expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("Diverged")
    }))
})
