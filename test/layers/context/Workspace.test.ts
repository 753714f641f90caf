/** What a prompt says of files comes from the session's workspace, wherever that is: here it is in memory, and the disk has none of it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { ContextWindow } from "../../../src/services/ContextWindow.ts"
import { run } from "../agent/world.ts"

const turns = [{ text: "I look.", calls: [{ name: "read_file", params: { path: "a.ts" } }] }, { text: "Done." }]

describe("a workspace in memory", () => {
  it.effect("provides the files that a session read, until someone changes or deletes them", () => {
    const files = MemoryWorkspace.files({ "a.ts": "one" })
    return Effect.gen(function*() {
      const { session } = yield* run("Look at a.ts")
      assert.deepStrictEqual(session.facts?.changed ?? [], [])
      assert.isTrue(session.files.has("a.ts"))
      const changed = Effect.flatMap(ContextWindow, ({ gather }) => Effect.map(gather(session), (facts) => facts.changed?.map(({ kind, path }) => [kind, path])))
      files.set("a.ts", new TextEncoder().encode("two"))
      assert.deepStrictEqual(yield* changed, [["modified", "a.ts"]])
      files.delete("a.ts")
      assert.deepStrictEqual(yield* changed, [["deleted", "a.ts"]])
    }).pipe(Effect.provide(Test.layer({ turns, files })))
  })

  it.effect("has rules, skills, a memory bank and a repository too", () => {
    const files = MemoryWorkspace.files({
      "AGENTS.md": "Work well.\n\n@more.md",
      "more.md": "And often.",
      "memory-bank/notes.md": "half done",
      ".agents/skills/look/SKILL.md": "---\nname: look\ndescription: How to look.\n---\nTwice.",
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/refs/heads/main": `${"a".repeat(40)}\n`
    })
    return Effect.gen(function*() {
      const { facts } = (yield* run("Go")).session
      assert.deepStrictEqual(facts?.git, { branch: "main", head: "a".repeat(40) })
      assert.deepStrictEqual(facts?.skills, [{ name: "look", description: "How to look." }])
      assert.deepStrictEqual(facts?.memory?.map(({ text }) => text), ["half done"])
      assert.deepStrictEqual(facts?.rules.map(({ text }) => text), ["Work well.\n\n<file path=\"more.md\">\nAnd often.\n</file>"])
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Done." }], files })))
  })
})
