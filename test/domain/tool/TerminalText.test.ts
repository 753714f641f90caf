import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Truncate from "../../../src/domain/tool/Truncate.ts"
import * as TerminalText from "../../../src/domain/tool/TerminalText.ts"
import { assertLinear } from "../cost.ts"

describe("a command's output, as a model reads it", () => {
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ["keeps plain lines", "a\nb\n", "a\nb\n"],
    ["has no colour", "\x1b[1;31mred\x1b[0m plain", "red plain"],
    ["shows a progress bar in its last state", "10%\r50%\r100%\ndone\n", "100%\ndone\n"],
    ["shows it also where no line end follows", "10%\r50%", "50%"],
    ["keeps a bar that ends with a return", "50%\r100%\r\nnext", "100%\nnext"],
    ["keeps lines that end in CRLF", "a\r\nb\r\n", "a\nb\n"],
    ["obeys erase in line", "long line\r\x1b[Kshort\nx\x1b[2Ky\n", "short\ny\n"],
    ["takes back what a backspace takes back", "|\b/\b-\b \bok\nN\bNA\bAM\bME\bE\n\b\bx", "ok\nNAME\nx"],
    ["drops other control characters", "a\x00\x07b\tc\n", "ab\tc\n"],
    ["drops window titles", "\x1b]0;title\x07text", "text"]
  ]
  for (const [name, output, text] of cases) it(name, () => assert.strictEqual(TerminalText.of(output), text))

  const piece = Schema.Literals(["a", "bc", "\r", "\n", "\b", "\x1b[K", "\x1b[2K", "\x1b[3", "1m", "\x1b", "]0;x", "\x07", "\r\n", "é"])

  it.effect.prop("is the same however it is cut", [Schema.Array(piece)], ([pieces]) =>
    Effect.sync(() => {
      let state = TerminalText.initial
      let text = ""
      for (const piece of pieces) {
        const [next, settled] = TerminalText.push(state, piece)
        state = next
        text += settled
      }
      assert.strictEqual(text + TerminalText.end(state), TerminalText.of(pieces.join("")))
    }))

  it("costs time in proportion to its length", () => {
    for (const piece of ["\r", "a\b", "ab\r", "x", "\x1b[K", "\x1b", "\b"]) assertLinear(TerminalText.of, piece, 20_000)
  })
})

describe("an excerpt", () => {
  const of = (text: string, keep: number) => Truncate.result(Truncate.push(Truncate.initial(keep), text))

  it("is the whole of a text that fits", () => {
    assert.deepStrictEqual(of("abcdef", 6), { text: "abcdef", omittedCount: 0 })
    assert.deepStrictEqual(of("", 6), { text: "", omittedCount: 0 })
  })

  it("else holds both ends and says how much is missing between", () => {
    assert.deepStrictEqual(of("abcdefghij", 4), { text: "ab\n[… 6 characters cut …]\nij", omittedCount: 6 })
    assert.deepStrictEqual(of("one\ntwo\nthree\nfour\n", 14), { text: "one\n[… 10 characters cut …]\nfour\n", omittedCount: 10 })
  })

  it("keeps nothing but the count when nothing may be kept", () =>
    assert.deepStrictEqual(of("abc", 0), { text: "[… 3 characters cut …]\n", omittedCount: 3 }))

  it.effect.prop("is the same however it is cut", [Schema.Array(Schema.String), Schema.Int], ([pieces, n]) =>
    Effect.sync(() => {
      const keep = Math.abs(n) % 12
      const state = Truncate.initial(keep)
      for (const piece of pieces) Truncate.push(state, piece)
      assert.deepStrictEqual(Truncate.result(state), of(pieces.join(""), keep))
    }))
})
