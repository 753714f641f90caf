/** Documents through the built command, whose reader is a file of its own. */
import { expect, it } from "@effect/vitest"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { docx, paragraph, pdf, xlsx } from "../layers/documents/documents.ts"
import * as Process from "./support/Process.ts"

it("reads a PDF, a Word document and a workbook as text", async () => {
  await using place = Process.scene()
  writeFileSync(join(place.cwd, "a.pdf"), pdf(["words of a page"]))
  writeFileSync(join(place.cwd, "b.docx"), docx(paragraph("words of a document")))
  writeFileSync(join(place.cwd, "c.xlsx"), xlsx({ One: `<row r="1"><c r="A1" t="inlineStr"><is><t>words of a cell</t></is></c></row>` }))
  const model = place.script({ calls: ["a.pdf", "b.docx", "c.xlsx"].map((path) => ({ name: "read_file", params: { path } })) }, { text: "Done." })
  const { code, stdout } = await Process.run(place, ["-p", "--output-format", "stream-json", "--model", model, "go"])
  expect(code).toBe(0)
  for (const words of ["1 | # Page 1\\n2 | words of a page", "1 | words of a document", "1 | # Sheet One\\n2 | words of a cell"]) expect(stdout).toContain(words)
})

/** A built file and all that it may load, by their paths. */
const loaded = (file: string, known = new Set<string>()): ReadonlySet<string> => {
  if (known.has(file)) return known
  known.add(file)
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*["'`](\.[^"'`]+\.js)["'`]/g)) loaded(join(dirname(file), path), known)
  return known
}

it("has a reader that does not load the command into its thread", () => {
  const files = [...loaded(join(dirname(Process.main), "../dist/cli/document.js"))]
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => /\/(?:main|records|task)[^/]*\.c?js$/.test(file))).toEqual([])
})
