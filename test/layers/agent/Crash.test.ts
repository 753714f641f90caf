/** A process that died in the middle of a call: reads run again, edits are looked at, nothing else runs twice unasked. */
import { describe, expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as Schema from "effect/Schema"
import * as CarriedFiles from "../../../src/domain/session/CarriedFiles.ts"
import { LogError } from "../../../src/domain/session/LogError.ts"
import * as Test from "../../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../../src/layers/testing/MemoryWorkspace.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import { ApplyPatch } from "../../../src/layers/tool/ApplyPatch.ts"
import { EditFile } from "../../../src/layers/tool/EditFile.ts"
import { ReadFile } from "../../../src/layers/tool/ReadFile.ts"
import { RunCommand } from "../../../src/layers/tool/command/RunCommand.ts"
import { Agent, type SessionOptions } from "../../../src/services/Agent.ts"
import type { Command } from "../../../src/services/Shell.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as World from "./world.ts"

interface Story {
  readonly call: { readonly name: string; readonly params: Schema.Json }
  readonly files?: Readonly<Record<string, string>>
  /** What the files say when the process is dead. */
  readonly found?: Readonly<Record<string, string>>
  readonly wanted?: Partial<SessionOptions>
  readonly answers?: Test.World["answers"]
}

/** Tools that begin and never end. */
const stuck = [ApplyPatch, EditFile, ReadFile, RunCommand].map((tool) => ({ ...tool, run: () => Effect.never }))

/** Makes a call, dies in it, and takes the session up in another process. */
const resumed = Effect.fnUntraced(function*({ answers = [], call, files: texts = {}, found = texts, wanted = {} }: Story) {
  const store = Context.get(yield* Layer.build(MemoryStorage.layer), Storage)
  const ran: Array<string> = []
  const turns = [{ calls: [call] }, { text: "Done." }]
  /** A process: closing it says nothing, and what its script did not play was for the other one. */
  const process = (world: Partial<Test.World>, storage: Partial<Storage["Service"]>) =>
    Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Effect.exit(Scope.close(scope, Exit.void)))
      const kept = Layer.succeed(Storage, { ...store, lease: () => Effect.void, ...storage })
      return yield* Layer.buildWithScope(Test.layer({ turns, ...world, storage: kept }), scope)
    })
  let alive = true
  const dead = new LogError({ session: "", message: "This process is dead.", reason: { _tag: "Disk", code: "DEAD" } })
  const first = yield* process(
    { files: MemoryWorkspace.files(texts), tools: stuck },
    { append: (...given) => alive ? store.append(...given) : Effect.fail(dead) }
  )
  const id = yield* Effect.gen(function*() {
    const agent = yield* Agent
    const id = yield* World.begin({ mode: "bypassPermissions", onAsk: "deny", ...wanted })
    yield* agent.say(id, "Go")
    yield* World.until(id, "ToolStarted")
    return id
  }).pipe(Effect.provide(first))
  alive = false
  const files = MemoryWorkspace.files(found)
  const commands = ({ command }: Command) => Effect.sync(() => (ran.push(command), { output: "hi\n" }))
  return yield* Effect.gen(function*() {
    const agent = yield* Agent
    yield* agent.resume(id, { overrides: {}, shouldContinue: true })
    expect((yield* agent.settled(id)).task).toMatchObject({ state: "finished", result: "Done." })
    yield* World.replays(id)
    const log = yield* World.events(id)
    const text = (path: string) => new TextDecoder().decode(files.get(path))
    return { text, ran, outcomes: World.of(log, "ToolFinished").map(({ outcome }) => outcome), started: World.of(log, "ToolStarted").length, log }
  }).pipe(Effect.provide(yield* process({ files, commands, answers }, {})))
}, Effect.scoped)

