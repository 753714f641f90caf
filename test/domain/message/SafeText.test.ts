import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SafeText from "../../../src/domain/message/SafeText.ts"
import { assertLinear } from "../cost.ts"
import corpus from "../../corpora/terminal.json" with { type: "json" }

type Input = string | { repeat: [string, number] } | { concat: Array<Input> }

const textOf = (input: Input): string =>
  typeof input === "string" ? input
  : "repeat" in input ? input.repeat[0].repeat(input.repeat[1])
  : input.concat.map(textOf).join("")

/** What the rows of the corpus show; rows that are about a renderer (frames, pages, log files) are not ours. */
const shown: Record<string, string> = {
  "ti-04": "ok", "ti-07": "x", "ti-08": "x", "ti-11": "x", "ti-12": "x", "ti-13": "", "ti-14": "safeevil shown",
  "ti-18": "hidden", "ti-21": "red never reset", "ti-22": "x", "ti-25": " secret ", "ti-27": "x", "ti-28": "xy", "ti-31": "x",
  "ti-32": "x", "ti-35": "lqk", "ti-37": "ab", "ti-40": "a\u2400b", "ti-41": "", "ti-42": "ab",
  "ti-45": "git status\t\t\t\t\t\t\t\t\t\t\t\t; rm -rf ~", "ti-46": "ls <U+202E># ~ fr- mr<U+202C>", "ti-49": "rm<U+200B> -rf",
  "ti-53": `e${"\u0301".repeat(8)}`, "ti-63": ""
}

/** Escape, control but newline and tab, C1, bidirectional, zero-width, tags, separators, lone surrogates. */
const unfit = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u

/** Bits and pieces of attacks, to be put together in any order. */
const piece = Schema.Literals([
  "\x1b", "\x1b[", "\x1b]0;", "\x9b", "\x90", "\x1bP", "\x1b\\", "\x07", "31m", "2K", "\r", "\n", "\t", "\u202e", "\u200b", "\u{e0041}",
  "\ud83d", "\ude00", "e\u0301", "a", "Z", ";", "é", "👩‍💻"
])

describe("printable text", () => {
  for (const row of corpus.rows) {
    const expected = shown[row.id]
    if (expected !== undefined) {
      it(`${row.id}: ${row.why}`, () => assert.strictEqual(SafeText.of(textOf(row.input as Input)), expected))
    }
  }

  it("is what it was, where nothing is wrong with it", () => {
    for (const text of ["plain\n\ttext", "Größe, naïve, 日本語, Ελληνικά, русский, עברית, हिन्दी", "🎉 ❤️", "e\u0301"]) {
      assert.strictEqual(SafeText.of(text), text)
    }
    assert.strictEqual(SafeText.of("a\r\nb\rc"), "a\nb␍c")
    assert.strictEqual(SafeText.of("👩‍💻"), "👩💻")
  })

  it("gives text back where an escape never ends", () =>
    assert.isTrue(SafeText.of(`\x1b]0;${"x".repeat(10_000)} and the rest`).endsWith("and the rest")))

  it.effect.prop("holds nothing unfit, whatever comes, and is the same again", [Schema.Array(Schema.Union([piece, Schema.String]))], ([pieces]) =>
    Effect.sync(() => {
      const once = SafeText.of(pieces.join(""))
      assert.notMatch(once, unfit)
      assert.strictEqual(SafeText.of(once), once)
    }))

  it.effect.prop("is the same however it is cut", [Schema.Array(piece)], ([pieces]) =>
    Effect.sync(() => {
      let state = SafeText.initial
      let text = ""
      for (const piece of pieces) {
        const [next, more] = SafeText.push(state, piece)
        state = next
        text += more
      }
      assert.strictEqual(text + SafeText.of(state.pending), SafeText.of(pieces.join("")))
    }))

  it("names words that may not be what they seem", () => {
    assert.deepStrictEqual(SafeText.mixedScriptWords("g\u0456t push"), ["g\u0456t"])
    assert.deepStrictEqual(SafeText.mixedScriptWords("\uff52\uff4d -rf"), ["\uff52\uff4d"])
    assert.deepStrictEqual(SafeText.mixedScriptWords("git push привет Ελλάδα"), [])
  })

  it("costs time in proportion to its length", () => {
    for (const piece of ["\x1b", "\x1b[", "\x1b]", "\x9b", "\u200b", "e\u0301", "\r", "👩\u200d"]) assertLinear(SafeText.of, piece, 20_000)
  })
})
