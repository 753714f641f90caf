/** Sessions on SQLite: acknowledged appends, opening a long log, listing many sessions; raw one-row transactions beside it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Session from "../src/domain/session/Session.ts"
import type { Settled } from "../src/domain/session/SessionEvent.ts"
import { EventLog } from "../src/services/EventLog.ts"
import { type Line, Storage } from "../src/services/Storage.ts"
import * as HashChain from "../src/layers/storage/HashChain.ts"
import * as EventLogLive from "../src/layers/storage/EventLogLive.ts"
import * as Sqlite from "../src/layers/storage/sqlite/Sqlite.ts"
import { report, type Row } from "./measure.ts"

const folder = mkdtempSync(join(tmpdir(), "dacapo-bench-"))

/** About what a tool's result weighs. */
const log = (count: number): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (let seq = 0; seq < count; seq++) {
    lines.push(HashChain.line(lines.at(-1)?.hash ?? "", seq, 1_700_000_000_000 + seq, {
      _tag: "ToolFinished",
      call: `call-${seq}`,
      outcome: { status: "succeeded", content: [{ _tag: "Text", text: "a line of output ".repeat(8) }] }
    }))
  }
  return lines
}

const summary = { cwd: "/home/ada/project", title: "A task", model: "scripted/turns", created: 1, updated: 2 }
const clocked = async <A>(run: () => Promise<A>): Promise<number> => {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** µs an event: `writers` sessions at once, each waiting for its acknowledgement before it continues. */
const appends = (store: Storage["Service"], name: string, writers: number, each: number, sync: boolean) =>
  clocked(() =>
    Effect.runPromise(Effect.forEach(Array.from({ length: writers }, (_, i) => `${name}-${i}`), (id) =>
      Effect.forEach(lines.slice(0, each), (line) => store.append(id, [line], { sync, summary }), { discard: true }), {
      concurrency: "unbounded",
      discard: true
    }))).then((ms) => ms * 1000 / (writers * each))

let databases = 0
/** µs an event: one row a transaction, by node:sqlite alone. */
const raw = (synchronous: string, count: number): number => {
  const db = new DatabaseSync(join(folder, `raw-${databases++}.db`))
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}`)
  db.exec("CREATE TABLE line (session INTEGER, seq INTEGER, hash TEXT, body TEXT, PRIMARY KEY (session, seq)) WITHOUT ROWID")
  const [begin, insert, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("INSERT INTO line VALUES (1, ?, ?, ?)"), db.prepare("COMMIT")]
  const start = performance.now()
  for (const { body, hash, seq } of lines.slice(0, count)) {
    begin.run()
    insert.run(seq, hash, body)
    commit.run()
  }
  const ms = performance.now() - start
  db.close()
  return ms * 1000 / count
}

const lines = log(100_000)

const program = Effect.gen(function*() {
  const context = yield* Layer.build(EventLogLive.layer.pipe(Layer.provideMerge(Sqlite.layerIn(folder))))
  const store = Context.get(context, Storage)
  const events = Context.get(context, EventLog)

  yield* Effect.promise(() => appends(store, "warm", 16, 200, false))
  const rows: Array<Row> = []
  for (const [writers, each, limit] of [[1, 10_000, undefined], [16, 2500, 50]] as const) {
    const value = yield* Effect.promise(() => appends(store, `normal-${writers}`, writers, each, false))
    rows.push({ claim: `an acknowledged append, ${writers} writing`, ours: value, ...(limit === undefined ? {} : { limit }), peer: { name: "raw", value: raw("NORMAL", 10_000) } })
  }
  for (const [writers, each] of [[1, 200], [16, 200]] as const) {
    const value = yield* Effect.promise(() => appends(store, `full-${writers}`, writers, each, true))
    rows.push({ claim: `the same, safe from a power cut, ${writers} writing`, ours: value, peer: { name: "raw", value: raw("FULL", 200) } })
  }
  report("Appending events to SQLite", "µs an event", rows)

  for (let i = 0; i < lines.length; i += 1000) yield* store.append("long", lines.slice(i, i + 1000), { sync: false, summary })
  for (let i = 0; i < 10_000; i++) yield* store.append(`session-${i}`, lines.slice(0, 1), { sync: false, summary: { ...summary, updated: i } })
  const median = (run: () => Promise<unknown>) =>
    Effect.promise(async () => [await clocked(run), await clocked(run), await clocked(run)].sort((a, b) => a - b)[1]!)
  report("Reading", "ms", [
    { claim: "the lines of a log of 100,000", ours: yield* median(() => Effect.runPromise(store.read("long", 0))) },
    { claim: "opening it: read, verified, decoded, folded", ours: yield* median(() => Effect.runPromise(Effect.scoped(events.open("long")))), limit: 1000 },
    { claim: "listing 10,000 sessions", ours: yield* median(() => Effect.runPromise(store.list({}))), limit: 100 },
    { claim: "listing the newest 20", ours: yield* median(() => Effect.runPromise(store.list({ limit: 20 }))) }
  ])
})

/** A long session: turns of one call, and a compaction of all but the last turn every 50 turns. */
const session = (count: number): ReadonlyArray<Line> => {
  const made: Array<Line> = []
  const add = (event: Settled) => made.push(HashChain.line(made.at(-1)?.hash ?? "", made.length, 1_700_000_000_000 + made.length, event))
  const text = "a line of output ".repeat(60)
  add({ _tag: "SessionStarted", id: `turns-${count}`, version: "0", cwd: "/p", home: "/h", seed: "s", settings: Session.empty.settings })
  add({ _tag: "UserSaid", text: "Continue", delivery: "task" })
  for (let turn = 1; made.length < count; turn++) {
    const call = `call_${turn}_1`
    add({ _tag: "ContextPlanned", tokens: 100 * turn, left: [] })
    add({ _tag: "ModelRequested", model: "scripted/turns", request: made.at(-1)!.hash, maxTokens: 1000 })
    add({
      _tag: "ModelResponded",
      content: [{ _tag: "ToolCall", id: call, name: "read_file", params: { path: `file-${turn}.txt` } }],
      usage: { input: 100, output: 10, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
      cost: 0.01,
      stop: "tool_calls",
      recording: made.at(-1)!.hash,
      malformed: [],
      warnings: []
    })
    add({ _tag: "ToolProposed", call, access: [], kind: "read", action: "a", decision: "allow", risk: "low", reason: "", offer: [] })
    add({ _tag: "ToolStarted", call })
    add({ _tag: "ToolFinished", call, outcome: { status: "succeeded", content: [{ _tag: "Text", text: `${turn} ${text}` }] } })
    if (turn % 50 === 0) {
      add({
        _tag: "ContextCompacted",
        kind: "summary",
        why: "full",
        shortened: [],
        replaced: { from: 0, to: turn === 50 ? 99 : 101, by: [{ role: "user", content: [{ _tag: "Text", text: "What was." }] }] },
        before: 1000,
        after: 100,
        left: []
      })
    }
  }
  return made.slice(0, count)
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** MB that stay in use. */
const heap = (): number => {
  collect()
  collect()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

/** MB that an open session holds, and KB of its log for a turn. */
const memory = Effect.scoped(Effect.gen(function*() {
  const context = yield* Layer.build(EventLogLive.layer.pipe(Layer.provideMerge(Sqlite.layerIn(folder))))
  const store = Context.get(context, Storage)
  const events = Context.get(context, EventLog)
  const rows: Array<Row> = []
  for (const count of [1_000, 10_000, 100_000]) {
    const id = `turns-${count}`
    const log = session(count)
    for (let i = 0; i < log.length; i += 1000) yield* store.append(id, log.slice(i, i + 1000), { sync: false, summary })
  }
  for (const count of [1_000, 10_000, 100_000]) {
    const before = heap()
    const held = yield* Effect.scoped(Effect.gen(function*() {
      const log = yield* events.open(`turns-${count}`)
      yield* log.state
      return heap() - before
    }))
    rows.push({ claim: `held by a resumed session of ${count.toLocaleString("en")} events`, ours: held, limit: count === 1_000 ? 8 : rows[0]!.ours + 2 })
  }
  report("Memory, with a compaction every 50 turns", "MB", rows)
  const bytes = (lines: ReadonlyArray<Line>) => lines.reduce((sum, { body }) => sum + body.length, 0) / 1024
  const log = session(1_000)
  const places = log.flatMap(({ body }, i) => body.includes('"ContextPlanned"') ? [i] : [])
  const turn = (n: number) => bytes(log.slice(places[n]!, places[n + 1]!))
  report("What a turn adds to the log", "KB", [
    { claim: "the 2nd turn, with a result of 1 KB", ours: turn(1), limit: 3 },
    { claim: "the 140th", ours: turn(139), limit: turn(1) * 1.1 }
  ])
}))

await Effect.runPromise(Effect.andThen(memory, Effect.scoped(program))).finally(() => rmSync(folder, { recursive: true, force: true }))
