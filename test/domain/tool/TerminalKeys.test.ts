import { describe, expect, it } from "vitest"
import * as TerminalKeys from "../../../src/domain/tool/TerminalKeys.ts"

describe("a key by its name", () => {
  it("is the bytes of a terminal, in every spelling", () => {
    const bytes = ["Enter", "return", "ctrl-c", "Ctrl+C", "C-c", "^c", "esc", "Up", "pgdn", "Tab", "shift-tab", "Ctrl-]"].map((name) =>
      TerminalKeys.bytesOf(TerminalKeys.nameOf(name)!))
    expect(bytes).toEqual(["\r", "\r", "\u0003", "\u0003", "\u0003", "\u0003", "\u001b", "\u001b[A", "\u001b[6~", "\t", "\u001b[Z", "\u001d"])
  })

  it("does not exist under any other name", () => {
    expect(["", "x", "Ctrl-", "Ctrl-CC", "F13", "constructor", "\u001b[A"].map(TerminalKeys.nameOf)).toEqual(Array.from({ length: 7 }, () => undefined))
  })

  it("is not a character of a text", () => {
    expect(["yes\n", "a\tb", "é"].map(TerminalKeys.hasControlCharacters)).toEqual([false, false, false])
    expect(["\u0003", "\u001b[A", "\u007f", "\u0085"].map(TerminalKeys.hasControlCharacters)).toEqual([true, true, true, true])
    expect(TerminalKeys.typed("a\nb\r\nc")).toBe("a\rb\rc")
  })
})
