import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Interruption from "../../../src/domain/session/Interruption.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import { SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"
import { answered, asked, call, finished, fold, proposed, said, started } from "./log.ts"

const task = [started(), said("Mend it"), ...asked, answered([call("a"), call("b")]), proposed("a"), proposed("b")]

const text = (text: string) => ({ _tag: "Text", text })

describe("Session.apply", () => {
  it("gives every call exactly one result, in the order of the calls, whenever they ended", () => {
    const session = fold(...task, finished("b"), finished("a"), ...asked)
    expect(session.messages.at(-1)).toEqual({
      role: "user",
      content: [
        { _tag: "ToolResult", id: "a", name: "read_file", content: [{ _tag: "Text", text: "result of a" }], isError: false },
        { _tag: "ToolResult", id: "b", name: "read_file", content: [{ _tag: "Text", text: "result of b" }], isError: false }
      ]
    })
  })

  it("joins what steers to the next request, and keeps what is queued for the end of the task", () => {
    const steered = fold(...task, said("Faster", "steer"), said("Then that", "queue"), finished("a"), finished("b"), ...asked)
    expect(steered.messages.at(-1)?.content.at(-1)).toEqual({ _tag: "Text", text: "Faster" })
    expect(steered.queue).toEqual([text("Then that")])
    const after = fold(started(), said("One"), said("Two", "queue"), ...asked, answered([]), { _tag: "TaskFinished", result: "" })
    expect([after.task.state, after.pendingContent]).toEqual(["running", [text("Two")]])
  })

  it("closes an interrupted task: the request fails, and every open call is interrupted", () => {
    const running = fold(...task, { _tag: "ToolStarted", call: "a" })
    const closing = Interruption.afterInterrupt(running, null)
    expect(closing.map((event) => event._tag === "ToolFinished" ? [event.call, event.outcome.status] : event._tag)).toEqual([
      ["a", "interrupted"],
      ["b", "interrupted"]
    ])
    const streaming = fold(started(), said("Mend it"), ...asked)
    const draft = { blob: "d1", text: "Well", spent: undefined, used: undefined }
    expect(Interruption.afterInterrupt(streaming, draft)).toMatchObject([{ _tag: "ModelFailed", reason: { _tag: "Interrupted" }, draft: "d1", said: "Well" }])
  })

  it("after a crash runs reads again, and knows an edit as lost until it is looked at", () => {
    const died = fold(
      started(),
      said("Mend it"),
      ...asked,
      answered([call("a"), call("b")]),
      proposed("a"),
      proposed("b", "edit"),
      { _tag: "ToolStarted", call: "a" },
      { _tag: "ToolStarted", call: "b" }
    )
    const resumed = Session.apply(died, { v: 1, seq: died.seq + 1, time: died.time, prev: "", hash: "", event: { _tag: "Resumed", settings: died.settings, version: "0", goOn: true } })
    expect(resumed.calls.map(({ state }) => state)).toEqual(["allowed", "lost"])
  })

  it("adds up tokens and money over all events", () => {
    const session = fold(...task)
    expect([session.usage.input, session.usage.output, session.cost]).toEqual([1_000_000, 100_000, 2])
  })

  it("counts responses in a row without a call that succeeded, whatever number of calls went wrong in each", () => {
    const wrong = { status: "failed", mistake: true } as const
    const once = [...task, finished("a", wrong), finished("b", wrong)]
    expect(fold(...once).task.mistakes).toBe(1)
    expect(fold(...once, ...asked, answered([call("c")]), finished("c", wrong)).task.mistakes).toBe(2)
    expect(fold(...task, finished("a", wrong), finished("b")).task.mistakes).toBe(0)
    expect(fold(...task, finished("a"), finished("b", wrong)).task.mistakes).toBe(0)
    expect(fold(...once, ...asked, answered([call("c")]), finished("c", { status: "failed" })).task.mistakes).toBe(1)
  })

  it("counts the same calls in a row", () => {
    const again = [...asked, answered([call("x", "read_file", { path: "a" })]), proposed("x"), finished("x")]
    expect(fold(started(), said("Go"), ...again, ...again, ...again).task.repeats).toBe(3)
  })

  it("derives the phase", () => {
    expect(Session.phase(fold(started()))).toBe("idle")
    expect(Session.phase(fold(started(), said("Go"), ...asked))).toBe("streaming")
    expect(Session.phase(fold(...task, { _tag: "ToolStarted", call: "a" }))).toBe("running tools")
    expect(Session.phase(fold(...task, { _tag: "ApprovalAsked", call: "a", action: "" }))).toBe("waiting for approval")
    expect(Session.phase(fold(started(), said("Go"), { _tag: "TaskFinished", result: "" }))).toBe("finished")
  })
})

describe("the log codec", () => {
  it.prop("brings every event through unchanged", [Settled], ([event]) => {
    const at: SessionEvent = { v: 1, seq: 0, time: 0, prev: "", hash: "", event }
    const json = JSON.stringify(Schema.encodeSync(SessionEvent)(at))
    const back = Schema.decodeUnknownSync(SessionEvent)(JSON.parse(json))
    return Schema.toEquivalence(SessionEvent)(at, back)
  }, { arbitrary: { runs: 500 } })
})
