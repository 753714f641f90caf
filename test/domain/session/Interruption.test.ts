/** What closes a session that was stopped, or whose loop died, at any moment of what it does. */
import { describe, expect, it } from "@effect/vitest"
import * as Budget from "../../../src/domain/session/Budget.ts"
import * as Interruption from "../../../src/domain/session/Interruption.ts"
import type { Session } from "../../../src/domain/session/Session.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Step from "../../../src/domain/session/Step.ts"
import { answered, call, checkpoint, finished, fold, proposed, said, settings, started } from "./log.ts"

const reserved = (usd: number, child?: string): Settled => ({ _tag: "BudgetReserved", usd, tokens: 100, ...(child === undefined ? {} : { child }) })
const settled = (usd: number, child?: string): Settled => ({ _tag: "BudgetSettled", usd, tokens: 10, ...(child === undefined ? {} : { child }) })
const requested: ReadonlyArray<Settled> = [
  { _tag: "ContextPlanned", tokens: 1, left: [] },
  reserved(1),
  { _tag: "ModelRequested", model: "test/model", request: "r", maxTokens: 100 }
]
const written: Settled = {
  _tag: "ContextCompacted", kind: "summary", why: "asked", shortened: [], before: 2, after: 1, left: [],
  spent: { usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }, cost: 0.1 }
}
const report = { name: "", status: "finished", result: "", calls: 0, errors: 0, evidence: [], changed: [], spent: Budget.zero } as const

/** A task with everything that can be open: requests, retries, calls, subagents, a synthesis, a summary. */
const story: ReadonlyArray<Settled> = [
  started({ limits: { ...settings.limits, usd: 100 } }),
  said("Do it"),
  ...requested,
  { _tag: "ModelRetrying", reason: { _tag: "StreamBroken" }, message: "", attempt: 1, delayMs: 1 },
  settled(1),
  reserved(1),
  answered([call("a"), call("b", "run_command"), call("c", "delegate")]),
  settled(0.2),
  proposed("a"),
  proposed("b", "command", "ask"),
  proposed("c"),
  { _tag: "ToolStarted", call: "a" },
  finished("a"),
  { _tag: "ApprovalAsked", call: "b", action: "action of b" },
  { _tag: "ApprovalDecided", call: "b", decision: "allow", scope: "once", by: "user" },
  checkpoint,
  { _tag: "ToolStarted", call: "b" },
  finished("b"),
  { _tag: "ToolStarted", call: "c" },
  { _tag: "ChildStarted", call: "c", session: "k1", place: 0, of: 2, name: "" },
  { _tag: "ChildStarted", call: "c", session: "k2", place: 1, of: 2, name: "" },
  reserved(1, "k1"),
  reserved(1, "k2"),
  settled(0.3, "k2"),
  { _tag: "ChildFinished", call: "c", session: "k2", report },
  settled(0.3, "k1"),
  { _tag: "ChildFinished", call: "c", session: "k1", report },
  { _tag: "SynthesisRequested", call: "c", model: "test/model", request: "r", maxTokens: 100 },
  reserved(1),
  { _tag: "SynthesisEnded", call: "c" },
  settled(0.1),
  finished("c"),
  { _tag: "CompactionAsked" },
  { _tag: "SummaryRequested", model: "test/model", request: "r", maxTokens: 100 },
  reserved(1),
  written,
  settled(0.1),
  ...requested,
  answered([], { stop: "stop" }),
  settled(0.2),
  { _tag: "TaskFinished", result: "" }
]
const moments = story.map((_, i) => story.slice(0, i + 1)).slice(1)

const resumed = (session: Session, goOn: boolean): ReadonlyArray<Settled> =>
  [{ _tag: "Resumed", settings: session.settings, version: "0", goOn }, ...Interruption.afterCrash(session, null)]

/** Reservations without a settlement, and settlements without a reservation. */
const unpaired = (events: ReadonlyArray<Settled>): number => {
  const open = new Map<string, number>()
  const by = (child = "", change: number) => open.set(child, (open.get(child) ?? 0) + change)
  for (const event of events) {
    if (event._tag === "BudgetReserved") by(event.child, 1)
    if (event._tag === "BudgetSettled") by(event.child, -1)
  }
  return [...open.values()].reduce((sum, count) => sum + Math.abs(count), 0)
}

describe("a crash at any moment", () => {
  it("leaves no reservation without its settlement, and nothing that only a working loop has open", () => {
    expect(moments.filter((events) => Interruption.isOpen(fold(...events))).length).toBeGreaterThan(10)
    for (const goOn of [true, false]) {
      for (const events of moments) {
        const closed = [...events, ...resumed(fold(...events), goOn)]
        const session = fold(...closed)
        expect([unpaired(closed), session.budget.reservations.size, Interruption.isOpen(session)]).toEqual([0, 0, false])
      }
    }
  })

  it("counts what was open at all that was reserved, and says so", () => {
    const session = fold(...story.slice(0, story.indexOf(written)))
    expect(Interruption.afterCrash(session, null)).toEqual([{ _tag: "BudgetSettled", usd: 1, tokens: 100, isUpperBound: true }])
  })

  it("is closed before anything else happens, by the loop that comes next", () => {
    for (const events of moments) {
      const session = fold(...events)
      expect(Step.next(session)._tag === "Recover").toBe(Interruption.isOpen(session))
      expect(Step.next(fold(...events, ...resumed(session, true)))._tag).not.toBe("Recover")
    }
  })

  it("ends every call once where the user turns to something else", () => {
    for (const events of moments) {
      const before = [...events, ...resumed(fold(...events), false)]
      const session = fold(...before)
      if (session.task.state === "running") continue
      const after = [...before, said("Something else"), ...Interruption.unfinishedCalls(session)]
      expect(fold(...after).calls.filter(({ state }) => state !== "done")).toEqual([])
      const ends = after.flatMap((event) => event._tag === "ToolFinished" ? [event.call] : [])
      expect(new Set(ends).size).toBe(ends.length)
    }
  })
})

describe("an interrupt at any moment", () => {
  it("settles what the session holds, and ends every call", () => {
    for (const events of moments) {
      const session = fold(...events)
      const closed = fold(...events, { _tag: "Interrupted", why: "" }, ...Interruption.afterInterrupt(session, null))
      expect([Budget.openReservation(closed), closed.calls.filter(({ state }) => state !== "done"), Interruption.isOpen(closed)]).toEqual([undefined, [], false])
    }
  })
})

describe("a reservation", () => {
  it("that another of the same session follows unsettled counts as spent", () => {
    const { budget } = fold(started(), reserved(1, "k"), reserved(2, "k"))
    expect([budget.reservations.get("k")?.usd, budget.spent.usd]).toEqual([2, 1])
  })

  it("is settled once: what is not open has no settlement", () => {
    const session = fold(started(), reserved(1, "k"))
    expect(Budget.settlement(session, "k")).toMatchObject({ usd: 1, child: "k", isUpperBound: true })
    expect(Budget.settlement(session, "k", { usd: 0.5, tokens: 1 })).toEqual({ _tag: "BudgetSettled", usd: 0.5, tokens: 1, child: "k" })
    expect(Budget.settlement(fold(started(), reserved(1, "k"), settled(1, "k")), "k")).toBeUndefined()
  })
})
