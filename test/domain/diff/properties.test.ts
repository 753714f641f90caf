import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Apply from "../../../src/domain/diff/Apply.ts"
import * as ApplyPatch from "../../../src/domain/diff/ApplyPatch.ts"
import * as DetectFormat from "../../../src/domain/diff/DetectFormat.ts"
import { Edits } from "../../../src/domain/diff/Edit.ts"
import * as ExactEdit from "../../../src/domain/diff/ExactEdit.ts"
import { normalizeLine, hash } from "../../../src/domain/diff/NormalizeLine.ts"
import * as LineIndex from "../../../src/domain/diff/LineIndex.ts"
import * as Lines from "../../../src/domain/diff/Lines.ts"
import * as SearchReplace from "../../../src/domain/diff/SearchReplace.ts"
import * as SimilarText from "../../../src/domain/diff/SimilarText.ts"
import { similarity } from "../../../src/domain/diff/Similarity.ts"
import * as UnifiedDiff from "../../../src/domain/diff/UnifiedDiff.ts"
import { block, cut } from "./support.ts"
import { file, garbage, lengths, linesOf, runs, textOf, words } from "./texts.ts"

const formats = { SearchReplace, UnifiedDiff, ApplyPatch }
const text = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

/** A parse as data, errors included. */
const told = (parsed: ReturnType<typeof SearchReplace.parse>): unknown =>
  Result.match(parsed, { onSuccess: (edits) => edits, onFailure: (error) => error.failures })

describe("any input", () => {
  it.effect.prop("is parsed or refused, and applied or refused, and nothing throws", [garbage, file], ([input, content]) =>
    Effect.sync(() => {
      for (const parsed of [...Object.values(formats).map(({ parse }) => parse(input)), DetectFormat.parseAny(input), DetectFormat.parseAny(input, "x")]) {
        if (Result.isFailure(parsed)) continue
        Schema.decodeUnknownSync(Edits)(parsed.success)
        assert.isString(Result.match(Apply.apply(content, parsed.success), { onSuccess: ({ content }) => content, onFailure: ({ message }) => message }))
        assert.isTrue(Result.isResult(Apply.applyAll({ x: content }, parsed.success)))
      }
    }), runs(5000))

  it.effect.prop("gives the same edits however it is cut", [garbage, lengths], ([input, lengths]) =>
    Effect.sync(() => {
      for (const { end, initial, parse, push } of Object.values(formats) as ReadonlyArray<typeof SearchReplace>) {
        const whole = told(parse(input))
        for (const sizes of [lengths, [1]]) {
          assert.deepStrictEqual(told(end(cut(input, sizes).reduce((state, piece) => push(state, piece), initial()))), whole)
        }
      }
    }), runs(4000))
})

describe("an edit that applies", () => {
  const search = linesOf(words, 3)

  it.effect.prop("is undone by its inverse, to the character", [file, search, search], ([content, search, replace]) =>
    Effect.sync(() => {
      for (const parsed of [
        SearchReplace.parse(block(text(search), text(replace))),
        ExactEdit.parse({ old_text: search.join("\n"), new_text: replace.join("\n"), replace_all: replace.length === 2 })
      ]) {
        const applied = Result.flatMap(parsed, (edits) => Apply.apply(content, edits))
        if (Result.isFailure(applied)) continue
        const { content: after } = applied.success
        assert.strictEqual(Result.getOrThrow(Apply.apply(after, Apply.invert(content, after))).content, content)
      }
    }), runs(5000))

  it.effect.prop("changes the lines that its hunks name, and no others", [file, search, search, search], ([content, search, replace, other]) =>
    Effect.sync(() => {
      const parsed = SearchReplace.parse(block(text(search), text(replace)) + block(text(other), text(search)))
      const applied = Result.flatMap(parsed, (edits) => Apply.apply(content, edits))
      if (Result.isFailure(applied)) return
      const before = Lines.scan(content)
      const after = Lines.scan(applied.success.content)
      let at = 0
      let now = 0
      for (const { newLines, newStart, oldLines, oldStart } of applied.success.hunks) {
        const from = oldLines === 0 ? oldStart : oldStart - 1
        const to = newLines === 0 ? newStart : newStart - 1
        assert.deepStrictEqual(Lines.slice(after, now, to), Lines.slice(before, at, from))
        at = from + oldLines
        now = to + newLines
      }
      assert.deepStrictEqual(Lines.slice(after, now, after.count), Lines.slice(before, at, before.count))
    }), runs(5000))

  it.effect.prop("agrees with a search line by line, where lines are exact", [linesOf(words, 14), search, search], ([lines, search, replace]) =>
    Effect.sync(() => {
      const places = lines.flatMap((_, i) => search.length > 0 && search.every((line, j) => lines[i + j] === line) ? [i] : [])
      if (places.length !== 1 || search.join("\n") === replace.join("\n") || search.includes("=======") || replace.includes("=======")) return
      const made = Result.flatMap(SearchReplace.parse(block(text(search), text(replace))), (edits) => Apply.apply(text(lines), edits))
      assert.strictEqual(Result.getOrThrow(made).content, text(lines.toSpliced(places[0]!, search.length, ...replace)))
    }), runs(5000))

  it.effect.prop("of a text for another agrees with String.replace", [file, textOf(["a", " ", "\n", "b"], 3), textOf(["$&", "x", "\n"], 3)], ([content, old_text, new_text]) =>
    Effect.sync(() => {
      if (content.includes("\r") || old_text === "" || old_text === new_text) return
      const pieces = content.split(old_text)
      const all = Result.flatMap(ExactEdit.parse({ old_text, new_text, replace_all: true }), (edits) => Apply.apply(content, edits))
      if (pieces.length > 1) assert.strictEqual(Result.getOrThrow(all).content, pieces.join(new_text))
      if (pieces.length !== 2 || content.indexOf(old_text) !== content.lastIndexOf(old_text)) return
      const one = Result.flatMap(ExactEdit.parse({ old_text, new_text }), (edits) => Apply.apply(content, edits))
      assert.strictEqual(Result.getOrThrow(one).content, content.replace(old_text, () => new_text))
    }), runs(5000))
})

