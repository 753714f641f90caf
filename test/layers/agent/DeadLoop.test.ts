/** A loop that died of its disk, or with its process: what it left open is closed before the conversation continues, and nothing happens twice. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Progress from "../../../src/domain/session/Progress.ts"
import type { SessionEvent } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as Replay from "../../../src/layers/replay/Replay.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { RunCommand } from "../../../src/layers/tool/command/RunCommand.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { EventLog } from "../../../src/services/EventLog.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as World from "./world.ts"

const price = { input: 3, output: 15 }
const model = { price, maxOutput: 4_000 }
const limits = { mistakes: 3, repeats: 3, usd: 5 }
const alone = { mode: "bypassPermissions", onAsk: "deny", limits } as const

/** A command whose effects are counted. */
const charging = (charges: Array<string>) => ({
  ...RunCommand,
  run: ({ command }: { readonly command: string }) => Effect.sync(() => (charges.push(command), Outcome.succeeded("charged")))
})
const charge = { calls: [{ name: "run_command", params: { command: "charge-the-card" } }] }

/** Once, the first append that `is` takes is refused. */
const once = (is: (session: string, tags: ReadonlyArray<string>) => boolean) => {
  let refused = 0
  return World.refusing((session, tags) => refused === 0 && is(session, tags) && ++refused > 0)
}

/** What is shown as running after a log. */
const running = (log: ReadonlyArray<SessionEvent>) => {
  const progress = log.reduce((progress, at) => Progress.update(progress, "", "", at), Progress.initial())
  return [...progress.running.values()].map(({ kind, name }) => `${kind} ${name}`)
}

describe("a loop that dies of a full disk", () => {
  const told = (refused: string) => {
    const charges: Array<string> = []
    const world = Test.layer({
      tools: [charging(charges)],
      turns: [charge, { text: "I looked." }],
      model,
      storage: once((_, tags) => tags.includes(refused))
    })
    return Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin(alone)
      yield* agent.say(id, "Charge the card")
      const ended = yield* Effect.exit(agent.settled(id))
      yield* agent.say(id, "Is it done?")
      const session = yield* agent.settled(id)
      const log = yield* World.events(id)
      yield* World.replays(id)
      return { ended: ended._tag, charges, session, log, outcomes: World.of(log, "ToolFinished").map(({ outcome }) => outcome.status) }
    }).pipe(Effect.provide(world))
  }

  it.effect("does not run its command again: the outcome is unknown", () =>
    Effect.gen(function*() {
      const { charges, ended, log, outcomes, session } = yield* told("ToolFinished")
      expect(ended).toBe("Failure")
      expect(charges).toEqual(["charge-the-card"])
      expect(outcomes).toEqual(["unknown"])
      expect(session.task).toMatchObject({ state: "finished", result: "I looked." })
      expect(World.tags(log).filter((tag) => tag === "ToolStarted" || tag === "Resumed" || tag === "ToolFinished")).toEqual(["ToolStarted", "Resumed", "ToolFinished"])
      expect(running(log)).toEqual([])
    }).pipe(Effect.scoped))

  it.effect("but runs it where it had not begun", () =>
    Effect.gen(function*() {
      const { charges, ended, outcomes } = yield* told("ToolStarted")
      expect(ended).toBe("Failure")
      expect(charges).toEqual(["charge-the-card"])
      expect(outcomes).toEqual(["succeeded"])
    }).pipe(Effect.scoped))

  it.effect("does not leave its request or its reservation open", () =>
    Effect.gen(function*() {
      const { charges, ended, log, session } = yield* told("ModelResponded")
      expect(ended).toBe("Failure")
      expect(World.of(log, "ModelFailed")).toMatchObject([{ reason: { _tag: "Crashed" } }])
      expect(World.of(log, "BudgetSettled").length).toBe(World.of(log, "BudgetReserved").length)
      expect(World.of(log, "BudgetSettled")[0]).toMatchObject({ usd: World.of(log, "BudgetReserved")[0]!.usd, isUpperBound: true })
      expect(session.budget.reservations.size).toBe(0)
      expect(charges).toEqual(["charge-the-card"])
    }).pipe(Effect.scoped))

  it.effect("runs a read again, and the task continues", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin(alone)
      yield* agent.say(id, "Read it")
      yield* Effect.exit(agent.settled(id))
      yield* agent.say(id, "And?")
      const session = yield* agent.settled(id)
      expect(session.task.state).toBe("finished")
      expect(World.of(yield* World.events(id), "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["succeeded"])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files({ "a.txt": "one\n" }),
      model,
      turns: [{ calls: [{ name: "read_file", params: { path: "a.txt" } }] }, { text: "Done." }],
      storage: once((_, tags) => tags.includes("ToolFinished"))
    }))))
})

