/** What a server returns as values, within the limits of structured results. */
import { describe, expect, it } from "@effect/vitest"
import * as Content from "../../../src/domain/mcp/Content.ts"

const textOf = (part: Content.ContentPart): string => part._tag === "Text" ? part.text : ""

describe("values of an MCP server", () => {
  it("are JSON while they are small", () => expect(textOf(Content.ofValue({ a: [1, "two", null] }))).toBe("{\"a\":[1,\"two\",null]}"))

  it("stay valid JSON of at most 50,000 bytes when they are large or deep", () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, text: "x".repeat(100) }))
    let deep: unknown = "end"
    for (let i = 0; i < 10_000; i++) deep = { deep }
    for (const value of [{ rows }, deep, "y".repeat(1_000_000)]) {
      const text = textOf(Content.ofValue(value))
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50_100)
      expect(() => JSON.parse(text)).not.toThrow()
    }
  })

  it("of an unknown kind are treated in the same way, without control characters", () => {
    const text = textOf(Content.ofBlock({ type: "hologram", text: "\u202Ea\u001b[2J", rows: "z".repeat(200_000) }))
    expect(text.length).toBeLessThanOrEqual(50_100)
    expect(text).not.toMatch(/[\u0000-\u001f\u202e]/)
  })
})
