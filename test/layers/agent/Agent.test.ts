import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { begin, events, of, refusing, replays, run, tags, until } from "./world.ts"

const files = () => MemoryWorkspace.files({ "a.txt": "one\ntwo\n" })
const read = { name: "read_file", params: { path: "a.txt" } }
const edit = { name: "edit_file", params: { path: "a.txt", old_text: "two", new_text: "three" } }
const command = (command: string) => ({ name: "run_command", params: { command } })
const done = { text: "Done." }

/** A world in which commands never end by themselves. */
const hanging = (world: Omit<Test.World, "commands">) =>
  Test.layer({ ...world, commands: () => Effect.never })

describe("a task", () => {
  it.effect("reads, edits and ends, and runs again to the same log", () => {
    const disk = files()
    return Effect.gen(function*() {
      const { id, session } = yield* run("Mend a.txt")
      expect(session.task).toMatchObject({ state: "finished", result: "Done.", turns: 3 })
      expect(new TextDecoder().decode(disk.get("a.txt"))).toBe("one\nthree\n")
      expect(tags(yield* events(id))).toEqual([
        "SessionStarted",
        "UserSaid",
        "ContextPlanned",
        "ModelRequested",
        "ModelResponded",
        "ToolProposed",
        "ToolStarted",
        "ToolFinished",
        "FileTouched",
        "ContextPlanned",
        "ModelRequested",
        "ModelResponded",
        "ToolProposed",
        "CheckpointSaved",
        "ToolStarted",
        "ToolFinished",
        "FileTouched",
        "ContextPlanned",
        "ModelRequested",
        "ModelResponded",
        "CheckpointSaved",
        "TaskFinished"
      ])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: disk, turns: [{ calls: [read] }, { calls: [edit] }, done] })))
  })

  it.effect("tells a model whose call was none what to write, and keeps what the parser dropped in the log", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read a.txt", { toolFormat: "xml" })
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const all = yield* events(id)
      expect(of(all, "Reminded")[0]?.text).toContain("a call starts with exactly <read_file>")
      expect(of(all, "ModelResponded").map(({ warnings }) => warnings)).toEqual([["Cut-off tag dropped: <thin"], []])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: files(),
      turns: [{ text: "<<read_file>><path>a.txt</path></read_file> <thin" }, done]
    }))))

  it.effect("does the same with calls written as XML", () => {
    const disk = files()
    return Effect.gen(function*() {
      const { id, session } = yield* run("Mend a.txt", { toolFormat: "xml" })
      expect(session.task.state).toBe("finished")
      expect(new TextDecoder().decode(disk.get("a.txt"))).toBe("one\nthree\n")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: disk, turns: [{ calls: [read] }, { calls: [edit] }, done] })))
  })

  it.effect("asks, and does what was answered; a grant for the session is not asked again", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Run it", { mode: "default" })
      expect(session.task.state).toBe("finished")
      expect(of(yield* events(id), "ApprovalAsked")).toHaveLength(2)
      expect(of(yield* events(id), "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["denied", "succeeded"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      commands: { "make test": { output: "ok\n" } },
      turns: [{ calls: [command("make clean")] }, { calls: [command("make test")] }, done],
      answers: [{ decision: "deny", words: "Never clean" }, { decision: "allow" }]
    }))))

  it.effect("tells the model what the user said with a refusal, once", () =>
    Effect.gen(function*() {
      const { id } = yield* run("Go", { mode: "default" })
      const texts = of(yield* events(id), "ToolFinished").map(({ outcome }) => JSON.stringify(outcome.content))
      expect(texts.filter((text) => text.includes("Never clean"))).toHaveLength(1)
    }).pipe(Effect.provide(Test.layer({
      files: files(),
      turns: [{ calls: [command("make clean"), command("make test"), edit, read] }, done],
      answers: [{ decision: "deny", words: "Never clean" }]
    }))))

  it.effect("joins what steers to the next request, and does what is queued afterwards", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ rules: { allow: ["Bash(make)"], ask: [], deny: [] } })
      yield* agent.follow(id, 0).pipe(
        Stream.filter((one) => one._tag === "Settled" && one.at.event._tag === "ToolStarted"),
        Stream.take(1),
        Stream.runForEach(() => Effect.andThen(agent.say(id, "And quietly", "steer"), agent.say(id, "Then rest", "queue"))),
        Effect.forkChild({ startImmediately: true })
      )
      yield* agent.say(id, "Make it")
      const session = yield* agent.settled(id)
      expect(session.task).toMatchObject({ state: "finished", result: "Rested." })
      expect(session.messages.filter(({ role }) => role === "user").map(({ content }) => content.flatMap((part) => part._tag === "Text" ? [part.text.split("\n")[0]] : [])))
        .toEqual([["Make it"], ["And quietly"], ["Then rest"]])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      commands: () => Effect.as(Effect.yieldNow, { output: "made\n" }),
      turns: [{ calls: [command("make")] }, { text: "Made." }, { text: "Rested." }]
    }))))

  it.effect("ends at the turn limit, and says so", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read", { limits: { turns: 1, mistakes: 3, repeats: 3 } })
      expect(session.task).toMatchObject({ state: "failed", failure: "turns" })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [{ calls: [read] }] }))))

  it.effect("ends after three mistakes in a row", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read")
      expect(session.task).toMatchObject({ state: "failed", failure: "mistakes" })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [1, 2, 3].map((n) => ({ calls: [{ name: "no_such_tool", params: { n } }] }))
    }))))

  it.effect("tells the model what is wrong with params, and continues", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read")
      expect(session.task.state).toBe("finished")
      const [first] = of(yield* events(id), "ToolFinished")
      expect(first?.outcome).toMatchObject({ status: "failed", mistake: true })
      expect(JSON.stringify(first?.outcome.content)).toContain("path")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [{ calls: [{ name: "read_file", params: {} }] }, { calls: [read] }, done] }))))
})

