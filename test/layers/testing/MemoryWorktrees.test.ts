/** Subagents that edit, each in a copy of a workspace in memory. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as MemoryWorktrees from "../../../src/layers/testing/MemoryWorktrees.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Agent } from "../../../src/services/Agent.ts"

describe("worktrees in memory", () => {
  it.effect("give each subagent a copy of the files, and merge its work", () => {
    const files = MemoryWorkspace.files({ "a.txt": "one\n", "b.txt": "two\n" })
    const edit = (path: string, old_text: string, new_text: string) => ({ calls: [{ name: "edit_file", params: { path, old_text, new_text } }] })
    const read = (path: string) => ({ calls: [{ name: "read_file", params: { path } }] })
    const tasks = ["First.", "Second."].map((prompt) => ({ prompt, mode: "edit" }))
    return Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* agent.start({ cwd: Test.cwd, model: "scripted/test", mode: "acceptEdits" })
      yield* agent.say(id, "Change both")
      assert.strictEqual((yield* agent.settled(id)).task.state, "finished")
      assert.deepStrictEqual([...files].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]), [["a.txt", "ONE\n"], ["b.txt", "TWO\n"]])
    }).pipe(Effect.provide(Test.layer({
      files,
      worktrees: MemoryWorktrees.layer(files),
      turns: [{ calls: [{ name: "delegate", params: { tasks } }] }, { text: "Done." }],
      children: [
        { prompt: "First.", turns: [read("a.txt"), edit("a.txt", "one", "ONE"), { text: "Done." }] },
        { prompt: "Second.", turns: [read("b.txt"), edit("b.txt", "two", "TWO"), { text: "Done." }] }
      ],
      synthesis: { text: "Both." }
    })))
  })
})
