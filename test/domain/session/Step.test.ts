import { describe, expect, it } from "@effect/vitest"
import * as Step from "../../../src/domain/session/Step.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import { answered, asked, call, checkpoint, finished, fold, proposed, said, started } from "./log.ts"

const next = (...events: ReadonlyArray<Settled>) => Step.next(fold(...events))
const begun: ReadonlyArray<Settled> = [started(), said("Mend it"), ...asked]
const ids = (step: Step.Step) => "calls" in step ? step.calls.map(({ call }) => call.id) : "call" in step ? [step.call.call.id] : []

describe("Step.next", () => {
  it("rests before anything was said", () => {
    expect(next(started())._tag).toBe("Rest")
  })

  it("calls the model when the user has said something", () => {
    expect(next(started(), said("Mend it"))._tag).toBe("CallModel")
  })

  it("ends the task with the words of a response without a call", () => {
    expect(next(...begun, answered([{ _tag: "Text", text: "Done." }]))).toEqual(Step.Step.Finish({ result: "Done." }))
  })

  it("has a response that was cut at the output limit continued", () => {
    expect(next(...begun, answered([{ _tag: "Text", text: "Do" }], { stop: "length" }))._tag).toBe("Remind")
  })

  it("tells a model that meant to make a call and made none", () => {
    const step = next(...begun, answered([{ _tag: "Text", text: "<<read_file>>" }], { nearMiss: "Write <read_file>." }))
    expect(step).toEqual(Step.Step.Remind({ text: "Write <read_file>." }))
  })

  it("asks a model that only reasoned for its response, once, and then fails", () => {
    const thought = answered([{ _tag: "Reasoning", text: "Hm.", model: "test/model" }])
    const first = next(...begun, thought)
    expect(first).toMatchObject({ _tag: "Remind", text: expect.stringContaining("only reasoning") })
    const reminded: ReadonlyArray<Settled> = [...begun, thought, { _tag: "Reminded", text: first._tag === "Remind" ? first.text : "" }, ...asked]
    expect(next(...reminded, thought)).toMatchObject({ _tag: "Fail", reason: "provider", message: expect.stringContaining("only reasoning twice") })
    expect(next(...reminded, answered([{ _tag: "Text", text: "Here it is." }]))).toEqual(Step.Step.Finish({ result: "Here it is." }))
  })

  it("takes a refusal for an answer, even one without words", () => {
    expect(next(...begun, answered([{ _tag: "Reasoning", text: "Hm.", model: "test/model" }], { stop: "refusal" }))).toEqual(Step.Step.Finish({ result: "" }))
  })

  it("answers what the user said meanwhile instead of ending", () => {
    expect(next(...begun, said("Also this", "steer"), answered([{ _tag: "Text", text: "Done." }]))._tag).toBe("CallModel")
  })

  it("proposes all calls of a response together", () => {
    const step = next(...begun, answered([call("a"), call("b")]))
    expect([step._tag, ids(step)]).toEqual(["Propose", ["a", "b"]])
  })

  it("runs reads side by side up to the first edit, and the edit alone", () => {
    const calls = [...begun, answered([call("a"), call("b"), call("c"), call("d")]), proposed("a"), proposed("b"), proposed("c", "edit"), proposed("d")]
    expect(ids(next(...calls))).toEqual(["a", "b"])
    const read = [...calls, finished("a"), finished("b")]
    expect(next(...read)._tag).toBe("Checkpoint")
    expect(ids(next(...read, checkpoint))).toEqual(["c"])
  })

  it("asks the model after an edit, and keeps the files that are taken meanwhile before anything else", () => {
    const edited: ReadonlyArray<Settled> = [
      ...begun,
      answered([call("a", "edit_file")]),
      proposed("a", "edit"),
      checkpoint,
      { _tag: "ToolStarted", call: "a" },
      finished("a")
    ]
    expect(next(...edited)._tag).toBe("CallModel")
    const again = [...edited, ...asked, answered([call("b", "edit_file")])]
    expect(next(...again)._tag).toBe("Checkpoint")
    expect(ids(next(...again, checkpoint))).toEqual(["b"])
    expect(ids(next(...again, checkpoint, proposed("b", "edit")))).toEqual(["b"])
  })

  it("saves the files before a task ends that changed them, whether it finished or failed", () => {
    const edited: ReadonlyArray<Settled> = [
      ...begun, answered([call("a", "edit_file")]), proposed("a", "edit"), checkpoint, { _tag: "ToolStarted", call: "a" }
    ]
    expect(next(...edited, finished("a", { ends: "Done." }))._tag).toBe("Checkpoint")
    expect(next(...edited, finished("a", { ends: "Done." }), checkpoint)._tag).toBe("Finish")
    const failed: Settled = { _tag: "TaskFailed", reason: "provider", message: "gone" }
    expect(next(...edited, finished("a"), ...asked, failed)._tag).toBe("Checkpoint")
    expect(next(...edited, finished("a"), ...asked, failed, checkpoint)._tag).toBe("Rest")
  })

  it("asks about one call at a time, in order", () => {
    const step = next(...begun, answered([call("a"), call("b")]), proposed("a", "command", "ask"), proposed("b", "command", "ask"))
    expect([step._tag, ids(step)]).toEqual(["Ask", ["a"]])
  })

  it("after a refusal denies the edits and commands behind it unasked, and runs the reads", () => {
    const refused: ReadonlyArray<Settled> = [
      ...begun,
      answered([call("a"), call("b"), call("c")]),
      proposed("a", "command", "ask"),
      proposed("b", "edit", "ask"),
      proposed("c"),
      { _tag: "ApprovalAsked", call: "a", action: "action of a" },
      { _tag: "ApprovalDecided", call: "a", decision: "deny", scope: "once", words: "Not that way", by: "user" }
    ]
    const first = next(...refused)
    expect([first._tag, ids(first)]).toEqual(["Close", ["a"]])
    const second = next(...refused, finished("a", { status: "denied" }))
    expect([second._tag, ids(second)]).toEqual(["Close", ["b"]])
    const third = next(...refused, finished("a", { status: "denied" }), finished("b", { status: "denied" }))
    expect([third._tag, ids(third)]).toEqual(["Run", ["c"]])
  })

  it("ends the task when a call ends it", () => {
    expect(next(...begun, answered([call("a", "finish")]), proposed("a"), finished("a", { ends: "All good." })))
      .toEqual(Step.Step.Finish({ result: "All good." }))
  })

  it("asks once for what a rule allowed when there are no checkpoints", () => {
    const off: ReadonlyArray<Settled> = [
      ...begun,
      answered([call("a", "edit_file")]),
      proposed("a", "edit"),
      { _tag: "CheckpointsOff", why: "git is not installed" }
    ]
    expect(next(...off)._tag).toBe("Ask")
  })

  it("fails at a limit instead of calling the model", () => {
    const limits = { mistakes: 3, repeats: 3, turns: 1 }
    const step = next(started({ limits }), said("Mend it"), ...asked, answered([call("a")]), proposed("a"), finished("a"))
    expect(step).toEqual(Step.Step.Fail({ reason: "turns", message: "Reached the limit of 1 turn." }))
  })

  it("fails when the model asked a question that no one can answer, where that is to end it", () => {
    const outcome = { status: "succeeded", content: [], unanswered: true } as const
    const events = (onAsk: "deny" | "exit") =>
      [started({ onAsk }), said("Mend it"), ...asked, answered([call("a", "ask_user")]), proposed("a"), { _tag: "ToolFinished", call: "a", outcome } as const]
    expect(next(...events("deny"))._tag).toBe("CallModel")
    expect(next(...events("exit"))).toEqual(Step.Step.Fail({ reason: "approval", message: "The model asked a question, and no one can answer." }))
  })
})
