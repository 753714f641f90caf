/** The agent as a program without Effect uses it, with a scripted model. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAgent, type AgentOptions } from "../../src/layers/createAgent.ts"
import type { Followed } from "../../src/domain/session/SessionEvent.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "dacapo-promises-"))
  vi.stubEnv("DACAPO_HOME", join(folder, "home"))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** An agent whose model says these turns. */
const scripted = (turns: ReadonlyArray<unknown>, more: Partial<AgentOptions> = {}) => {
  const script = join(folder, "script.json")
  writeFileSync(script, JSON.stringify({ turns }))
  return createAgent({ cwd: folder, model: `scripted/${script}`, ...more })
}

const writes = { text: "I write it.", calls: [{ name: "write_file", params: { path: "a.txt", content: "hello\n" } }] }
const sleeps = { text: "I wait.", calls: [{ name: "run_command", params: { command: "sleep 60" } }] }
const all = async (events: AsyncIterable<Followed>) => {
  const seen: Array<Followed> = []
  for await (const event of events) seen.push(event)
  return seen
}
const names = (events: ReadonlyArray<Followed>) => events.flatMap((event) => event._tag === "Settled" ? [event.at.event._tag] : [])

describe("createAgent", () => {
  it("runs a task to its end, and the next in the same session", async () => {
    await using agent = scripted([writes, { text: "Written." }, { text: "You are welcome." }], { approve: () => "allow" })
    const session = await agent.session()
    const first = await session.run("Write it")
    assert.deepStrictEqual([first.state, first.result, first.turns], ["finished", "Written.", 2])
    assert.strictEqual(readFileSync(join(folder, "a.txt"), "utf8"), "hello\n")
    assert.strictEqual((await session.run("Thanks")).result, "You are welcome.")
  })

  it("denies what nobody allows, and tells the model", async () => {
    await using agent = scripted([writes, { text: "I may not." }])
    const session = await agent.session()
    assert.strictEqual((await session.run("Write it")).result, "I may not.")
    assert.throws(() => readFileSync(join(folder, "a.txt")))
  })

  it("yields a task's events as they come, and ends with the task", async () => {
    await using agent = scripted([{ text: "Hello." }])
    const session = await agent.session()
    const events = await all(session.stream("Say hello"))
    assert.strictEqual(names(events)[0], "UserSaid")
    assert.strictEqual(names(events).at(-1), "TaskFinished")
    assert.isTrue(events.some((event) => event._tag === "Parsed"))
  })

  it("interrupts a task on abort, and when its event loop is left", async () => {
    await using agent = scripted([sleeps, sleeps], { approve: () => "allow" })
    const session = await agent.session()
    const stop = new AbortController()
    const running = session.stream("Wait", { signal: stop.signal })
    for await (const event of running) if (names([event])[0] === "ToolStarted") stop.abort()
    assert.strictEqual((await session.state()).task.state, "interrupted")
    for await (const event of session.stream("Wait again")) if (names([event])[0] === "ToolStarted") break
    assert.strictEqual((await session.state()).task.state, "interrupted")
  })

  it("resumes an earlier session", async () => {
    const turns = [{ text: "One." }, { text: "Two." }]
    let id = ""
    {
      await using agent = scripted(turns)
      const session = await agent.session()
      id = session.id
      await session.run("Count")
    }
    await using agent = scripted(turns)
    const session = await agent.session(id)
    assert.strictEqual((await session.run("Go on")).result, "Two.")
  })

  it("rewinds with its files, and forks from an earlier event", async () => {
    await using agent = scripted([writes, { text: "Written." }, { text: "Elsewhere." }], { approve: () => "allow" })
    const session = await agent.session()
    const moment = (await session.state()).seq
    await session.run("Write it")
    const fork = await session.fork()
    await session.rewind({ to: moment })
    assert.throws(() => readFileSync(join(folder, "a.txt")))
    assert.notStrictEqual(fork.id, session.id)
    assert.strictEqual((await fork.run("Go on")).result, "Elsewhere.")
  })

  it("answers the model's questions, or reports that nobody is there", async () => {
    const asks = { text: "", calls: [{ name: "ask_user", params: { question: "Which?", options: ["a", "b"] } }] }
    await using agent = scripted([asks, { text: "Done." }], { answer: (question, options) => `${question} ${options.join()}` })
    const session = await agent.session()
    const events = await all(session.stream("Choose"))
    assert.include(JSON.stringify(events), "Which? a,b")
  })

  it("rejects with a typed error", async () => {
    await using agent = createAgent({ cwd: folder, model: "nowhere/nothing" })
    const error = await agent.session().then(() => undefined, (error: unknown) => error)
    assert.strictEqual((error as { readonly _tag: string })._tag, "ProviderError")
  })
})