describe("a session", () => {
  it.effect("begins once: a second beginning with its id is an error, and leaves it as it was", () =>
    Effect.gen(function*() {
      const id = yield* begin({ id: "one" })
      expect(yield* Effect.flip(begin({ id }))).toMatchObject({ reason: { _tag: "Exists" } })
      expect(tags(yield* events(id))).toEqual(["SessionStarted"])
    }).pipe(Effect.provide(Test.layer({}))))
})

describe("retries", () => {
  it.effect("discard the failed attempt, wait as long as the server asks, and are logged", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(run("Go"))
      yield* TestClock.adjust("2 minutes")
      const { id, session } = yield* Fiber.join(fiber)
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const retries = of(yield* events(id), "ModelRetrying")
      expect(retries.map(({ reason }) => reason._tag)).toEqual(["RateLimited", "RateLimited"])
      expect(retries.every(({ delayMs }) => delayMs >= 7_000)).toBe(true)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      turns: [{ text: "Done.", error: { reason: { _tag: "RateLimited", retryAfterMs: 7_000 }, times: 2 } }]
    }))))

  it.effect("end with the provider's message and the next step for permanent errors", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Go")
      expect(session.task).toMatchObject({ state: "failed", failure: "provider", result: expect.stringMatching(/^Your key is wrong\. Run `dacapo auth status` /) })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ error: { reason: { _tag: "Auth" }, message: "Your key is wrong.", status: 401 } }] }))))
})

describe("turning from planning to acting", () => {
  it.effect("saves the files, at once where nothing runs, and not where both modes act", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ mode: "plan" })
      yield* agent.switchMode(id, "acceptEdits")
      yield* agent.settled(id)
      yield* agent.switchMode(id, "default")
      yield* agent.settled(id)
      expect(tags(yield* events(id))).toEqual(["SessionStarted", "ModeSwitched", "CheckpointSaved", "ModeSwitched"])
      expect(of(yield* events(id), "CheckpointSaved").map(({ why }) => why)).toEqual(["before acting"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [] }))))

  it.effect("has the plan's steps for its list", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ mode: "plan" })
      yield* agent.say(id, "Plan it")
      expect((yield* agent.settled(id)).todo).toEqual([{ text: "Look", state: "pending" }, { text: "Mend", state: "pending" }])
      yield* agent.switchMode(id, "acceptEdits")
      yield* agent.say(id, "Go on")
      const { task, todo } = yield* agent.settled(id)
      expect([task.state, todo.length]).toEqual(["finished", 2])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ calls: [{ name: "present_plan", params: { plan: "1. Look\n2. Mend" } }] }, done] }))))
})