const edit = { name: "edit_file", params: { path: "a.txt", old_text: "one", new_text: "two" } }
const patch = {
  name: "apply_patch",
  params: { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Delete File: b.txt\n*** End Patch\n" }
}
const command = { name: "run_command", params: { command: "echo hi" } }

describe("after a crash", () => {
  it.live("a read runs again", () =>
    Effect.gen(function*() {
      const { outcomes, started } = yield* resumed({ call: { name: "read_file", params: { path: "a.txt" } }, files: { "a.txt": "one\n" } })
      expect(outcomes.map(({ status }) => status)).toEqual(["succeeded"])
      expect(started).toBe(2)
    }))

  it.live("an edit that had not begun is made, once", () =>
    Effect.gen(function*() {
      const { outcomes, started, text } = yield* resumed({ call: edit, files: { "a.txt": "one\n" } })
      expect(text("a.txt")).toBe("two\n")
      expect(outcomes.map(({ status }) => status)).toEqual(["succeeded"])
      expect(started).toBe(2)
    }))

  it.live("an edit that was done is not made again", () =>
    Effect.gen(function*() {
      const { outcomes, started, text } = yield* resumed({ call: edit, files: { "a.txt": "one\n" }, found: { "a.txt": "two\n" } })
      expect(text("a.txt")).toBe("two\n")
      expect(outcomes).toMatchObject([{ status: "succeeded" }])
      expect(started).toBe(1)
    }))

  it.live("an edit of a file that is neither old nor new is unknown, and the file stays as it is", () =>
    Effect.gen(function*() {
      const { outcomes, started, text } = yield* resumed({ call: edit, files: { "a.txt": "one\n" }, found: { "a.txt": "one, by hand\n" } })
      expect(text("a.txt")).toBe("one, by hand\n")
      expect(outcomes).toMatchObject([{ status: "unknown" }])
      expect(outcomes[0]!.content).toMatchObject([{ text: expect.stringContaining("Read a.txt before") }])
      expect(started).toBe(1)
    }))

  it.live("a patch of two files that was done in part is unknown", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* resumed({ call: patch, files: { "a.txt": "one\n", "b.txt": "b\n" }, found: { "a.txt": "two\n", "b.txt": "b\n" } })
      expect(outcomes).toMatchObject([{ status: "unknown" }])
    }))

  it.live("a patch of two files that was done whole is done", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* resumed({ call: patch, files: { "a.txt": "one\n", "b.txt": "b\n" }, found: { "a.txt": "two\n" } })
      expect(outcomes).toMatchObject([{ status: "succeeded" }])
    }))

  it.live("a command is unknown where nobody can be asked, and does not run again", () =>
    Effect.gen(function*() {
      const { outcomes, ran, started } = yield* resumed({ call: command })
      expect(outcomes).toMatchObject([{ status: "unknown" }])
      expect(ran).toEqual([])
      expect(started).toBe(1)
    }))

  it.live("a command runs again where the user says so", () =>
    Effect.gen(function*() {
      const { outcomes, ran } = yield* resumed({ call: command, wanted: { onAsk: "ask" }, answers: [{ decision: "allow" }] })
      expect(outcomes).toMatchObject([{ status: "succeeded" }])
      expect(ran).toEqual(["echo hi"])
    }))

  it.live("a command that the user declines to run again is unknown, not denied", () =>
    Effect.gen(function*() {
      const { outcomes, ran } = yield* resumed({ call: command, wanted: { onAsk: "ask" }, answers: [{ decision: "deny" }] })
      expect(outcomes).toMatchObject([{ status: "unknown" }])
      expect(ran).toEqual([])
    }))

  it.live("what may have changed files is stored with the files, where the log carries them", () =>
    Effect.gen(function*() {
      const wanted = { storeFiles: true }
      const lost = [
        yield* resumed({ call: edit, files: { "a.txt": "one\n" }, found: { "a.txt": "two\n" }, wanted }),
        yield* resumed({ call: edit, files: { "a.txt": "one\n" }, found: { "a.txt": "one, by hand\n" }, wanted }),
        yield* resumed({ call: command, found: { "made.txt": "by the command\n" }, wanted })
      ]
      for (const { log } of lost) {
        const end = log.findIndex(({ event }) => event._tag === "ToolFinished")
        expect(CarriedFiles.of(log.slice(0, log.findIndex(({ event }, i) => i > end && event._tag === "ContextPlanned")))).toMatchObject({ isCurrent: true })
      }
    }))
})
