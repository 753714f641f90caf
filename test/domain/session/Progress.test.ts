/** The tree of running work: what it shows while sessions bring their events, and what it comes to. */
import { assert, describe, it } from "@effect/vitest"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as Progress from "../../../src/domain/session/Progress.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"

type Act = readonly [session: string, time: number, event: Settled]

const played = (acts: ReadonlyArray<Act>): Progress.Progress =>
  acts.reduce((progress, [session, time, event], seq) =>
    Progress.update(progress, "root", session, { v: 1, seq, time, prev: "", hash: "", event }), Progress.initial())

const responds = (...calls: ReadonlyArray<readonly [id: string, name: string, path?: string]>): Settled => ({
  _tag: "ModelResponded",
  content: calls.map(([id, name, path]) => ({ _tag: "ToolCall", id, name, params: path === undefined ? {} : { path } })),
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  cost: null,
  stop: "tool_calls",
  recording: "",
  malformed: [],
  warnings: []
})
const starts = (call: string): Settled => ({ _tag: "ToolStarted", call })
const ends = (call: string, outcome = Outcome.succeeded("ok")): Settled => ({ _tag: "ToolFinished", call, outcome })
const child = (session: string, place: number): Settled => ({ _tag: "ChildStarted", call: "c1", session, place, of: 2, name: `kid ${place + 1}` })
const report = { name: "", result: "done", calls: 0, errors: 0, evidence: [], changed: [], spent: { usd: 0, tokens: 0 } }
const reports = (session: string, status: "finished" | "timed out"): Settled => ({ _tag: "ChildFinished", call: "c1", session, report: { ...report, status } })

const drawn = (progress: Progress.Progress) => Progress.tree(progress).map(({ depth, work }) => `${" ".repeat(depth)}${work.name}${work.total === undefined ? "" : ` ${work.done}/${work.total}`}`)

const delegated: ReadonlyArray<Act> = [
  ["root", 1000, responds(["c1", "delegate"])],
  ["root", 1000, starts("c1")],
  ["root", 1000, child("a", 0)],
  ["root", 1000, child("b", 1)],
  ["a", 1100, responds(["c1", "read_file", "x.ts"])],
  ["a", 1100, starts("c1")]
]

describe("progress", () => {
  it("is a tree of calls, their children, and the calls of those", () => {
    assert.deepStrictEqual(drawn(played(delegated)), ["delegate 0/2", " kid 1", "  read_file", " kid 2"])
    assert.deepStrictEqual(drawn(played([...delegated, ["a", 1200, ends("c1")], ["root", 2000, reports("a", "finished")]])), ["delegate 1/2", " kid 2"])
  })

  it("ends with a call all that ran under it", () => {
    assert.deepStrictEqual(drawn(played([...delegated, ["root", 1500, ends("c1", Outcome.interrupted("stopped"))]])), [])
  })

  it("estimates by the parts that have ended, or by others of the name", () => {
    const half = played([...delegated, ["root", 3000, reports("a", "finished")]])
    assert.strictEqual(Progress.estimate(half, half.running.get("root/c1")!, 3000), 2000)
    const reads = [1, 2, 3].flatMap((i): ReadonlyArray<Act> => [
      ["root", i * 1000, responds([`r${i}`, "read_file"])],
      ["root", i * 1000, starts(`r${i}`)],
      ["root", i * 1000 + 300, ends(`r${i}`)]
    ])
    const fourth = played([...reads, ["root", 5000, responds(["r4", "read_file"])], ["root", 5000, starts("r4")]])
    assert.strictEqual(Progress.estimate(fourth, fourth.running.get("root/r4")!, 5100), 200)
    assert.strictEqual(Progress.estimate(played(delegated), played(delegated).running.get("a/c1")!, 5100), undefined)
  })

  it("counts what ended by name, with its failures, mean time and how much a second", () => {
    const all = played([...delegated, ["a", 1300, ends("c1", Outcome.failed("no"))], ["root", 2000, reports("a", "finished")], ["root", 3000, reports("b", "timed out")], ["root", 3000, ends("c1")]])
    assert.deepStrictEqual(Progress.summary(all), {
      count: 4,
      failed: 2,
      ms: 2000,
      perSecond: 2,
      by: [
        { name: "child", kind: "child", count: 2, failed: 1, mean: 1500 },
        { name: "read_file", kind: "tool", count: 1, failed: 1, mean: 200 },
        { name: "delegate", kind: "tool", count: 1, failed: 0, mean: 2000 }
      ]
    })
  })

  it("tells commands, retries, compactions and syntheses apart", () => {
    const acts: ReadonlyArray<Act> = [
      ["root", 1, responds(["c1", "run_command"])],
      ["root", 1, { _tag: "ToolProposed", call: "c1", access: [], kind: "command", action: "", decision: "allow", risk: "low", reason: "", offer: [] }],
      ["root", 1, starts("c1")],
      ["root", 2, { _tag: "SummaryRequested", model: "m", request: "", maxTokens: 1 }],
      ["root", 3, { _tag: "ModelRetrying", reason: { _tag: "Overloaded" }, message: "busy", attempt: 1, delayMs: 10 }],
      ["root", 4, { _tag: "SynthesisRequested", call: "c1", model: "m", request: "", maxTokens: 1 }]
    ]
    assert.deepStrictEqual([...played(acts).running.values()].map(({ kind }) => kind), ["command", "compaction", "retry", "synthesis"])
    assert.deepStrictEqual([...played([...acts, ["root", 5, responds()]]).running.values()].map(({ kind }) => kind), ["command", "compaction", "synthesis"])
  })

  it("always shows starts, ends and errors, and progress less often the more is running", () => {
    const progress = played(delegated)
    const work = progress.running.get("a/c1")!
    const moment = (what: Progress.ProgressEvent["phase"], time: number): Progress.ProgressEvent => ({ phase: what, time, work, note: "", ms: 0 })
    assert.strictEqual(Progress.minIntervalMs(progress), 200)
    assert.deepStrictEqual((["started", "ended", "failed"] as const).map((what) => Progress.isDue(progress, moment(what, 1001), 1000)), [true, true, true])
    assert.deepStrictEqual([1199, 1200].map((time) => Progress.isDue(progress, moment("updated", time), 1000)), [false, true])
    assert.strictEqual(Progress.minIntervalMs({ ...progress, running: new Map(Array.from({ length: 40 }, (_, i) => [`${i}`, work])) }), 500)
  })

  it("keeps the last thousand moments, and what a command said last", () => {
    const many = Array.from({ length: 3000 }, (_, i): ReadonlyArray<Act> => [["root", i, starts(`c${i}`)], ["root", i, ends(`c${i}`)]]).flat()
    const progress = played(many)
    assert.strictEqual(Progress.recent(progress).length, Progress.maxEvents)
    assert.strictEqual(Progress.recent(progress).at(-1)?.work.id, "root/c2999")
    const told = Progress.updateLive(played(delegated), "a", { _tag: "Output", call: "c1", text: "one\ntwo\n" }, 1400)
    assert.deepStrictEqual(told.newEvents.map(({ ms, note, phase }) => ({ ms, note, what: phase })), [{ ms: 300, note: "two", what: "updated" }])
  })
})
