import { assert, describe, it } from "@effect/vitest"
import * as Attachments from "../../../src/domain/provider/Attachments.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as ImageSize from "../../../src/domain/provider/ImageSize.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Buffer.concat([...parts.map((part) => typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part)), Buffer.alloc(40)]).toString("base64")

const rows: ReadonlyArray<readonly [string, string, number]> = [
  ["PNG", bytes("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 0x23, 0x28, 0, 0, 0, 16]), 9000],
  ["GIF", bytes("GIF89a", [0x10, 0x27, 0x20, 0]), 10_000],
  ["JPEG, behind other segments", bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 17, 8, 0x01, 0x00, 0x23, 0x28]), 9000],
  ["lossy WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, 0x28, 0x23, 0x10, 0]), 9000],
  ["lossless WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8L", [0, 0, 0, 0, 0x2f, 0x27, 0x23, 0, 0]), 9000],
  ["extended WebP", bytes("RIFF", [0, 0, 0, 0], "WEBPVP8X", [0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0x27, 0x23, 0]), 9000],
  ["what is no image", bytes("hello"), 0],
  ["nothing", "", 0]
]

describe("the size of an image", () => {
  for (const [name, data, side] of rows) it(`is read from ${name}`, () => assert.strictEqual(ImageSize.longerSide(data), side))
})

describe("a file that a wire can't take", () => {
  const model = Catalogue.find("anthropic", "claude-sonnet-4-5")!
  const show = (data: string, limits: Attachments.Limits) => Attachments.toWirePart({ _tag: "Image", mediaType: "image/png", blob: "b" }, request([], { blobs: new Map([["b", data]]) }), model, limits)
  it("is left out with a sentence", () => {
    assert.deepStrictEqual(show("A".repeat(6 * 1024 * 1024), Attachments.anthropicLimits), { _tag: "Text", text: "[An image (image/png) was left out: it has 6 MB as text, and 5 can be sent.]" })
    assert.deepStrictEqual(show(rows[0]![1], Attachments.anthropicLimits), { _tag: "Text", text: "[An image (image/png) was left out: it is 9000 pixels long, and 8000 can be sent.]" })
    assert.strictEqual(show(rows[0]![1], Attachments.defaultLimits)._tag, "Image")
    const pdf = Attachments.toWirePart({ _tag: "Document", mediaType: "application/pdf", blob: "b" }, request([], { blobs: new Map([["b", "A".repeat(21 * 1024 * 1024)]]) }), model)
    assert.deepStrictEqual(pdf, { _tag: "Text", text: "[A document (application/pdf) was left out: it has 21 MB as text, and 20 can be sent.]" })
  })
})
