/** Running work as people and programs see it. */
import { describe, expect, it } from "@effect/vitest"
import * as Progress from "../../src/domain/session/Progress.ts"
import type { Settled } from "../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Lines from "../../src/cli/render/text/ProgressLines.ts"
import * as Screen from "../../src/cli/render/terminal/Screen.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import * as View from "../../src/cli/render/view/View.ts"
import * as Acts from "./support/Acts.ts"

const at = (time: number, event: Settled) => ({ v: 1, seq: time, time, prev: "", hash: "", event })
const report = { name: "doors", status: "finished" as const, result: "two", calls: 1, errors: 0, evidence: [], changed: [], spent: { usd: 0, tokens: 0 } }
const child = (session: string, place: number, name: string): Settled => ({ _tag: "ChildStarted", call: "c1", session, place, of: 2, name })

const own: ReadonlyArray<Settled> = [
  Acts.responded([Acts.call("c1", "delegate", {})], "tool_calls"),
  Acts.started("c1"),
  child("a", 0, "doors"),
  child("b", 1, "windows\u001b[31m")
]
const theirs: ReadonlyArray<Settled> = [Acts.responded([Acts.call("c1", "read_file", { path: "src/doors.ts" })], "tool_calls"), Acts.started("c1")]

const working = () => {
  const begun = own.reduce((progress, event) => Progress.update(progress, "", "", at(1000, event)), Progress.initial())
  return theirs.reduce((progress, event) => Progress.update(progress, "", "a", at(2000, event)), begun)
}

describe("running subagents", () => {
  it("are shown as a tree under their call, with a progress bar, activity and remaining time", () => {
    expect(Lines.tree(working(), Theme.plain, 4000)).toEqual([
      "◐ Delegate ░░░░░░░░░░ 0/2 3.0 s",
      "  └ doors 3.0 s",
      "    └ read_file src/doors.ts 2.0 s",
      "  └ windows 3.0 s"
    ])
    const half = Progress.update(working(), "", "", at(5000, { _tag: "ChildFinished", call: "c1", session: "a", report }))
    expect(Lines.tree(half, Theme.plain, 5000)).toEqual(["◐ Delegate █████░░░░░ 1/2 4.0 s, about 4.0 s left", "  └ windows 4.0 s"])
  })

  it("are lines in plain output, with a summary at the end", () => {
    const before = working()
    const after = Progress.update(before, "", "a", at(2500, Acts.finished("c1", Outcome.failed("No such file.\nLook again."))))
    expect(after.newEvents.map((moment) => Lines.line(before, moment, Theme.plain))).toEqual(["✗ doors: read_file src/doors.ts: No such file. (500 ms)"])
    expect(Lines.summary(after)).toBe("1 finished, 1 of them failed, 0.7 per second. Average: 1 × read_file 500 ms (1 failed)")
    expect(Lines.summary(Progress.initial())).toBe("")
  })

  it("are objects for programs", () => {
    const [moment] = Progress.update(working(), "", "", at(5000, { _tag: "ChildFinished", call: "c1", session: "b", report: { ...report, status: "timed out", result: "late" } })).newEvents
    expect(Lines.json("s", working(), moment!)).toEqual({
      type: "system",
      subtype: "progress",
      session_id: "s",
      state: "failed",
      kind: "child",
      name: "windows\u001b[31m",
      id: "b",
      parent: "/c1",
      note: "timed out: late",
      ms: 4000,
      running: 4
    })
  })

  it("are part of the screen, in place of their call's line", () => {
    const followed = own.map((event) => ({ _tag: "Followed" as const, followed: { _tag: "Settled" as const, at: at(1000, event) } }))
    const begun = followed.reduce((screen, message) => Screen.update(screen, message)[0], Screen.initial(View.initial()))
    const screen = theirs.reduce((screen, event) => Screen.update(screen, { _tag: "Subagent", session: "a", at: at(2000, event) })[0], begun)
    expect(Screen.needsTick(screen, 2000)).toBe(true)
    expect(Lines.tree(screen.progress, Theme.plain, screen.now).map((line) => line.trim().split(" ").slice(0, 2).join(" "))).toEqual(["◐ Delegate", "└ doors", "└ read_file", "└ windows"])
  })
})
