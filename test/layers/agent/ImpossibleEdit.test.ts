/** An edit that can't be applied: the model learns why, and nobody is asked about it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { events, of, replays, run } from "./world.ts"

const patch = "*** Begin Patch\n*** Update File: a.txt\n-three\n+two\n*** End Patch"
const edit = (path: string) => ({ name: "edit_file", params: { path, old_text: "three", new_text: "two" } })

describe("an edit that can't be applied", () => {
  for (const call of [edit("a.txt"), edit("missing.txt"), { name: "apply_patch", params: { patch } }]) {
    it.effect(`fails without a question: ${call.name} of ${"path" in call.params ? call.params.path : "a.txt"}`, () =>
      Effect.gen(function*() {
        const { id, session } = yield* run("Change it", { mode: "default" })
        const log = yield* events(id)
        assert.deepStrictEqual([of(log, "ApprovalAsked"), of(log, "ToolStarted")], [[], []])
        assert.deepStrictEqual(of(log, "ToolFinished").map(({ outcome: { mistake, status } }) => ({ mistake, status })), [{ mistake: true, status: "failed" }])
        assert.strictEqual(session.task.state, "finished")
        yield* replays(id)
      }).pipe(Effect.provide(Test.layer({ files: MemoryWorkspace.files({ "a.txt": "one\n" }), turns: [{ calls: [call] }, { text: "Done." }] }))))
  }

  it.effect("is asked about if the model may not read the file", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Change it", { mode: "default" })
      const log = yield* events(id)
      assert.strictEqual(of(log, "ApprovalAsked").length, 1)
      assert.deepStrictEqual(of(log, "ToolFinished").map(({ outcome }) => outcome.status), ["denied"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files({ ".env": "KEY=1\n" }),
      turns: [{ calls: [edit(".env")] }, { text: "Done." }],
      answers: [{ decision: "deny" }]
    }))))
})
