/**
 * Patches made from a known change, against what the change gives. The writer below knows nothing of the engine: it
 * picks lines of a file, says what becomes of them, and spells that in each format as a model would.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"
import { block } from "./support.ts"
import { runs } from "./texts.ts"

/** What becomes of each line of a file: kept, taken out, changed, or kept with a line after it. */
const fates = Arbitrary.array(Arbitrary.schema(Schema.Literals(["keep", "keep", "keep", "keep", "drop", "change", "add"])), { minLength: 1, maxLength: 30 })
const context = Arbitrary.schema(Schema.Literals([1, 2, 3]))
const eol = Arbitrary.schema(Schema.Literals(["\n", "\r\n"]))
const indents = Arbitrary.schema(Schema.Literals(["", "  ", "\t"]))

interface Piece {
  readonly before: ReadonlyArray<string>
  readonly after: ReadonlyArray<string>
}

const pieces = (fates: ReadonlyArray<string>, indent: string): ReadonlyArray<Piece> =>
  fates.map((fate, i): Piece => {
    const line = `${indent}line ${i} of many`
    switch (fate) {
      case "drop":
        return { before: [line], after: [] }
      case "change":
        return { before: [line], after: [`${indent}changed ${i}`] }
      case "add":
        return { before: [line], after: [line, `${indent}added after ${i}`] }
      default:
        return { before: [line], after: [line] }
    }
  })

const changed = ({ after, before }: Piece): boolean => after.length !== before.length || after[0] !== before[0]

/** Runs of changed pieces with so many kept ones around them; those that would touch are one. */
const regions = (all: ReadonlyArray<Piece>, context: number): ReadonlyArray<ReadonlyArray<Piece>> => {
  const near = all.map((_, i) => all.slice(Math.max(0, i - context), i + context + 1).some(changed))
  return near.flatMap((inside, i) => {
    if (!inside || near[i - 1] === true) return []
    const end = near.indexOf(false, i)
    return [all.slice(i, end < 0 ? all.length : end)]
  })
}

const hunk = (pieces: ReadonlyArray<Piece>): string =>
  pieces.map((piece) =>
    changed(piece) && piece.after[0] !== piece.before[0]
      ? [...piece.before.map((line) => `-${line}`), ...piece.after.map((line) => `+${line}`)]
      : [...piece.before.map((line) => ` ${line}`), ...piece.after.slice(1).map((line) => `+${line}`)]
  ).flat().map((line) => `${line}\n`).join("")

const join = (lines: ReadonlyArray<string>, eol = "\n"): string => lines.map((line) => line + eol).join("")

const writers: Readonly<Record<string, (regions: ReadonlyArray<ReadonlyArray<Piece>>) => ReturnType<typeof SearchReplace.parse>>> = {
  "a V4A patch": (regions) =>
    ApplyPatch.parse(`*** Begin Patch\n*** Update File: x\n${regions.map((region) => `@@\n${hunk(region)}`).join("")}*** End Patch`),
  "a unified diff without numbers": (regions) => UnifiedDiff.parse(`--- a/x\n+++ b/x\n${regions.map((region) => `@@\n${hunk(region)}`).join("")}`),
  "SEARCH/REPLACE blocks from the bottom up": (regions) =>
    SearchReplace.parse(regions.toReversed().map((region) =>
      block(join(region.flatMap(({ before }) => before)), join(region.flatMap(({ after }) => after)))
    ).join("")),
  "SEARCH/REPLACE blocks with other white space": (regions) =>
    SearchReplace.parse(regions.map((region) =>
      block(
        join(region.flatMap(({ before }) => before.map((line) => `    ${line.trim()} `))),
        join(region.flatMap(({ after }) => after.map((line) => `    ${line.trim()}`)))
      )
    ).join(""))
}

describe.each(Object.keys(writers))("%s", (name) => {
  it.effect.prop("makes the change that it was written from", [fates, context, eol, indents], ([fates, context, eol, indent]) =>
    Effect.sync(() => {
      const all = pieces(fates, indent)
      const parts = regions(all, context)
      if (parts.length === 0) return
      const made = Result.flatMap(writers[name]!(parts), (edits) => Apply.apply(join(all.flatMap(({ before }) => before), eol), edits))
      assert.strictEqual(Result.getOrThrow(made).content, join(all.flatMap(({ after }) => after), eol))
    }), runs(1500))
})