describe("an interrupt", () => {
  it.effect("fails with the reason when the disk is full, and leaves nothing running; with space again it closes what is open", () => {
    let isFull = true
    const storage = refusing((_, tags) => isFull && tags.includes("Interrupted"))
    return Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ mode: "bypassPermissions" })
      yield* agent.say(id, "Run it")
      yield* until(id, "ToolStarted")
      const error = yield* Effect.flip(agent.interrupt(id, "Ctrl-C"))
      expect(error).toMatchObject({ _tag: "LogError", message: "The disk is full.", reason: { _tag: "Disk", code: "ENOSPC" } })
      expect((yield* agent.settled(id)).calls[0]).toMatchObject({ state: "running" })
      isFull = false
      yield* agent.interrupt(id, "Ctrl-C")
      expect((yield* agent.settled(id)).task.state).toBe("interrupted")
      expect(of(yield* events(id), "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["interrupted"])
    }).pipe(Effect.provide(hanging({ storage, turns: [{ calls: [command("sleep 60")] }] })))
  })

  it.effect("during a command ends every open call, and the session continues", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ rules: { allow: ["Bash(*)"], ask: [], deny: [] } })
      yield* agent.say(id, "Go")
      yield* until(id, "ToolStarted")
      yield* agent.interrupt(id, "Ctrl-C")
      const stopped = yield* agent.settled(id)
      expect(stopped.task.state).toBe("interrupted")
      expect(of(yield* events(id), "ToolFinished").map(({ call, outcome }) => [call, outcome.status])).toEqual([
        ["call_1_1", "interrupted"],
        ["call_1_2", "interrupted"]
      ])
      yield* agent.say(id, "Then only say it")
      expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "Done." })
      yield* replays(id)
    }).pipe(Effect.provide(hanging({ turns: [{ calls: [command("sleep 100"), command("sleep 200")] }, done] }))))

  it.effect("during a response keeps its text as a draft, and the task continues when resumed", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin()
      const seen = yield* agent.follow(id, 0).pipe(
        Stream.filter((one) => one._tag === "Parsed"),
        Stream.take(1),
        Stream.runDrain,
        Effect.forkChild({ startImmediately: true })
      )
      yield* agent.say(id, "Go")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(seen)
      yield* agent.interrupt(id, "Ctrl-C")
      const [failed] = of(yield* events(id), "ModelFailed")
      expect(failed?.reason._tag).toBe("Interrupted")
      expect(failed?.draft).not.toBeNull()
      yield* agent.resume(id, { overrides: {}, shouldContinue: true })
      yield* TestClock.adjust("1 minute")
      expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "A long answer." })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "A long answer.", chunkSize: 3, delayMs: 1_000 }] }))))

  it.effect("does not come when nothing runs", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Go")
      yield* agent.interrupt(id, "Ctrl-C")
      expect(tags(yield* events(id))).not.toContain("Interrupted")
    }).pipe(Effect.provide(Test.layer({ turns: [done] }))))
})

describe("a session", () => {
  it.effect("costs nothing when it is resumed without a message", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Go", { limits: { turns: 1, mistakes: 3, repeats: 3 } })
      yield* agent.resume(id, { overrides: {}, shouldContinue: false })
      const session = yield* agent.settled(id)
      expect([session.task.state, session.task.turns]).toEqual(["failed", 1])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [{ calls: [read] }] }))))

  it.effect("that does not exist is reported", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const error = yield* Effect.flip(agent.resume("no-such-session", { overrides: {}, shouldContinue: false }))
      expect(error).toMatchObject({ _tag: "LogError", reason: { _tag: "NotFound" } })
    }).pipe(Effect.provide(Test.layer({ turns: [] }))))

  it.effect("with an invalid rule does not start", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(begin({ rules: { allow: ["Bash()"], ask: [], deny: [] } }))
      expect(error).toMatchObject({ _tag: "SettingsError" })
    }).pipe(Effect.provide(Test.layer({ turns: [] }))))
})

describe("the same call again and again", () => {
  const again = [1, 2, 3, 4].map(() => ({ calls: [read] }))

  it.effect("is asked about if a user is there", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read")
      expect(session.task.state).toBe("finished")
      expect(of(yield* events(id), "ApprovalAsked")).toHaveLength(1)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [...again, done], answers: [{ decision: "allow" }] }))))

  it.effect("is a question about the task where someone is asked at its limits", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read", { limits: { mistakes: 3, repeats: 3, ask: true, askRepeats: true } })
      expect(session.task).toMatchObject({ state: "failed", failure: "repeats" })
      expect(of(yield* events(id), "ApprovalAsked")).toHaveLength(0)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: again, words: ["Stop"] }))))

  it.effect("ends the task in a headless run", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read", { onAsk: "deny" })
      expect(session.task).toMatchObject({ state: "failed", failure: "repeats" })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: again, answers: [{ decision: "deny" }] }))))
})

describe("plan mode", () => {
  it.effect("reads, refuses to change anything, and ends with a plan", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Plan it", { mode: "plan" })
      expect(session.task).toMatchObject({ state: "finished", result: expect.stringContaining("1. Mend it") })
      expect(of(yield* events(id), "ToolFinished").map(({ outcome }) => outcome.status)).toEqual(["succeeded", "failed", "succeeded"])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: files(),
      turns: [{ calls: [read] }, { calls: [edit] }, { calls: [{ name: "present_plan", params: { plan: "1. Mend it" } }] }]
    }))))
})
