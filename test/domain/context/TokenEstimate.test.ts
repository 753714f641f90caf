import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { estimateTokenCount } from "tokenx"
import { globSync, readFileSync } from "node:fs"
import * as TokenEstimate from "../../../src/domain/context/TokenEstimate.ts"

const root = new URL("../../../", import.meta.url)

describe("an estimate in one pass", () => {
  const letters = ["a", "Z", "9", " ", "\n", "\t", "\r\n", "(", "_", "'", "\"", "-", "ab", "camelCase", "ends.", "\u0000"]
  const drawn = Schema.Array(Schema.Literals(letters)).pipe(Schema.check(Schema.isMaxLength(60)))

  it.effect.prop("counts any ASCII text as tokenx does", [drawn], ([drawn]) =>
    Effect.sync(() => assert.strictEqual(TokenEstimate.tokens(drawn.join("")), estimateTokenCount(drawn.join("")))), { arbitrary: { runs: 500 } })

  const table = ["", " ", "\n", "\n\n", "a\n", "a;\nb", "x  \n  y", "1234567", "supercalifragilistic", "========", "it's", "a\u000bb", "\r\n\r\n"]
  for (const text of table) it(JSON.stringify(text), () => assert.strictEqual(TokenEstimate.tokens(text), estimateTokenCount(text)))

  it("is near tokenx for a text in any alphabet", () => {
    const texts = [
      "Größe und Maß: die Übung beginnt früh, sagt die Ärztin.\n",
      "Ça va très bien, merci; où est l'hôtel?\n",
      "Привет, как дела? Всё хорошо.\n",
      "日本語のテキストです。これは試験です。\n",
      "한국어 문장입니다. 안녕하세요?\n",
      "emoji 🎉 and — dashes … “quotes”\n"
    ].map((line) => line.repeat(40))
    for (const text of texts) assert.closeTo(TokenEstimate.tokens(text) / estimateTokenCount(text), 1, 0.1, text.slice(0, 30))
  })

  it("is the same for this repository's files, but for words of other alphabets", () => {
    for (const path of globSync("src/domain/**/*.ts", { cwd: root.pathname })) {
      const text = readFileSync(new URL(path, root), "utf8")
      assert.closeTo(TokenEstimate.tokens(text) / estimateTokenCount(text), 1, 0.01, path)
    }
  })
})
