import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Replay from "../../../src/layers/replay/Replay.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as HashChain from "../../../src/layers/storage/HashChain.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { events, replays, run } from "../agent/world.ts"

const world = Test.layer({
  files: MemoryWorkspace.files({ "a.txt": "one\n", "b.txt": "two\n" }),
  turns: [
    { calls: [{ name: "read_file", params: { path: "a.txt" } }, { name: "read_file", params: { path: "b.txt" } }] },
    { calls: [{ name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "three" } }] },
    { text: "Done." }
  ]
})

/** Runs a task, changes its log, and gives the first event that comes out otherwise. */
const divergence = (change: (event: Settled) => Settled) =>
  Effect.gen(function*() {
    const { id } = yield* run("Mend it")
    const { getBlob } = yield* Storage
    return yield* Effect.flip(Replay.verify(HashChain.rehash(yield* events(id), change), { getBlob }))
  }).pipe(Effect.provide(world))

describe("a replay", () => {
  it.effect("gives the same log, hash for hash", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Mend it")
      yield* replays(id)
    }).pipe(Effect.provide(world)))

  it.effect("stops where it is told to", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Mend it")
      const { getBlob } = yield* Storage
      expect(yield* Replay.verify(yield* events(id), { getBlob, until: 5 })).toEqual({ events: 6 })
    }).pipe(Effect.provide(world)))

  it.effect("diverges at the first request that depends on a changed tool result", () =>
    Effect.gen(function*() {
      const diverged = yield* divergence((event) =>
        event._tag === "ToolFinished" && event.call === "call_1_2"
          ? { ...event, outcome: { ...event.outcome, content: Outcome.succeeded("forged").content } }
          : event)
      expect(diverged).toMatchObject({ _tag: "Diverged", seq: 13, expected: { _tag: "ContextPlanned" }, actual: { _tag: "ContextPlanned" } })
    }))

  it.effect("diverges where a fact is missing that followed from a tool's outcome", () =>
    Effect.gen(function*() {
      const diverged = yield* divergence((event) =>
        event._tag === "ToolFinished" && event.call === "call_1_2" ? { ...event, outcome: Outcome.succeeded("forged") } : event)
      expect(diverged).toMatchObject({ _tag: "Diverged", seq: 12, expected: { _tag: "FileTouched" }, actual: null })
    }))

  it.effect("diverges where a changed limit first matters", () =>
    Effect.gen(function*() {
      const diverged = yield* divergence((event) =>
        event._tag === "SessionStarted" ? { ...event, settings: { ...event.settings, limits: { ...event.settings.limits, turns: 1 } } } : event)
      expect(diverged).toMatchObject({ _tag: "Diverged", expected: { _tag: "ContextPlanned" }, actual: { _tag: "TaskFailed", reason: "turns" } })
    }))

  it.effect("diverges where a recorded decision no longer follows from the rules", () =>
    Effect.gen(function*() {
      const diverged = yield* divergence((event) =>
        event._tag === "SessionStarted"
          ? { ...event, settings: { ...event.settings, rules: { allow: [], ask: [], deny: ["Edit(a.txt)"] } } }
          : event)
      expect(diverged).toMatchObject({ _tag: "Diverged", expected: { _tag: "ToolProposed", decision: "allow" }, actual: { decision: "deny" } })
    }))
})