describe("a summary that is interrupted", () => {
  const text = Array.from({ length: 400 }, (_, i) => `const value${i} = compute(${i}, "a word or two")`).join("\n")
  const names = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"]
  it.effect("is settled, and shown as running no more", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* World.run("Read all files", { limits })
      yield* agent.compact(id)
      yield* World.until(id, "SummaryRequested")
      const before = yield* World.events(id)
      expect(running(before)).toEqual(["compaction compaction"])
      expect((yield* agent.state(id)).budget.reservations.size).toBe(1)
      yield* agent.interrupt(id, "Stop.")
      const log = yield* World.events(id)
      expect(running(log)).toEqual([])
      expect((yield* agent.state(id)).budget.reservations.size).toBe(0)
      expect(World.of(log, "BudgetSettled").length).toBe(World.of(log, "BudgetReserved").length)
      expect(World.of(log, "BudgetSettled").at(-1)).toMatchObject({ isUpperBound: true })
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: MemoryWorkspace.files(Object.fromEntries(names.map((name) => [name, text]))),
      model: { price },
      summary: { text: "slow", delayMs: 1e9 },
      turns: [...names.map((path) => ({ calls: [{ name: "read_file", params: { path } }] })), { text: "Done." }]
    }))))
})

describe("a subagent that dies", () => {
  /** Together they hold more than there is: one waits until the other has settled. */
  const story = (isRefused: (session: string, tags: ReadonlyArray<string>) => boolean) =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id, session } = yield* World.run("Look around", { onAsk: "deny", limits: { ...limits, usd: 0.16 } })
      const log = yield* World.events(id)
      expect(session.budget.reservations.size).toBe(0)
      expect(World.of(log, "BudgetSettled").length).toBe(World.of(log, "BudgetReserved").length)
      expect((yield* agent.state(id)).task.state).toBe("finished")
      yield* World.replays(id)
      return World.of(log, "ChildFinished").map(({ report }) => report.status)
    }).pipe(Effect.provide(Test.layer({
      model,
      storage: World.refusing(isRefused),
      turns: [
        { calls: [{ name: "delegate", params: { tasks: [{ prompt: "one?" }, { prompt: "two?" }] } }], usage: { input: 1000, output: 10 } },
        { text: "done", usage: { input: 1000, output: 10 } }
      ],
      children: [{ prompt: "?", turns: [{ text: "There is one door.", usage: { input: 1000, output: 10 } }] }],
      synthesis: { text: "One door.", usage: { input: 1000, output: 10 } }
    })))

  it.effect("holds nothing of the budget of those beside it", () =>
    Effect.gen(function*() {
      let dead: string | undefined
      const statuses = yield* story((session, tags) => {
        if (tags.includes("ModelResponded") && !tags.includes("ToolFinished") && session.startsWith("0000") && session !== "00000000-0000-7000-8000-000000000001") dead ??= session
        return session === dead
      })
      expect(statuses).toEqual(["failed", "finished"])
    }))

  it.effect("and both finish where none dies", () =>
    Effect.map(story(() => false), (statuses) => expect(statuses).toEqual(["finished", "finished"])))
})

describe("a call that was open when its process died", () => {
  it.effect("ends where the user turns to something else, before anything follows", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* World.begin(alone)
      yield* agent.say(id, "Charge the card")
      yield* Effect.exit(agent.settled(id))
      yield* agent.resume(id, { overrides: {}, shouldContinue: false })
      yield* agent.say(id, "Something else")
      expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "Of course." })
      const log = yield* World.events(id)
      expect(World.tags(log).slice(World.tags(log).indexOf("Resumed")).slice(0, 4)).toEqual(["Resumed", "UserSaid", "ToolFinished", "ContextPlanned"])
      expect(World.of(log, "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["unknown"])
      yield* World.replays(id)
    }).pipe(Effect.provide(Test.layer({
      tools: [charging([])],
      turns: [charge, { text: "Of course.", expect: { lastResult: Outcome.lostMessage } }],
      model,
      storage: once((_, tags) => tags.includes("ToolFinished"))
    }))))
})

describe("a fork", () => {
  it.effect("at every event of a session whose request crashed gives the same log again", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const eventLog = yield* EventLog
      const { getBlob } = yield* Storage
      const id = yield* World.begin(alone)
      yield* agent.say(id, "Charge the card")
      yield* Effect.exit(agent.settled(id))
      yield* agent.resume(id, { overrides: {}, shouldContinue: true })
      yield* agent.settled(id)
      const log = yield* World.events(id)
      expect(World.tags(log)).toContain("Resumed")
      expect(World.of(log, "ModelFailed")).toMatchObject([{ reason: { _tag: "Crashed" } }])
      for (const { seq } of log) {
        const fork = yield* eventLog.read(yield* agent.fork(id, { at: seq, overrides: {} }))
        expect(yield* Replay.verify(fork, { getBlob })).toEqual({ events: fork.length })
        expect(running(fork)).toEqual([])
      }
    }).pipe(Effect.provide(Test.layer({
      tools: [charging([])],
      turns: [charge, { text: "Done." }],
      model,
      storage: once((_, tags) => tags.includes("ModelResponded"))
    }))))
})
