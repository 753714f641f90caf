/** Views that tools return: what is accepted, what fits a structured result, and how terminals draw them. */
import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ResultViewLines from "../../../src/cli/render/text/ResultViewLines.ts"
import { plain } from "../../../src/cli/render/text/Theme.ts"
import { Outcome } from "../../../src/domain/tool/Outcome.ts"
import * as ResultView from "../../../src/domain/tool/ResultView.ts"

const table: ResultView.ResultView = {
  type: "table",
  title: "Sizes",
  columns: [{ label: "file" }, { label: "lines", align: "right" }],
  rows: [["a.ts", 12], ["long/name.ts", 7], ["c.ts"]]
}
const bar: ResultView.ResultView = { type: "chart", kind: "bar", unit: "ms", labels: ["one", "two"], series: [{ name: "time", values: [30, 15] }] }
const line: ResultView.ResultView = { type: "chart", kind: "line", labels: ["1", "2", "3"], series: [{ name: "a", values: [0, null, 7] }, { name: "bb", values: [7, 7, 7] }] }
const form: ResultView.ResultView = {
  type: "form",
  title: "Release",
  fields: [{ name: "version", label: "Version", kind: "text", required: true }, { name: "kind", label: "Kind", kind: "choice", options: ["minor", "major"] }]
}
const progress: ResultView.ResultView = { type: "progress", items: [{ label: "tests", done: 5, total: 10 }, { label: "lint", done: 3, total: 0 }] }
const image: ResultView.ResultView = { type: "image", alt: "A chart", mediaType: "image/png", blob: "00" }
const diff: ResultView.ResultView = { type: "diff", diff: "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n" }
const all = [table, bar, line, form, progress, image, diff]

describe("a view", () => {
  it("survives the log's codec, and a log without views is read as before", () => {
    const outcome = (view: ResultView.ResultView) => ({ status: "succeeded", content: [{ _tag: "Text", text: "x" }], view })
    for (const view of all) {
      const encoded = JSON.parse(JSON.stringify(Schema.encodeSync(Outcome)(Schema.decodeUnknownSync(Outcome)(outcome(view)))))
      expect(encoded).toEqual(JSON.parse(JSON.stringify(outcome(view))))
    }
    expect(Schema.decodeUnknownSync(Outcome)({ status: "failed", content: [] })).toEqual({ status: "failed", content: [] })
  })

  it("is words for the model", () => {
    expect(all.map(ResultView.text)).toEqual([
      "Sizes\nfile | lines\na.ts | 12\nlong/name.ts | 7\nc.ts | ",
      " | time (ms)\none | 30\ntwo | 15",
      " | a | bb\n1 | 0 | 7\n2 |  | 7\n3 | 7 | 7",
      "Release\nVersion: (required)\nKind: (choice of minor, major)",
      "tests: 5 of 10, 50%\nlint: 3 of 0, 0%",
      "[image: A chart]",
      "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+new\n"
    ])
    expect(ResultView.answers(form as ResultView.Of<"form">, { version: "1.2.0", kind: "minor" })).toBe("Release\nVersion: 1.2.0\nKind: minor")
  })

  it("is refused beyond its limits or in another shape, with a reason", () => {
    const failure = (value: unknown) => Result.getOrThrow(Result.flip(ResultView.parse(value)))
    expect(failure({ ...table, rows: Array.from({ length: 501 }, () => ["x"]) })).toBe("it has 501 rows, more than 500")
    expect(failure({ ...table, rows: [["x".repeat(200_000)]] })).toMatch(/^it has 200\d+ characters, more than 200000$/)
    expect(failure({ ...bar, series: Array.from({ length: 9 }, () => ({ name: "s", values: [] })) })).toBe("it has 9 series, more than 8")
    expect(failure({ type: "html", html: "<b>" })).not.toBe("")
    expect(failure({ ...table, rows: [[{ nested: 1 }]] })).not.toBe("")
    // A tool names no blob: only the bytes that it returns are shown.
    expect(Result.isFailure(ResultView.parse(image))).toBe(true)
    for (const view of [table, bar, line, form, progress, diff]) expect(ResultView.parse(view)).toEqual(Result.succeed(view))
  })

  it("fits a structured result that is one, names one, or lists records", () => {
    expect(ResultView.ofStructured(bar)).toEqual(bar)
    expect(ResultView.ofStructured({ view: table, other: 1 })).toEqual(table)
    expect(ResultView.ofStructured({ files: [{ name: "a", size: 1 }, { name: "b", extra: true }] })).toEqual({
      type: "table",
      title: "files",
      columns: [{ label: "name" }, { label: "size", align: "right" }, { label: "extra" }],
      rows: [["a", 1, null], ["b", null, true]]
    })
    for (const other of [undefined, "text", [], { a: 1 }, { list: [] }, { list: [{ deep: {} }] }, { a: [{ x: 1 }], b: [{ x: 1 }] }]) {
      expect(ResultView.ofStructured(other)).toBeUndefined()
    }
  })
})

describe("a view in a terminal", () => {
  const lines = (view: ResultView.ResultView, columns?: number) => ResultViewLines.lines(view, plain, columns)

  it("is aligned text", () => {
    expect(lines(table)).toEqual(["Sizes", "file          lines", "────────────  ─────", "a.ts             12", "long/name.ts      7", "c.ts"])
    expect(lines(bar)).toEqual([`one ${"█".repeat(30)} 30 ms`, `two ${"█".repeat(15)} 15 ms`])
    expect(lines(line)).toEqual(["a  ▁ █ 7", "bb ███ 7", "1 to 3; lowest 0, highest 7"])
    expect(lines(form)).toEqual(["Release", "Version (required)", "Kind (choice of minor, major)", "Answer with a message."])
    expect(lines(progress)).toEqual([`tests ${"█".repeat(10)}${"░".repeat(10)} 5 of 10, 50%`, `lint  ${"░".repeat(20)} 3 of 0, 0%`])
    expect(lines(image)).toEqual(["[image: A chart, image/png]"])
    expect(lines(diff)).toEqual(["1 - old", "1 + new"])
  })

  it("fits the width, and nothing in it moves the cursor, hides text or breaks a line", () => {
    const evil = "\u001b[2J\u001b]0;t\u0007a\nb\r\u202eevil\u0000"
    const views: ReadonlyArray<ResultView.ResultView> = [
      { type: "table", title: evil, columns: [{ label: evil }, { label: "x" }], rows: [[evil, evil.repeat(50)]] },
      { type: "chart", kind: "bar", unit: evil, labels: [evil], series: [{ name: evil, values: [1] }, { name: "b", values: [null] }] },
      { type: "chart", kind: "line", labels: [evil], series: [{ name: evil, values: [-1] }] },
      { type: "form", title: evil, fields: [{ name: "n", label: evil, kind: "choice", options: [evil] }] },
      { type: "progress", items: [{ label: evil, done: 1, total: 2 }] },
      { type: "image", alt: evil, mediaType: evil, blob: "" },
      { type: "diff", title: evil, diff: `--- a/${evil}\n+++ b/x\n@@ -1 +1 @@\n-${evil}\n+x\n` }
    ]
    for (const view of views) {
      for (const row of lines(view, 40)) {
        expect(row).not.toMatch(/[\u0000-\u001f\u007f\u202e]/)
      }
    }
    expect(Math.max(...lines({ ...table, title: "t", rows: [["x".repeat(100), 1]] } as ResultView.ResultView, 30).map(({ length }) => length))).toBeLessThanOrEqual(30)
  })
})
