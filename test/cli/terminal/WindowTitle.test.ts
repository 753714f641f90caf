/** The title of the window: what it says in each state, nothing hostile, and that it is restored. */
import { describe, expect, it } from "@effect/vitest"
import * as Screen from "../../../src/cli/render/terminal/Screen.ts"
import * as WindowTitle from "../../../src/cli/render/terminal/WindowTitle.ts"
import * as View from "../../../src/cli/render/view/View.ts"
import type { Live, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Acts from "../support/Acts.ts"
import * as Day from "../support/Day.ts"

const screen = (...acts: ReadonlyArray<Settled | Live>): Screen.Screen =>
  Day.followed(acts).reduce((screen, followed) => Screen.update(screen, { _tag: "Followed", followed })[0], Screen.initial(View.initial()))

const hostile = "a\u001b]0;owned\u0007\u001b[2Jb\u009d2;x\u009c\u202ec\nd"

describe("the window's title", () => {
  it("is the folder, then the first line of the first message, then the session's name, with a sign of the state", () => {
    const question: Screen.Message = { _tag: "Pending", pending: { _tag: "Question", text: "Which one?", options: [], answer: () => {} } }
    expect(WindowTitle.of(screen(), "shop")).toBe("shop – dacapo")
    expect(WindowTitle.of(screen(...Day.working), "shop")).toBe("◐ make the tests pass – dacapo")
    expect(WindowTitle.of(Screen.update(screen(...Day.working), question)[0], "shop")).toBe("? make the tests pass – dacapo")
    expect(WindowTitle.of(screen(...Day.working, Acts.done("Done.")), "shop")).toBe("make the tests pass – dacapo")
    expect(WindowTitle.of(screen(...Day.working, Acts.done("Done."), { _tag: "UserSaid", text: "now push", delivery: "task" }, Acts.done("")), "shop"))
      .toBe("make the tests pass – dacapo")
    expect(WindowTitle.of(screen(...Day.working, { _tag: "SessionNamed", name: "tests" }, Acts.done("Done.")), "shop")).toBe("tests – dacapo")
  })

  it("has no control character, whatever a message, a name or a folder is called, and at most 75 cells", () => {
    for (const title of [
      WindowTitle.of(screen(), hostile),
      WindowTitle.of(screen(Day.began, { _tag: "UserSaid", text: hostile, delivery: "task" }), "shop"),
      WindowTitle.of(screen(Day.began, { _tag: "SessionNamed", name: hostile }), "shop"),
      WindowTitle.of(screen(Day.began, { _tag: "UserSaid", text: "漢".repeat(200), delivery: "task" }), "shop")
    ]) {
      expect(title).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(title.length).toBeLessThan(75)
    }
  })

  it("never has a text of the model or of a tool", () => {
    const response = Acts.responded([Acts.text("model says"), Acts.call("c1", "run_command", { command: "tool says" })], "tool_calls")
    const told = screen(Day.began, Day.prompted, Acts.requested, response, { _tag: "Output", call: "c1", text: "output says" })
    expect(WindowTitle.of(told, "shop")).toBe("◐ make the tests pass – dacapo")
  })

  it("is written when it changes, on top of the earlier one, which is restored", () => {
    const written: Array<string> = []
    const { restore, show } = WindowTitle.writer((sequence) => void written.push(sequence))
    restore()
    expect(written).toEqual([])
    for (const title of ["one", "one", "two"]) show(View.text(title))
    restore()
    restore()
    expect(written).toEqual(["\u001b[22;2t", "\u001b]2;one\u0007", "\u001b]2;two\u0007", "\u001b]2;\u0007", "\u001b[23;2t"])
  })
})
