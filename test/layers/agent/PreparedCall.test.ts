/** How often a call is understood: its params are decoded once, and its edit is computed once while the file stays as it is. */
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import type { ToolCall } from "../../../src/domain/message/Message.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { ApplyPatch } from "../../../src/layers/tool/ApplyPatch.ts"
import { EditFile } from "../../../src/layers/tool/EditFile.ts"
import { WriteFile } from "../../../src/layers/tool/WriteFile.ts"
import type { Any } from "../../../src/services/Tool.ts"
import { Tools } from "../../../src/services/Tools.ts"
import { events, of, run } from "./world.ts"

afterEach(() => vi.restoreAllMocks())

/** The tool, and how often its params were decoded: `accept` is a part of decoding. */
const counting = <T extends Any>(tool: T) => {
  const decoded = { count: 0 }
  const accept: Any["accept"] = (raw) => {
    decoded.count++
    return tool.accept?.(raw) ?? raw
  }
  return { decoded, tool: { ...tool, accept } }
}

const patch = "*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch"
const editCalls = [
  { builtin: EditFile, params: { path: "a.txt", old_text: "one", new_text: "two" }, computes: "apply" },
  { builtin: WriteFile, params: { path: "a.txt", content: "two\n" }, computes: undefined },
  { builtin: ApplyPatch, params: { patch }, computes: "fileChanges" }
] as const

describe("a call that edits", () => {
  for (const { builtin, computes, params } of editCalls) {
    for (const mode of ["default", "acceptEdits"] as const) {
      const { decoded, tool } = counting<Any<never>>(builtin as unknown as Any<never>)
      const files = MemoryWorkspace.files({ "a.txt": "one\n" })
      it.effect(`is decoded and computed once: ${builtin.name} in mode ${mode}`, () =>
        Effect.gen(function*() {
          const computed = computes === undefined ? undefined : vi.spyOn(Apply, computes)
          const printed = vi.spyOn(Apply, "print")
          const { id } = yield* run("Change it", { mode })
          const log = yield* events(id)
          assert.strictEqual(of(log, "ApprovalDecided").length, mode === "default" ? 1 : 0)
          assert.strictEqual(of(log, "ToolStarted")[0]?.intends?.length, 1)
          assert.strictEqual(of(log, "ToolFinished")[0]?.outcome.status, "succeeded")
          assert.strictEqual(new TextDecoder().decode(files.get("a.txt")), "two\n")
          // The checkpoint after the edit prints it for itself.
          assert.deepStrictEqual([decoded.count, computed?.mock.calls.length ?? 1, printed.mock.calls.length - 1], [1, 1, 1])
        }).pipe(Effect.provide(Test.layer({
          files,
          tools: [tool],
          answers: mode === "default" ? [{ decision: "allow" }] : [],
          turns: [{ calls: [{ name: builtin.name, params }] }, { text: "Done." }]
        }))))
    }
  }
})

describe("a file that changes between two steps of a call", () => {
  const files = MemoryWorkspace.files({ "a.txt": "one\n" })
  const write = (text: string) => Effect.sync(() => void files.set("a.txt", new TextEncoder().encode(text)))
  const call: ToolCall = { _tag: "ToolCall", id: "call_1", name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }
  const settings = { ...Session.empty.settings, mode: "acceptEdits" as const }
  const session: Session.Session = { ...Session.empty, id: "session", cwd: Test.cwd, settings }

  it.effect("is edited as it is then, and refused where the session read another version", () =>
    Effect.gen(function*() {
      const tools = yield* Tools
      const computed = vi.spyOn(Apply, "apply")
      yield* write("one\n")
      const [intent] = yield* tools.editIntents(call, session)
      assert.include(yield* tools.preview(call, session), "+two")
      assert.strictEqual(computed.mock.calls.length, 1)
      yield* write("zero\none\n")
      const [later] = yield* tools.editIntents(call, session)
      assert.notDeepEqual(later, intent)
      assert.strictEqual(computed.mock.calls.length, 2)
      const refused = yield* tools.run(call, { ...session, files: new Map([["a.txt", intent!.before]]) }, () => {})
      assert.strictEqual(refused.status, "failed")
      assert.strictEqual((yield* tools.run(call, session, () => {})).status, "succeeded")
      assert.strictEqual(new TextDecoder().decode(files.get("a.txt")), "zero\ntwo\n")
    }).pipe(Effect.provide(Test.layer({ files, turns: [] }))))
})
