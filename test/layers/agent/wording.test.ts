/** Sessions that were recorded under an earlier wording: every text that the model read then was another. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Agent from "../../../src/layers/replay/Replay.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Replay from "../../../src/layers/testing/Replay.ts"
import * as Test from "../../../src/layers/Test.ts"
import { ContextWindow } from "../../../src/services/ContextWindow.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { events, of, run } from "./world.ts"

const fixture = (name: string) => new URL(`../../fixtures/wording/${name}.jsonl`, import.meta.url).pathname

/** What each recording is there for. */
const recordings: Readonly<Record<string, ReadonlyArray<Settled["_tag"]>>> = {
  native: ["ApprovalDecided", "CheckpointSaved", "Reminded", "TodoUpdated"],
  xml: ["Reminded"],
  compacted: ["ContextCompacted", "SummaryRequested"],
  delegated: ["ChildFinished", "SynthesisRequested"]
}

describe("a session of an earlier wording", () => {
  for (const [name, tags] of Object.entries(recordings)) {
    it.live(`is replayed with the texts of then: ${name}`, () =>
      Effect.gen(function*() {
        const log = yield* Replay.read(fixture(name))
        const seen = new Set(log.events.map(({ event }) => event._tag))
        for (const tag of tags) assert.isTrue(seen.has(tag), `${tag} is not recorded`)
        const { events } = yield* Replay.verifyLog(log)
        assert.strictEqual(events, log.events.length)
      }))
  }
})

describe("a wording that changes after the recording", () => {
  const world = Test.layer({
    files: MemoryWorkspace.files({ "a.txt": "one\n" }),
    turns: [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "Done." }]
  })

  it.effect("changes nothing of its replay", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Read it")
      const { getBlob } = yield* Storage
      const log = yield* events(id)
      const context = yield* ContextWindow
      let planned = 0
      const reworded = Layer.succeed(ContextWindow, {
        ...context,
        plan: (request, included) =>
          Effect.map(context.plan(request, included), (plan) => {
            planned++
            const system = request.input.recorded === undefined ? plan.system.replace("dacapo", "another agent") : plan.system
            return { ...plan, left: ["a section of another name"], system, request: { ...plan.request, system } }
          })
      })
      assert.deepStrictEqual(yield* Agent.verify(log, { getBlob }).pipe(Effect.provide(reworded)), { events: log.length })
      assert.strictEqual(planned, of(log, "ContextPlanned").length)
    }).pipe(Effect.provide(world)))
})
