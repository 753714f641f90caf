/** What the view for screen readers prints does not depend on how many events share a frame. */
import { expect, it } from "@effect/vitest"
import { PassThrough } from "node:stream"
import * as Screen from "../../../src/cli/render/terminal/Screen.ts"
import * as ScreenReader from "../../../src/cli/render/terminal/ScreenReader.ts"
import { plain } from "../../../src/cli/render/text/Theme.ts"
import * as View from "../../../src/cli/render/view/View.ts"
import type { Live, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Day from "../support/Day.ts"

/** The lines that are printed when a frame is drawn after so many events. */
const printed = (acts: ReadonlyArray<Settled | Live>, frame: number): ReadonlyArray<string> => {
  const stdout = new PassThrough({ encoding: "utf8" })
  const initial = Screen.initial(View.initial())
  const view = ScreenReader.open(initial, {
    stdin: new PassThrough() as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    atExit: () => () => {},
    theme: plain,
    markdown: () => (text) => text.split("\n"),
    dispatch: () => {},
    reflows: false
  })
  const all = Day.followed(acts)
  all.reduce((screen, followed, i) => {
    const next = Screen.update(screen, { _tag: "Followed", followed })[0]
    if ((i + 1) % frame === 0 || i === all.length - 1) view.show(next)
    return next
  }, initial)
  return (stdout.read() as string).trimEnd().split("\n")
}

it("says that work began where it began, however many events share a frame", () => {
  const oneByOne = printed(Day.working, 1)
  expect(oneByOne.slice(1, 4)).toEqual(["> make the tests pass", "  and tell me why they failed", "Working. Type a line to steer, or press Control C to interrupt."])
  expect(oneByOne).toContain("✓ Read test/basket.test.js")
  for (let frame = 2; frame <= Day.followed(Day.working).length; frame++) expect(printed(Day.working, frame), `${frame} events a frame`).toEqual(oneByOne)
})
