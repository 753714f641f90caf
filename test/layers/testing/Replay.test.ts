import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SessionFile from "../../../src/layers/storage/SessionFile.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Replay from "../../../src/layers/testing/Replay.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { begin, run } from "../agent/world.ts"

/** A recorded session, through its exported file. */
const recorded = Effect.gen(function*() {
  const { id } = yield* run("Read it")
  const storage = yield* Storage
  const whole = yield* SessionFile.gather(id, yield* storage.read(id, 0), storage.getBlob)
  const folder = mkdtempSync(join(tmpdir(), "replay-"))
  writeFileSync(join(folder, "log.jsonl"), SessionFile.write(whole))
  return yield* Effect.ensuring(Replay.read(join(folder, "log.jsonl")), Effect.sync(() => rmSync(folder, { recursive: true })))
}).pipe(Effect.provide(Test.layer({
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

  it.live("ends at the first event that comes out otherwise", () =>
    Effect.gen(function*() {
      const log = yield* recorded
      const exit = yield* Effect.exit(Effect.provide(again("Read something else"), Replay.layer(log)))
      expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("Diverged")
    }))
})
