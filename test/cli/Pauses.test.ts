/** What a person sees while a provider does not answer. */
import { describe, expect, it } from "@effect/vitest"
import { renderToString } from "ink"
import { createElement } from "react"
import type { Followed, Settled } from "../../src/domain/session/SessionEvent.ts"
import * as StreamJson from "../../src/cli/render/json/StreamJson.ts"
import * as BlockLines from "../../src/cli/render/text/BlockLines.ts"
import { Root } from "../../src/cli/render/terminal/InkTerminal.ts"
import * as PlainText from "../../src/cli/render/text/PlainText.ts"
import * as RunSummary from "../../src/cli/render/json/RunSummary.ts"
import * as Screen from "../../src/cli/render/terminal/Screen.ts"
import * as StatusLine from "../../src/cli/render/text/StatusLine.ts"
import * as Theme from "../../src/cli/render/text/Theme.ts"
import * as View from "../../src/cli/render/view/View.ts"
import * as Renderers from "./support/Renderers.ts"
import * as Acts from "./support/Acts.ts"
import { model } from "./support/Played.ts"

const at = (time: number, event: Settled): Followed => ({ _tag: "Settled", at: { v: 1, seq: 0, time, prev: "", hash: "", event } })
const screen = (...messages: ReadonlyArray<Followed | Screen.Message>) =>
  messages.map((message): Screen.Message => message._tag === "Settled" ? { _tag: "Followed", followed: message } : message as Screen.Message)
    .reduce((screen, message) => Screen.update(screen, message)[0], Screen.initial(View.initial()))
const drawn = (screen: Screen.Screen) => renderToString(createElement(Root, { screen, ...Renderers.plain, dispatch: () => {}, output: { printed: 0, rows: [] } }), { columns: 80 })
const notes = ({ view }: Screen.Screen) => view.blocks.flatMap((block) => block._tag === "Note" ? [block.text as string] : [])

const said = at(0, { _tag: "UserSaid", text: "Go", delivery: "task" })
const asked = (time: number) => at(time, Acts.requested)
const busy = { reason: { _tag: "Overloaded" }, message: "demo is overloaded." } as const
const retrying = (time: number, delayMs = 8_000) => at(time, { _tag: "ModelRetrying", ...busy, attempt: 1, delayMs })
const failed = (time: number) => at(time, { _tag: "ModelFailed", ...busy, provider: "demo", draft: null })
const waiting = (time: number) => at(time, { _tag: "ModelWaiting", message: busy.message, delayMs: 30_000 })

describe("a pause", () => {
  it("is counted down, and Esc ends it", () => {
    const begun = screen(said, asked(1_000), retrying(2_000))
    expect(notes(begun)).toEqual(["Attempt 1 failed: demo is overloaded. Retrying in 8 s."])
    expect(drawn(begun)).toContain("Retrying in 8 s, Esc to stop")
    const later = Screen.update(begun, { _tag: "Tick", now: 7_000 })[0]
    expect(drawn(later)).toContain("Retrying in 3 s, Esc to stop")
    const answered = [at(11_000, Acts.responded([Acts.text("Here.")]))].reduce((screen, followed) => Screen.update(screen, { _tag: "Followed", followed })[0], later)
    expect(drawn(answered)).not.toContain("Retrying")
  })

  it("is reported once, however often the provider is tried meanwhile", () => {
    const long = screen(said, asked(0), failed(1_000), waiting(1_000), asked(31_000), failed(32_000), waiting(32_000), { _tag: "Tick", now: 40_000 })
    expect(notes(long)).toEqual(["demo is overloaded.", "demo is overloaded. Retrying every 30 s."])
    expect(drawn(long)).toContain("Waiting for the provider, retrying in 22 s, Esc to stop")
    expect(BlockLines.pause({ until: 600_000, isWaiting: true }, 0)).toContain("10 min 0 s")
  })

  it("is reported on standard error without --verbose, and in JSON", () => {
    const [, line] = PlainText.update(PlainText.initial(), waiting(0), Renderers.plain)
    expect(line).toBe("· demo is overloaded. Retrying every 30 s.\n")
    expect([waiting(0), retrying(0), retrying(0, 900)].map((followed) => followed._tag === "Settled" && PlainText.isImportant(followed.at.event)))
      .toEqual([true, true, false])
    const event = waiting(0)
    expect(event._tag === "Settled" && StreamJson.message("s", "m", event.at)).toMatchObject({ type: "system", subtype: "api_wait", delay_ms: 30_000 })
  })
})

describe("another model", () => {
  it("that takes over is shown in the status line and in the cost", () => {
    const taken = at(2_000, { _tag: "FallbackTaken", model: { ...model, id: "second", window: 1_000 }, toolFormat: "xml", why: "demo is overloaded." })
    const after = screen(said, asked(0), failed(1_000), taken, at(3_000, { ...Acts.requested, model: `${model.provider}/second` } as Settled))
    expect(notes(after).at(-1)).toBe(`demo is overloaded. Switching to ${model.provider}/second.`)
    expect([after.view.status.model, after.view.status.window]).toEqual([`${model.provider}/second`, 1_000])
    const report = [at(0, { ...Acts.requested, model: "a/second" } as Settled), at(1, Acts.responded([Acts.text("Hi")]))]
      .reduce((report, followed) => followed._tag === "Settled" ? RunSummary.update(report, followed.at) : report, RunSummary.initial)
    expect(Object.keys(report.models)).toEqual(["a/second"])
  })
})

describe("usage that no provider reported", () => {
  it("is marked on the screen, in the result and for each model", () => {
    const estimated = { ...Acts.responded([Acts.text("Hi")]), usage: { ...Acts.usage, estimated: true } } as Settled
    const seen = screen(said, asked(0), at(1, estimated))
    expect(StatusLine.statusLine(seen.view.status, Theme.plain)).toContain("estimated")
    const report = [asked(0), at(1, estimated)].reduce((report, followed) => followed._tag === "Settled" ? RunSummary.update(report, followed.at) : report, RunSummary.initial)
    const result = JSON.parse(StreamJson.line(StreamJson.result(report, { subtype: "success", exit: 0, description: "" }, 0)))
    expect([result.usage.estimated, Object.values(result.modelUsage).map((one) => (one as { estimated?: boolean }).estimated)]).toEqual([true, [true]])
  })
})
