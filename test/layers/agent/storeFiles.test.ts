import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CarriedFiles from "../../../src/domain/session/CarriedFiles.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { events, of, replays, run, tags } from "./world.ts"

const edit = (from: string, to: string) => ({ name: "edit_file", params: { path: "a.txt", old_text: from, new_text: to } })
const read = { name: "read_file", params: { path: "a.txt" } }
const turns = [{ calls: [read] }, { calls: [edit("two", "three"), edit("three", "four")] }, { text: "Done." }]
const files = () => MemoryWorkspace.files({ "a.txt": "one\ntwo\n" })

/** The store in memory, and the kinds of the events of each append. */
const recorded = (batches: Array<ReadonlyArray<string>>) =>
  Layer.effect(Storage, Effect.map(Effect.map(Layer.build(MemoryStorage.layer), Context.get(Storage)), (store) => Storage.of({
    ...store,
    append: (session, lines, options) => {
      batches.push(lines.map(({ body }) => (JSON.parse(body) as { readonly event: Settled }).event._tag))
      return store.append(session, lines, options)
    }
  })))

/** The text of a.txt in the files that the log carries. */
const carriedText = Effect.fnUntraced(function*(id: string) {
  const carried = CarriedFiles.of(yield* events(id))!
  const bytes = yield* (yield* Storage).getBlob(carried.packs.at(-1)!.blob)
  const entries = JSON.parse(new TextDecoder().decode(bytes)) as ReadonlyArray<readonly [string, string]>
  return Buffer.from(entries.find(([path]) => path.endsWith("a.txt"))![1], "base64").toString()
})

describe("a session whose log carries its files", () => {
  it.effect("stores them before its first request, and with the end of every edit, in one append", () => {
    const batches: Array<ReadonlyArray<string>> = []
    return Effect.gen(function*() {
      const { id } = yield* run("Mend a.txt", { storeFiles: true })
      const log = yield* events(id)
      expect(tags(log).slice(0, 5)).toEqual(["SessionStarted", "UserSaid", "CheckpointSaved", "ContextPlanned", "ModelRequested"])
      const saved = of(log, "CheckpointSaved")
      expect(saved.map(({ pack }) => pack !== undefined)).toEqual(saved.map(() => true))
      expect(batches.filter((batch) => batch.includes("ToolFinished"))).toEqual([
        ["ToolFinished", "FileTouched"],
        ["ToolFinished", "FileTouched", "CheckpointSaved"],
        ["ToolFinished", "FileTouched", "CheckpointSaved"]
      ])
      expect(yield* carriedText(id)).toBe("one\nfour\n")
      expect(CarriedFiles.of(log)!.isCurrent).toBe(true)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns, storage: recorded(batches) })))
  })

  it.effect("carries the files of an earlier moment after a rewind, and replays", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Mend a.txt", { storeFiles: true })
      const first = (yield* events(id)).find(({ event }) => event._tag === "CheckpointSaved")!
      yield* agent.rewind(id, { to: first.seq, files: true, conversation: false, remove: [] })
      expect(tags(yield* events(id)).slice(-2)).toEqual(["Rewound", "CheckpointSaved"])
      expect(yield* carriedText(id)).toBe("one\ntwo\n")
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns }))))

  it.effect("can begin when it is resumed, and a fork continues with what its origin carries", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Mend a.txt")
      expect(CarriedFiles.of(yield* events(id))).toBe(undefined)
      yield* agent.resume(id, { shouldContinue: false, overrides: { storeFiles: true } })
      yield* agent.settled(id)
      expect(tags(yield* events(id)).slice(-2)).toEqual(["Resumed", "CheckpointSaved"])
      const fork = yield* agent.fork(id, { overrides: {} })
      expect((yield* agent.state(fork)).checkpoint.stored).toEqual((yield* agent.state(id)).checkpoint.stored)
      yield* replays(id)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns }))))

  it.effect("replays each of its beginnings, also one that ends within a batch", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Mend a.txt", { storeFiles: true })
      const log = yield* events(id)
      const ends = log.filter(({ event }) => event._tag === "ToolFinished" || event._tag === "FileTouched")
      for (const { seq } of ends) yield* replays(yield* agent.fork(id, { at: seq, overrides: {} }))
    }).pipe(Effect.provide(Test.layer({ files: files(), turns }))))
})

describe("what a log says about its files", () => {
  it.effect("is not current once something changed them that it does not carry", () =>
    Effect.gen(function*() {
      const agent = yield* Agent
      const { id } = yield* run("Mend a.txt", { storeFiles: true })
      yield* agent.resume(id, { shouldContinue: false, overrides: { storeFiles: false } })
      yield* agent.say(id, "Again")
      yield* agent.settled(id)
      expect(CarriedFiles.of(yield* events(id))!.isCurrent).toBe(false)
    }).pipe(Effect.provide(Test.layer({ files: files(), turns: [...turns, { calls: [edit("four", "five")] }, { text: "Done." }] }))))
})
