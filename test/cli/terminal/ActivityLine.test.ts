/** Signs of life: what the session does, for how long, and the tokens written so far. */
import { describe, expect, it } from "@effect/vitest"
import * as ActivityLine from "../../../src/cli/render/terminal/ActivityLine.ts"
import * as Screen from "../../../src/cli/render/terminal/Screen.ts"
import * as Theme from "../../../src/cli/render/text/Theme.ts"
import * as View from "../../../src/cli/render/view/View.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as Acts from "../support/Acts.ts"
import * as Day from "../support/Day.ts"

const after = (acts: Parameters<typeof Day.followed>[0], now: number, change: Partial<Screen.Screen> = {}): Screen.Screen => ({
  ...[...Day.followed(acts).map((followed): Screen.Message => ({ _tag: "Followed", followed })), { _tag: "Tick", now } as const]
    .reduce((screen, message) => Screen.update(screen, message)[0], Screen.initial(View.initial())),
  ...change
})

const shown = (acts: Parameters<typeof Day.followed>[0], now: number, change: Partial<Screen.Screen> = {}) =>
  ActivityLine.lines(after(acts, now, change), Theme.plain, 80)

const begun = [Day.began, Day.prompted, Acts.requested]
const ended = [...begun, Acts.responded([Acts.text("Done.")]), Acts.done("Done.")]
const reasoning = { _tag: "Parsed", part: { _tag: "Reasoning", text: "x".repeat(400) } } as const
const text = { _tag: "Parsed", part: { _tag: "Text", text: "y".repeat(40) } } as const

describe("the activity line", () => {
  it("says what is going on in each phase, since when, and the tokens so far", () => {
    expect(shown(begun, 14_000)).toEqual(["◒ Waiting for the model 12 s"])
    expect(shown([...begun, reasoning], 14_000)).toEqual(["◒ Thinking 12 s, 100 tokens"])
    expect(shown([...begun, reasoning, text], 76_000)).toEqual(["◑ Writing 1 min 14 s, 110 tokens"])
    expect(shown(Day.working, 20_000)).toEqual([expect.stringMatching(/^◑ Running \d+ s, \d+ tokens$/)])
    expect(shown([...Day.working, Acts.finished("c2", Outcome.succeeded("ok")), { _tag: "Saving", saved: 5_000, total: 98_000 }], 20_000)[0])
      .toContain("Saving a checkpoint, 5000 of 98000 files")
  })

  it("is absent when nothing runs, a prompt waits, or the task is being interrupted", () => {
    expect(shown([], 1_000)).toEqual([])
    expect(shown(ended, 1_000)).toEqual([])
    expect(shown(begun, 14_000, { isInterrupting: true })).toEqual([])
    expect(shown(begun, 14_000, { pending: { _tag: "Question", text: "Which?", options: [], answer: () => {} } })).toEqual([])
  })

  it("moves once a second while something runs, after ten seconds every other one, and not with reduced motion", () => {
    const frames = (change: Partial<Screen.Screen> = {}) => {
      let screen = after(begun, 4_000, change)
      const lines = [screen]
      for (let now = 5_003; now < 20_000; now += 1_003) {
        if (!Screen.needsTick(screen, now)) continue
        screen = Screen.update(screen, { _tag: "Tick", now })[0]
        lines.push(screen)
      }
      return lines.map((one) => ActivityLine.lines(one, Theme.plain, 80)[0]!.replace("Waiting for the model ", ""))
    }
    expect(frames()).toEqual(["◐ 2 s", "◓ 3 s", "◑ 4 s", "◒ 5 s", "◐ 6 s", "◓ 7 s", "◑ 8 s", "◒ 9 s", "◑ 10 s", "◒ 12 s", "◐ 14 s", "◓ 16 s"])
    expect(new Set(frames({ hasMotion: false }).map(([sign]) => sign))).toEqual(new Set("◐"))
    expect([Screen.needsTick(after(begun, 0), 1_000), Screen.needsTick(after(ended, 0), 1_000)]).toEqual([true, false])
  })

  it("keeps to the width", () => {
    expect(ActivityLine.lines(after(Day.working, 20_000), Theme.plain, 30)[0]!.length).toBeLessThanOrEqual(30)
  })
})
