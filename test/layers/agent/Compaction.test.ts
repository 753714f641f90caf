import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Summarize from "../../../src/domain/context/compaction/Summarize.ts"
import * as MessageText from "../../../src/domain/message/Message.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as Model from "../../../src/domain/provider/Model.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { events, of, replays, run, tags } from "./world.ts"

const text = (lines: number) => Array.from({ length: lines }, (_, i) => `const value${i} = compute(${i}, "a word or two")`).join("\n")
const files = () => MemoryWorkspace.files({ "a.txt": text(400), "b.txt": text(400), "c.txt": text(400), "d.txt": text(400), "e.txt": text(400) })
const read = (path: string) => ({ calls: [{ name: "read_file", params: { path } }] })
const look = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"].map(read)
const summary = { text: "## Goal\nTo know the files.\n## Next step\nSay so." }
/** Usable are 25,600 tokens. */
const model = { window: 32_000, maxOutput: 4_000 }

const shown = ({ content }: Message) => MessageText.text(content)

describe("a conversation that grows too large", () => {
  it.effect("is made smaller before it is sent, and runs again to the same log", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Never touch the file lock.json. Read all files.")
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const log = yield* events(id)
      const passes = of(log, "ContextCompacted")
      expect(passes.length).toBeGreaterThan(0)
      expect(passes.every(({ after, before }) => after < before)).toBe(true)
      expect(of(log, "ContextPlanned").every(({ tokens }) => tokens <= 25_600)).toBe(true)
      expect(shown(session.messages[0]!)).toContain("Never touch the file lock.json. Read all files.")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), model, summary, turns: [...look, ...look, { text: "Done." }] }))))

  it.effect("is shortened and sent once more when the provider calls it too long", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read all files")
      expect(session.task).toMatchObject({ state: "finished", result: "Done." })
      const log = yield* events(id)
      expect(tags(log).slice(tags(log).indexOf("ModelFailed"))).toEqual([
        "ModelFailed", "ContextCompacted", "ContextPlanned", "ModelRequested", "ModelResponded", "TaskFinished"
      ])
      expect(of(log, "ContextCompacted")).toMatchObject([{ kind: "shorten", why: "refused" }])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: files(),
      summary,
      turns: [...look, { text: "Done.", error: { reason: { _tag: "ContextOverflow" }, times: 1 } }]
    }))))

  it.effect("ends the task when it is refused again", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read all files")
      expect(session.task).toMatchObject({ state: "failed", failure: "context" })
      expect(of(yield* events(id), "ModelFailed")).toHaveLength(2)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), summary, turns: [...look, { error: { reason: { _tag: "ContextOverflow" } } }] }))))

  it.effect("drops whole turns, with a note, if no summary is available", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run("Read all files")
      expect(session.task).toMatchObject({ state: "finished" })
      const log = yield* events(id)
      expect(of(log, "ContextCompacted").find(({ failed }) => failed !== undefined)).toMatchObject({ failed: "no summaries here" })
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({
      files: files(),
      model: { ...model, window: 40_000 },
      summary: { error: { reason: { _tag: "BadRequest" }, message: "no summaries here" } },
      turns: [...look, ...look, ...look, { text: "Done." }]
    }))))
})

describe("compaction on demand", () => {
  it.effect("summarises all but the last turns, also when nothing runs, and says how small it became", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Read all files")
      yield* agent.compact(id)
      const session = yield* agent.settled(id)
      const log = yield* events(id)
      expect(tags(log).slice(-3)).toEqual(["CompactionAsked", "SummaryRequested", "ContextCompacted"])
      expect(session.messages).toHaveLength(6)
      expect(shown(session.messages[0]!)).toMatch(/^Read all files\n# Summary so far\n/)
      expect(shown(session.messages[0]!)).toContain("To know the files.")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), summary, turns: [...look, { text: "Done." }] }))))

  it.effect("is told what of it matters to the user, once", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Read all files")
      yield* agent.compact(id, "Keep the names of the files")
      const { windowUsage, messages } = yield* agent.settled(id)
      expect(windowUsage).toMatchObject({ isRequested: false, instructions: "" })
      expect(of(yield* events(id), "CompactionAsked")).toEqual([{ _tag: "CompactionAsked", words: "Keep the names of the files" }])
      const request = Summarize.request(messages, { from: 0, to: 2 }, Model.unknown, "s", "Keep the names of the files")
      expect(shown(request.messages[0]!)).toMatch(/<\/turns>\n\n<focus>\nKeep the names of the files\n<\/focus>$/)
      expect(shown(Summarize.request(messages, { from: 0, to: 2 }, Model.unknown, "s").messages[0]!)).toMatch(/<\/turns>$/)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), summary, turns: [...look, { text: "Done." }] }))))

  it.effect("does nothing if nothing can be left out, and says so", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Hello")
      yield* agent.compact(id)
      yield* agent.settled(id)
      const log = yield* events(id)
      expect(of(log, "ContextCompacted")).toMatchObject([{ why: "asked", shortened: [], left: [] }])
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ turns: [{ text: "Hello." }] }))))
})
