/** What read_file makes of files that are no text: documents as text, images as they are, everything hostile as one sentence. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { zipSync } from "fflate"
import { constants, deflateRawSync, deflateSync } from "node:zlib"
import * as Documents from "../../../src/layers/documents/Documents.ts"
import { pixel } from "../../../src/layers/testing/MemoryBrowser.ts"
import { docx, paragraph, pdf, xlsx } from "../documents/documents.ts"
import { inMemory, onDisk, text } from "./world.ts"

const read = (path: string, bytes: string | Uint8Array, params: object = {}) =>
  inMemory({ files: { [path]: bytes } }, ({ call }) => call("read_file", { path, ...params }))

const table = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Age</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"

const notebook = JSON.stringify({
  nbformat: 4,
  cells: [
    { cell_type: "markdown", source: ["# Look\n", "at this"] },
    {
      cell_type: "code",
      source: "print(1)\n1 / 0",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "error", ename: "ZeroDivisionError", evalue: "division by zero", traceback: [] },
        { output_type: "display_data", data: { "image/png": "iVBO" } }
      ]
    }
  ]
})

describe("read_file", () => {
  it.live("gives a PDF as text, page by page, from a real file", () =>
    onDisk({ files: { "a.pdf": pdf(["First words", "Second words"]) } }, ({ call, session }) =>
      Effect.gen(function*() {
        const outcome = yield* call("read_file", { path: "a.pdf" })
        assert.strictEqual(text(outcome), "1 | # Page 1\n2 | First words\n3 | \n4 | # Page 2\n5 | Second words\n[This is a PDF document of 2 pages, converted to text: these lines are not lines of the file.]")
        assert.match(session().files.get("a.pdf") ?? "", /^[0-9a-f]{64}$/)
        assert.match(text(yield* call("read_file", { path: "a.pdf", start_line: 5 })), /^5 \| Second words\n/)
      })))

  it.live("says of a PDF without text that its pages may be images", () =>
    Effect.map(read("scan.pdf", pdf([""])), (outcome) => assert.include(text(outcome), "its pages may be images")))

  it.live("gives a Word document as Markdown", () =>
    Effect.map(read("a.docx", docx(paragraph("Title", "Heading1") + paragraph("Some words.") + table)), (outcome) => {
      assert.include(text(outcome), "1 | # Title\n2 | \n3 | Some words.\n4 | \n5 | | Name | Age |")
      assert.include(text(outcome), "[This is a Word document")
    }))

  it.live("gives each sheet of a workbook, with its days, numbers and truths", () =>
    Effect.map(
      read("a.xlsx", xlsx({
        People: `<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>Born</t></is></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>Ada</t></is></c><c r="B2" s="1"><v>35000</v></c><c r="C2" t="b"><v>1</v></c></row>`,
        Sums: `<row r="1"><c r="A1"><f>1+1.5</f><v>2.5</v></c></row>`
      })),
      (outcome) => assert.strictEqual(text(outcome), "1 | # Sheet People\n2 | Name\tBorn\n3 | Ada\t1995-10-28\ttrue\n4 | \n5 | # Sheet Sums\n6 | 2.5\n[This is a workbook of 2 sheets, converted to text: these lines are not lines of the file.]")
    ))

  it.effect("gives a notebook's cells and what they printed, and a broken one as it stands", () =>
    Effect.gen(function*() {
      const told = text(yield* read("a.ipynb", notebook))
      assert.include(told, "1 | # [1] markdown\n2 | # Look\n3 | at this\n")
      assert.include(told, "print(1)")
      assert.include(told, "ZeroDivisionError: division by zero")
      assert.include(told, "(image/png)")
      assert.strictEqual(text(yield* read("b.ipynb", "{\"cells\": [")), "1 | {\"cells\": [")
    }))

  it.effect("shows an image as it is", () =>
    Effect.map(read("a.png", pixel), ({ content, status }) => {
      assert.strictEqual(status, "succeeded")
      assert.deepStrictEqual(content.map(({ _tag }) => _tag), ["Text", "Image"])
    }))

  it.effect("names the kind of what it can't read", () =>
    Effect.gen(function*() {
      assert.include(text(yield* read("a.zip", zipSync({ a: new Uint8Array(9) }))), "a ZIP archive")
      assert.include(text(yield* read("a.bin", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]))), "an ELF program")
    }))
})

describe("a document that is not what it says", () => {
  const cut = (bytes: Uint8Array) => bytes.subarray(0, bytes.length >> 1)
  const cases: ReadonlyArray<readonly [string, string, Uint8Array]> = [
    ["half a PDF", "a.pdf", Uint8Array.from(Buffer.from("%PDF-1.7\n\0\0 nothing of a document"))],
    ["half a Word document", "a.docx", cut(docx(paragraph("words")))],
    ["an archive of something else", "a.docx", zipSync({ "a.txt": new Uint8Array(5) })],
    ["a workbook without sheets", "a.xlsx", zipSync({ "xl/workbook.xml": new Uint8Array(5) })],
    ["half a workbook", "a.xlsx", cut(xlsx({ A: "" }))]
  ]
  for (const [name, path, bytes] of cases) {
    it.live(`is told in a sentence: ${name}`, () =>
      Effect.map(read(path, bytes), (outcome) => {
        assert.strictEqual(outcome.status, "failed")
        assert.match(text(outcome), new RegExp(`^${path.replace(".", "\\.")} can't be read as [A-Z]+: .+\\.$`, "s"))
        assert.notInclude(text(outcome), "node_modules")
      }))
  }

  it.live("is told to have a password", () =>
    Effect.map(
      read("a.pdf", pdf(["words"], { trailer: `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /O <${"11".repeat(32)}> /U <${"22".repeat(32)}> /P -4 >>` })),
      (outcome) => assert.include(text(outcome), "it has a password")
    ))
})

describe("a document that unpacks to more than there is room for", () => {
  /** An archive of one file with 300 megabytes of nothing. */
  const bomb = zipSync({ "word/document.xml": new Uint8Array(300 * 1024 * 1024) }, { level: 1 })

  it.live("is refused by what it says of itself", () =>
    Effect.map(read("a.docx", bomb), (outcome) => assert.include(text(outcome), "it unpacks to more than 256 MB")))

  it.live("is cut where it lies about itself", () =>
    Effect.gen(function*() {
      const lying = Buffer.from(bomb)
      const entry = lying.indexOf("PK\x01\x02", 0, "latin1")
      lying.writeUInt32LE(100, entry + 24)
      const before = process.memoryUsage.rss()
      assert.strictEqual((yield* read("a.docx", new Uint8Array(lying))).status, "failed")
      assert.isBelow(process.memoryUsage.rss() - before, 200 * 1024 * 1024)
    }))

  it.live("is ended when it takes too much memory", () =>
    Effect.gen(function*() {
      const block = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_SYNC_FLUSH })
      const gigabytes = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: 4096 }, () => block), Buffer.from([3, 0])])
      const bytes = pdf([""], { stream: () => ({ dictionary: "/Filter [/FlateDecode /FlateDecode]", bytes: deflateSync(gigabytes) }) })
      const error = yield* Effect.flip(Documents.read("pdf", bytes, { seconds: 20, heap: 256, memory: 300 }))
      assert.deepStrictEqual([error.reason, error.message], ["TooLarge", "it needs more than 300 MB"])
    }))

  it.live("is ended when nobody waits for it any more", () =>
    Effect.gen(function*() {
      const row = (n: number) => `<row r="${n}">${"<c t=\"inlineStr\"><is><t>words</t></is></c>".repeat(20)}</row>`
      const bytes = xlsx({ Long: Array.from({ length: 40_000 }, (_, i) => row(i + 1)).join("") })
      const reading = yield* Effect.forkChild(Documents.read("xlsx", bytes), { startImmediately: true })
      yield* Effect.timeout(Fiber.interrupt(reading), "3 seconds")
    }))
})
