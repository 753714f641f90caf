/** What approving an edit can extend to, and what of it is granted. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Session from "../../../src/domain/session/Session.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { Approval } from "../../../src/services/Approval.ts"
import { events, of, replays, run } from "../agent/world.ts"

const rules = { allow: [], ask: [], deny: [] }
const session = (more: Partial<Session.Session["settings"]> = {}): Session.Session => ({
  ...Session.empty,
  cwd: "/home/dev/app",
  home: "/home/me",
  settings: { ...Session.empty.settings, mode: "default", rules, ...more }
})

const scope = (access: ReadonlyArray<Access.Access>, more: Partial<Session.Session["settings"]> = {}, reason?: string) =>
  Effect.gen(function*() {
    const approval = yield* Approval
    const verdict = approval.judge({ name: "edit_file", kind: "edit", tags: [], access, requestsApproval: false }, session(more))
    return approval.editScope({ access, reason: reason ?? verdict.reason }, session(more))
  }).pipe(Effect.provide(ApprovalLive.layer))

describe("the scope of an edit", () => {
  it.effect("is the session and the folder", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts")]), { folderRule: "Edit(./src/**)", canAcceptEdits: true })
      assert.deepStrictEqual(yield* scope([Access.edit("a.ts")]), { canAcceptEdits: true })
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts"), Access.edit("src/b.ts", "create")]), { folderRule: "Edit(./src/**)", canAcceptEdits: true })
      // Mode acceptEdits asks before it deletes a file.
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts", "delete")]), { folderRule: "Edit(./src/**)" })
    }))

  it.effect("does not exist where mode acceptEdits would ask as well", () =>
    Effect.gen(function*() {
      for (const path of ["/etc/hosts", ".github/workflows/ci.yml", "config/.env"]) assert.deepStrictEqual(yield* scope([Access.edit(path)]), {})
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts")], { rules: { ...rules, ask: ["Edit(src/**)"] } }), {})
    }))

  it.effect("does not exist for anything but edits, or if something else asks: a hook, a repeated call", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* scope([Access.command("npm test")]), {})
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts"), Access.command("npm test")]), {})
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts")], {}, "The model repeated this call several times in a row."), {})
      assert.deepStrictEqual(yield* scope([Access.edit("src/a.ts")], { mode: "plan" }), {})
    }))

  it.effect("is still known after the user has switched to acceptEdits, for calls that were judged before", () =>
    Effect.gen(function*() {
      const { judge } = yield* Approval
      const access = [Access.edit("src/a.ts")]
      const { reason } = judge({ name: "edit_file", kind: "edit", tags: [], access, requestsApproval: false }, session())
      assert.deepStrictEqual(yield* scope(access, { mode: "acceptEdits" }, reason), { folderRule: "Edit(./src/**)", canAcceptEdits: true })
    }).pipe(Effect.provide(ApprovalLive.layer)))
})

const write = (path: string) => ({ name: "write_file", params: { path, content: "one\n" } })

describe("a rule that the user chose", () => {
  const turns = [{ calls: [write("src/a.txt")] }, { calls: [write("src/b.txt")] }, { text: "Done." }]

  it.effect("for the folder covers the next file in it", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Go", { mode: "default" })
      const log = yield* events(id)
      assert.deepStrictEqual(of(log, "ApprovalDecided").map(({ rules }) => rules), [["Edit(./src/**)"]])
      assert.deepStrictEqual(of(log, "ToolFinished").map(({ outcome }) => outcome.status), ["succeeded", "succeeded"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: MemoryWorkspace.files({}), turns, answers: [{ decision: "allow", scope: "session", rules: ["Edit(./src/**)"] }] }))))

  it.effect("and was not offered is not granted", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Go", { mode: "default" })
      const log = yield* events(id)
      assert.deepStrictEqual(of(log, "ApprovalDecided").map(({ rules }) => rules), [[], undefined])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files({}),
      turns,
      answers: [{ decision: "allow", scope: "session", rules: ["Edit(*)", "Bash(rm:*)"] }, { decision: "allow" }]
    }))))
})
