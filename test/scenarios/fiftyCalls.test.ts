/** A long session with everything in it that comes by itself, a rewind and a fork: it runs again to the same hashes, and any change is found. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Replay from "../../src/layers/replay/Replay.ts"
import * as HashChain from "../../src/layers/storage/HashChain.ts"
import * as MemoryWorkspace from "../../src/layers/testing/MemoryWorkspace.ts"
import * as Test from "../../src/layers/Test.ts"
import { Agent } from "../../src/services/Agent.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Storage } from "../../src/services/Storage.ts"
import * as Process from "../cli/support/Process.ts"
import { begin, events, of, replays, tags, until } from "../layers/agent/world.ts"

const read = (n: number) => ({ name: "read_file", params: { path: `f${n}.txt` } })
const edit = (n: number, from: string, to: string) => ({ name: "edit_file", params: { path: `f${n}.txt`, old_text: from, new_text: to } })

/** Four reads side by side, then an edit; after eight of those a command that never ends. */
const turns = [
  ...Array.from({ length: 8 }, (_, n) => ({ calls: [read(n), read((n + 1) % 8), read((n + 2) % 8), read((n + 3) % 8), edit(n, "one", `one of ${n}`)] })),
  { calls: [{ name: "run_command", params: { command: "wait" } }] },
  { calls: [edit(1, "one", "two"), read(2), read(3)] },
  { calls: [read(1), read(4), read(5)] },
  { calls: [edit(1, "changed", "changed back"), read(6), read(7)] },
  { text: "Done." },
  { text: "Done in the fork." }
]

const world = () => {
  const disk = MemoryWorkspace.files(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`f${n}.txt`, "one\n"])))
  const layer = Test.layer({
    files: disk,
    turns,
    commands: ({ command }) => command === "wait" ? Effect.never : Effect.succeed(undefined)
  })
  return { disk, layer }
}

/** Plays the session and gives its id and that of its fork. */
const play = Effect.fnUntraced(function*(disk: MemoryWorkspace.Files) {
  const agent = yield* Agent
  const log = yield* EventLog
  const id = yield* begin({ rules: { allow: ["Bash(*)"], ask: [], deny: [] } })
  yield* agent.say(id, "Mend all files")
  yield* until(id, "CheckpointSaved")
  yield* agent.say(id, "And be quick", "steer")
  yield* agent.say(id, "Then rest", "queue")
  while (!(yield* events(id)).some(({ event }) => event._tag === "ToolProposed" && event.kind === "command")) yield* Effect.yieldNow
  while ((yield* events(id)).at(-1)?.event._tag !== "ToolStarted") yield* Effect.yieldNow
  yield* agent.interrupt(id, "Ctrl-C")
  disk.set("f1.txt", new TextEncoder().encode("changed by someone\n"))
  yield* Effect.scoped(Effect.flatMap(log.open(id), ({ append }) => append([{ _tag: "FileTouched", path: "f1.txt", kind: "modified", hash: null, by: "user" }])))
  yield* agent.say(id, "Go on")
  yield* agent.settled(id)
  const ended = (yield* events(id)).findIndex(({ event }) => event._tag === "Interrupted")
  yield* agent.rewind(id, { to: ended, files: true, conversation: true, remove: [] })
  yield* agent.say(id, "Another way")
  yield* agent.settled(id)
  const fork = yield* agent.fork(id, { overrides: { mode: "plan" } })
  yield* agent.say(fork, "What now?")
  yield* agent.settled(fork)
  return { id, fork }
})