describe("the index", () => {
  it.effect.prop("knows each line by the key of its folded form", [textOf([...words, " ", "\t", "\r", "\n", "\u00a0", "\u200b", "\\", "\"", "é", "\f"], 30)], ([content]) =>
    Effect.sync(() => {
      const lines = Lines.scan(content)
      const split = (content.startsWith("\ufeff") ? content.slice(1) : content).split(/\r?\n/)
      if (split.at(-1) === "") split.pop()
      assert.deepStrictEqual(Lines.slice(lines, 0, lines.count), split)
      assert.deepStrictEqual([...lines.keys.subarray(0, lines.count)], split.map((line) => hash(normalizeLine(line))))
    }), runs(4000))

  it.effect.prop("finds every run of lines that a plain scan finds", [linesOf(["a", "b", "ab"], 30), linesOf(["a", "b", "ab"], 8)], ([lines, run]) =>
    Effect.sync(() => {
      if (run.length === 0) return
      const plain = lines.flatMap((_, i) => run.every((line, j) => lines[i + j] === line) ? [i] : [])
      assert.deepStrictEqual(LineIndex.find(LineIndex.of(Lines.scan(text(lines))), run.map(hash)), plain)
    }), runs(4000))
})

describe("pruned similarity", () => {
  const similarLines = Arbitrary.array(textOf(["a", "b", "ab", "cd", " ", "x1", "}", "the quick brown fox ", "jumps over ", "\u00a0"], 6), { minLength: 1, maxLength: 10 })
  const short = Arbitrary.array(textOf(["a", "b", "ab", "cd", " ", "x1", "}", "the quick brown fox ", "jumps over ", "\u00a0"], 6), { minLength: 1, maxLength: 3 })
  const threshold = Arbitrary.schema(Schema.Literals([0.3, 0.5, 0.6, 0.8, 0.9, 0.95]))

  it.effect.prop("chooses what a plain scan chooses", [similarLines, short, threshold], ([lines, search, threshold]) =>
    Effect.sync(() => {
      const trimmed = lines.map((line) => line.trim())
      const windows = lines.slice(0, Math.max(0, lines.length - search.length + 1)).map((_, start) => ({
        start,
        similarity: similarity(search.map((line) => line.trim()), trimmed.slice(start, start + search.length))
      })).sort((a, b) => b.similarity - a.similarity || a.start - b.start)
      const top = windows[0]
      const plain = top === undefined || top.similarity < threshold - 1e-9 ? [] :
        windows.filter(({ similarity }) => similarity > top.similarity - SimilarText.margin + 1e-9)
      const pruned = SimilarText.best(SimilarText.profile(Lines.scan(text(lines))), search, threshold)
      assert.deepStrictEqual(pruned.map(({ start }) => start), plain.map(({ start }) => start))
      pruned.forEach(({ similarity }, i) => assert.closeTo(similarity, plain[i]!.similarity, 1e-9))
    }), runs(5000))
})
