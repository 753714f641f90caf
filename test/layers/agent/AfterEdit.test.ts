import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Message from "../../../src/domain/message/Message.ts"
import * as LastCommand from "../../../src/domain/session/LastCommand.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../../src/layers/Test.ts"
import { events, of, replays, run } from "./world.ts"

const write = (path: string, content: string) => ({ calls: [{ name: "write_file", params: { path, content } }] })
const format = "prettier --write a.ts"
const check = "tsc --noEmit"
const afterEdit = [{ files: "*.ts", format: "prettier --write", check }]
const allowed = { allow: ["Bash(prettier --write:*)", "Bash(tsc --noEmit)"], ask: [], deny: [] }

/** A world where prettier puts semicolons, and tsc says what it is told to say. */
const world = (tsc: { readonly output: string; readonly code: number }, more: Partial<Test.World> = {}) => {
  const files = MemoryWorkspace.files({})
  const ran: Array<string> = []
  const commands: NonNullable<Test.World["commands"]> = ({ command }) =>
    Effect.sync(() => {
      ran.push(command)
      const path = command.split(" ").at(-1)!
      const before = new TextDecoder().decode(files.get(path))
      if (command.startsWith("prettier")) files.set(path, new TextEncoder().encode(before.replaceAll(/(?<!;)\n/g, ";\n")))
      return command === check ? tsc : {}
    })
  return { ran, layer: Test.layer({ turns: [write("a.ts", "let a = 1\n"), { text: "Done." }], files, commands, ...more }) }
}

const told = (id: string) =>
  Effect.map(events(id), (log) => of(log, "ToolFinished").flatMap(({ outcome }) => outcome.content.map((part) => Message.text([part]))))

describe("after an edit", () => {
  it.effect("the formatter runs, then the check; the model sees what both did, and the file is known as it now is", () => {
    const { layer, ran } = world({ output: "a.ts(1,5): error TS6133: 'a' is never read.\n", code: 2 })
    return Effect.gen(function*() {
      const { id, session } = yield* run("Write it", { afterEdit, rules: allowed })
      expect(ran).toEqual([format, check])
      expect(yield* told(id)).toEqual([
        "Created a.ts (1 line).",
        "The formatter changed a.ts, so it differs from what you wrote:\ndiff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-let a = 1\n+let a = 1;\n",
        "The check failed:\n$ tsc --noEmit\n(exit code 2)\na.ts(1,5): error TS6133: 'a' is never read."
      ])
      const touched = of(yield* events(id), "ToolFinished")[0]!.outcome.touched![0]!
      expect(session.files.get("a.ts")).toBe(touched.hash)
      expect(touched.content).toBeUndefined()
      expect(LastCommand.problemsText(session.terminal)).toBe("$ tsc --noEmit\na.ts(1,5): error TS6133: 'a' is never read.")
      yield* replays(id)
    }).pipe(Effect.provide(layer))
  })

  it.effect("a check that finds nothing is one line, and no problem", () => {
    const { layer } = world({ output: "All good.\n", code: 0 })
    return Effect.gen(function*() {
      const { id, session } = yield* run("Write it", { afterEdit: [{ files: "**/*.{ts,tsx}", check }], rules: allowed })
      expect(yield* told(id)).toEqual(["Created a.ts (1 line).", "The check passed: $ tsc --noEmit"])
      expect(LastCommand.problemsText(session.terminal)).toBe("$ tsc --noEmit\n(no problem)")
    }).pipe(Effect.provide(layer))
  })

  it.effect("its commands are asked about with the edit, once: the answer holds for every file of the kind", () => {
    const turns = [write("a.ts", "a\n"), write("b.ts", "b\n"), { text: "Done." }]
    const { layer, ran } = world({ output: "", code: 0 }, { turns, answers: [{ decision: "allow", scope: "session" }] })
    return Effect.gen(function*() {
      const { id } = yield* run("Write them", { afterEdit })
      const log = yield* events(id)
      expect(of(log, "ToolProposed").map(({ decision, offer }) => [decision, offer])).toEqual([
        ["ask", ["Edit(./a.ts)", "Bash(prettier --write:*)", "Bash(tsc --noEmit)"]],
        ["allow", []]
      ])
      expect(ran).toEqual([format, check, "prettier --write b.ts", check])
      yield* replays(id)
    }).pipe(Effect.provide(layer))
  })

  it.effect("without a rule and without anyone to ask the edit is made and they are left, and a denied one is left too", () => {
    const { layer, ran } = world({ output: "", code: 0 })
    return Effect.gen(function*() {
      const { id } = yield* run("Write it", { afterEdit, onAsk: "deny", rules: { allow: ["Bash(prettier:*)"], ask: [], deny: ["Bash(prettier:*)"] } })
      expect(ran).toEqual([])
      expect(yield* told(id)).toEqual([
        "Created a.ts (1 line).",
        `[Not run after the edit, because no rule allows it and no user is available to approve it: ${format}; ${check}]`
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("nothing follows a file that no pattern names, nor an edit that was refused", () => {
    const { layer, ran } = world({ output: "", code: 0 }, { turns: [write("a.md", "a\n"), { calls: [{ name: "edit_file", params: { path: "none.ts", old_text: "a", new_text: "b" } }] }, { text: "Done." }] })
    return Effect.gen(function*() {
      yield* run("Write it", { afterEdit, rules: allowed })
      expect(ran).toEqual([])
    }).pipe(Effect.provide(layer))
  })
})