describe("a session of fifty calls", () => {
  it.live("with typed words, an interrupt, a file of someone else's, a rewind and a fork runs again to the same hashes", () => {
    const { disk, layer } = world()
    return Effect.gen(function*() {
      const { fork, id } = yield* play(disk)
      const log = yield* events(id)
      expect(of(log, "ToolFinished").length).toBeGreaterThanOrEqual(50)
      expect(tags(log)).toEqual(expect.arrayContaining(["Interrupted", "Rewound", "UserSaid"]))
      expect(of(log, "UserSaid").map(({ delivery }) => delivery)).toEqual(["task", "steer", "queue", "task", "task"])
      expect(of(log, "FileTouched").some(({ by }) => by === "user")).toBe(true)
      expect(of(yield* events(fork), "SessionStarted").at(-1)?.origin).toEqual({ id, seq: log.length - 1, hash: log.at(-1)!.hash })
      yield* replays(id)
      yield* replays(fork)
    }).pipe(Effect.provide(layer))
  })

  it.live("names the first event that was altered, whichever it is", () => {
    const { disk, layer } = world()
    return Effect.gen(function*() {
      const { fork } = yield* play(disk)
      const { read } = yield* Storage
      const lines = yield* read(fork, 0)
      for (const [i, line] of lines.entries()) {
        const altered = lines.map((one) => one === line ? { ...line, body: line.body.replace(/"time":(\d+)/, (_, time) => `"time":${Number(time) + 1}`) } : one)
        const error = yield* Effect.flip(HashChain.verify(fork, altered))
        expect(error.reason).toEqual({ _tag: "Corrupt", seq: i })
      }
    }).pipe(Effect.provide(layer))
  })

  it.live("diverges where an input was altered and hashed again, and says where", () => {
    const { disk, layer } = world()
    return Effect.gen(function*() {
      const { id } = yield* play(disk)
      const { getBlob } = yield* Storage
      const log = yield* events(id)
      const alter = (at: SessionEvent, change: (event: SessionEvent["event"]) => SessionEvent["event"]) =>
        Effect.flip(Replay.verify(HashChain.rehash(log, (event) => event === at.event ? change(event) : event), { getBlob }))
      const first = (pick: (event: SessionEvent["event"]) => boolean) => log.find(({ event }) => pick(event))!
      const said = first((event) => event._tag === "UserSaid" && event.delivery === "steer")
      const diverged = yield* alter(said, (event) => event._tag === "UserSaid" ? { ...event, text: "And be slow" } : event)
      expect(diverged).toMatchObject({ _tag: "Diverged", expected: { _tag: "ModelRequested" }, actual: { _tag: "ModelRequested" } })
      const rewound = first((event) => event._tag === "Rewound")
      const elsewhere = yield* alter(rewound, (event) => event._tag === "Rewound" ? { ...event, to: event.to - 30 } : event)
      expect(elsewhere).toMatchObject({ _tag: "Diverged", seq: expect.any(Number) })
      expect((elsewhere as Replay.Diverged).seq).toBeGreaterThan(rewound.seq)
    }).pipe(Effect.provide(layer))
  })
})

describe("dacapo replay --until --live", () => {
  it("continues from there in a fork, with another script and real files; the session itself stays unchanged", async () => {
    using place = Process.place()
    mkdirSync(join(place.cwd, "src"))
    writeFileSync(join(place.cwd, "src/a.txt"), "one\n")
    const write = (content: string) => ({ calls: [{ name: "write_file", params: { path: "out.txt", content } }] })
    const look = { calls: [{ name: "read_file", params: { path: "src/a.txt" } }, { name: "list_files", params: { path: "." } }] }
    const free = ["--permission-mode", "acceptEdits"]
    expect(await Process.run(place, ["-p", ...free, "--model", place.script(look, write("first\n"), { text: "First." }), "Go"])).toMatchObject({ code: 0 })
    const log: ReadonlyArray<SessionEvent> = JSON.parse((await Process.run(place, ["sessions", "show", "latest", "--output-format", "json"])).stdout)
    const { id } = log[0]!.event as Extract<SessionEvent["event"], { _tag: "SessionStarted" }>
    const until = log.find(({ event }) => event._tag === "ToolFinished" && event.call === "call_1_2")!.seq
    const live = await Process.run(place, ["replay", id, "--until", `${until}`, "--live", "-p", ...free, "--model", place.script({ text: "-" }, write("second\n"), { text: "Second." })])
    expect(live).toMatchObject({ code: 0, stdout: "Second.\n" })
    expect(readFileSync(join(place.cwd, "out.txt"), "utf8")).toBe("second\n")
    expect(await Process.run(place, ["replay", "latest", "--verify"])).toMatchObject({ code: 0, stderr: "" })
    expect(JSON.parse((await Process.run(place, ["sessions", "show", id, "--output-format", "json"])).stdout)).toEqual(log)
    expect(await Process.run(place, ["replay", id, "--until", "9999", "--live"])).toMatchObject({ code: 42 })
    expect((await Process.run(place, ["replay", id, "--until", `${until}`, "--verify"])).stdout).toContain(`${until + 1} events`)
  })
})
