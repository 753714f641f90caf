import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import { file, runs } from "./texts.ts"

/** The files as they are after the outcomes. */
const after = (files: Record<string, string>, outcomes: ReadonlyArray<Apply.FileChange>): Record<string, string> => {
  const made = new Map(Object.entries(files))
  for (const { path } of outcomes) made.delete(path)
  for (const { newContent, moveTo, path } of outcomes) {
    if (newContent !== null) made.set(moveTo ?? path, newContent)
  }
  return Object.fromEntries(made)
}

describe("edits of several files", () => {
  it.effect.prop("are undone together, and what they leave alone stays", [file, file], ([one, two]) =>
    Effect.sync(() => {
      const files = { change: `head\n${one}`, move: `head\n${two}`, gone: one, other: two }
      const patch = Result.getOrThrow(ApplyPatch.parse([
        "*** Begin Patch",
        "*** Add File: new", "+made",
        "*** Update File: change", "@@", "+at the end",
        "*** Update File: move", "*** Move to: moved", "@@", "+at the end",
        "*** Delete File: gone",
        "*** End Patch"
      ].join("\n")))
      const outcomes = Result.getOrThrow(Apply.fileChanges(files, patch))
      const changed = after(files, outcomes)
      assert.deepStrictEqual(Object.keys(changed).sort(), ["change", "moved", "new", "other"])
      const undone = Result.getOrThrow(Apply.fileChanges(changed, Apply.invertAll(outcomes)))
      assert.deepStrictEqual(after(changed, undone), files)
    }), runs(1000))

  it("of a path like a property of every object are edits of that file", () => {
    const patch = Result.getOrThrow(ApplyPatch.parse("*** Begin Patch\n*** Add File: __proto__\n+x\n*** Add File: toString\n+y\n*** End Patch"))
    const { files } = Result.getOrThrow(Apply.applyAll({}, patch))
    assert.deepStrictEqual(Object.entries(files), [["__proto__", "x\n"], ["toString", "y\n"]])
  })
})
