import { describe, expect, it } from "@effect/vitest"
import * as ServerSentEvents from "../../../src/domain/provider/ServerSentEvents.ts"

const read = (...pieces: ReadonlyArray<string>): ReadonlyArray<string> => {
  let state = ServerSentEvents.initial()
  return pieces.flatMap((piece) => {
    const [next, events] = ServerSentEvents.push(state, piece)
    state = next
    return events
  })
}

const text = ": a comment\nevent: x\nid: 7\ndata: {\"a\":1}\n\n\ndata:two\ndata\ndata:  lines\nretry: 5\n\nevent: empty\n\ndata:\n\ndatab: no\n\ndata: cut"
const events = ["{\"a\":1}", "two\n\n lines", ""]

describe("server-sent events", () => {
  it("give their data, and nothing of what has none or is cut", () => {
    expect(read(text)).toEqual(events)
  })

  it("are the same wherever the text is cut, and with every end of line", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const whole = text.replaceAll("\n", end)
      for (let first = 0; first <= whole.length; first++) {
        for (const second of [first, first + 1, whole.length - 3]) {
          expect(read(whole.slice(0, first), whole.slice(first, Math.max(first, second)), whole.slice(Math.max(first, second)))).toEqual(events)
        }
      }
      expect(read(...whole)).toEqual(events)
    }
  })

  it("are refused where one does not end, as a line or as many", () => {
    for (const piece of ["data: x".padEnd(1024 * 1024, "x"), `data: ${"x".repeat(1024 * 1024)}\n`]) {
      const states = Array.from({ length: 17 }, () => piece).reduce((state, piece) => ServerSentEvents.push(state, piece)[0], ServerSentEvents.initial())
      expect(states.problem).toBe("an event of more than 16 MB")
    }
  })
})
