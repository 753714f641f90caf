import { describe, expect, it } from "@effect/vitest"
import type { SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Message from "../../../src/domain/message/Message.ts"
import * as Rewind from "../../../src/domain/session/Rewind.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import { answered, asked, call, checkpoint, finished, fold, proposed, said, settings, started } from "./log.ts"

const text = (words: string) => answered([{ _tag: "Text", text: words }])
const done: Settled = { _tag: "TaskFinished", result: "" }
const task = (words: string, answer: string): ReadonlyArray<Settled> => [said(words), ...asked, text(answer), done]
const back = (to: number, parts: { readonly files?: boolean; readonly conversation?: boolean } = { conversation: true, files: true }): Settled =>
  ({ _tag: "Rewound", to, files: parts.files === true, conversation: parts.conversation === true })
const compacted: Settled = { _tag: "ContextCompacted", kind: "summary", why: "full", shortened: [], before: 2, after: 1, left: [] }

const words = ({ messages, pendingContent }: Session.Session) => [...messages.map(({ content }) => Message.text(content)), ...pendingContent.map((part) => Message.text([part]))]

const numbered = (...events: ReadonlyArray<Settled>): ReadonlyArray<SessionEvent> =>
  events.map((event, seq) => ({ v: 1, seq, time: 1000 * (seq + 1), prev: "", hash: "", event }))

const log = [started(), ...task("One", "First."), ...task("Two", "Second.")]

describe("going back", () => {
  it("has the conversation of that moment, and what is said next follows it", () => {
    expect(words(fold(...log, back(5)))).toEqual(["One", "First."])
    expect(words(fold(...log, back(5), ...task("Three", "Third.")))).toEqual(["One", "First.", "Three", "Third."])
  })

  it("counts what was used on every path", () => {
    const whole = fold(...log)
    const gone = fold(...log, back(5))
    expect([gone.usage, gone.cost, gone.responseCount]).toEqual([whole.usage, whole.cost, 2])
  })

  it("can be undone, and the undoing undone", () => {
    const end = log.length - 1
    expect(words(fold(...log, back(5), back(end)))).toEqual(words(fold(...log)))
    expect(words(fold(...log, back(5), back(end), back(end + 1)))).toEqual(["One", "First."])
  })

  it("tells the model where files and conversation are of different moments", () => {
    expect(words(fold(...log, back(5, { files: true }))).at(-1)).toContain("restored the files")
    expect(words(fold(...log, back(5, { conversation: true }))).at(-1)).toContain("but not the files")
  })

  it("to the middle of a task leaves it interrupted, with a result for every call", () => {
    const middle = [started(), said("Mend"), ...asked, answered([call("a"), call("b")]), proposed("a"), proposed("b"), { _tag: "ToolStarted", call: "a" } as const, finished("a"), finished("b")]
    const session = fold(...middle, back(7))
    expect(session.task.state).toBe("interrupted")
    expect(session.calls.map(({ outcome, state }) => [state, outcome?.status])).toEqual([["done", "interrupted"], ["done", "interrupted"]])
  })

  it("keeps the settings of now, but not what was granted since", () => {
    const granted: Settled = { _tag: "ApprovalDecided", call: "a", decision: "allow", scope: "session", rules: ["Bash(ls)"], by: "user" }
    const session = fold(...log, { _tag: "ModeSwitched", mode: "plan" }, granted, back(5))
    expect([session.settings.mode, session.grants]).toEqual(["plan", []])
  })

  it("reaches behind a compaction where the log is there", () => {
    const events = numbered(...log, compacted, ...task("Three", "Third."), back(5), ...task("Four", "Fourth."), back(8 + log.length))
    expect(words(Session.fold(events.slice(0, -1)))).toEqual(["One", "First.", "Four", "Fourth."])
    expect(words(Session.fold(events))).toEqual(["One", "First.", "Four"])
    const compactedState = Session.fold(events.slice(0, log.length + 1))
    expect(Session.isInHistory(compactedState, events[log.length + 6]!)).toBe(false)
  })

  it("folds event by event to what folding the whole gives", () => {
    const events = numbered(...log, back(5), ...task("Three", "Third."), back(9), back(12))
    expect(words(events.reduce(Session.apply, Session.empty))).toEqual(words(Session.fold(events)))
  })
})

describe("a fork", () => {
  it("has the conversation of its origin, a life of its own, and no bill", () => {
    const session = fold(...log, { ...started() as Extract<Settled, { _tag: "SessionStarted" }>, id: "s2", seed: "other", settings, origin: { id: "s1", seq: 8, hash: "h" } })
    expect([session.id, session.seed, session.cost, session.title]).toEqual(["s2", "other", 0, "One"])
    expect(words(session)).toEqual(words(fold(...log)))
  })
})

describe("the files of a moment", () => {
  const saved = (id: string): Settled => ({ ...checkpoint as Extract<Settled, { _tag: "CheckpointSaved" }>, id })
  const edit: ReadonlyArray<Settled> = [proposed("a", "edit"), { _tag: "ToolStarted", call: "a" }, finished("a")]
  //              0          1             2            3..5     6            7     8             9            10..12   13
  const events = numbered(started(), said("One"), saved("before"), ...edit, saved("after"), done, said("Two"), saved("next"), ...edit, saved("last"))

  it.each([
    ["before anything ran, those that were saved first", 1, "before"],
    ["after an edit, those that were saved after it", 5, "after"],
    ["at a checkpoint, its own", 6, "after"],
    ["when a task has ended, those that it left", 7, "after"],
    ["when the user has had them meanwhile, those that were found", 8, "next"]
  ] as const)("are, %s", (_, seq, id) => {
    expect(Rewind.filesAt(events, seq)).toEqual(Rewind.Files.Saved({ id }))
  })

  it("are those of now where nothing has changed them since, and unknown where nobody looked", () => {
    expect(Rewind.filesAt(numbered(started(), said("One")), 1)).toEqual(Rewind.Files.Now())
    expect(Rewind.filesAt(numbered(started(), ...edit, ...edit), 3)).toEqual(Rewind.Files.Unknown())
  })

  it("changed by us lie between two checkpoints with an edit between them", () => {
    expect(Rewind.agentChanges(events, 1)).toEqual([["before", "after"], ["next", "last"]])
    expect(Rewind.agentChanges(events, 8)).toEqual([["next", "last"]])
  })
})
