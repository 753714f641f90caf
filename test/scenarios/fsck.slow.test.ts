/** A damaged store: it is told and left as it is, and every whole event of it can be had again. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { randomAt } from "../../src/domain/session/SeededRandom.ts"
import * as EventLogLive from "../../src/layers/storage/EventLogLive.ts"
import * as Fsck from "../../src/layers/storage/sqlite/Fsck.ts"
import * as Salvage from "../../src/layers/storage/sqlite/Salvage.ts"
import * as Sqlite from "../../src/layers/storage/sqlite/Sqlite.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Storage } from "../../src/services/Storage.ts"
import * as Process from "../cli/support/Process.ts"

const page = 4096
/** How many places are damaged, each in a way of its own; all of them by `npm run test:faults`. */
const places = process.env["FAULTS"] === "all" ? 200 : 30

let root = ""
let original = Buffer.alloc(0)
let bodies: ReadonlyArray<string> = []

/** Three sessions of a real process, one with long events. */
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "dacapo-fsck-"))
  using place = Process.place()
  writeFileSync(join(place.cwd, "long.txt"), Array.from({ length: 400 }, (_, i) => `${i} ${randomAt("long", i)}`).join("\n"))
  for (let i = 0; i < 3; i++) {
    const model = place.script(
      { calls: [{ name: "read_file", params: { path: "long.txt" } }] },
      { calls: [{ name: "write_file", params: { path: `${i}.txt`, content: "x\n".repeat(50) } }] },
      { text: "Done." }
    )
    await Process.run(place, ["-p", "--model", model, "--permission-mode", "acceptEdits", `Task ${i}`])
  }
  const file = join(place.root, "home", "data", "sessions.db")
  original = readFileSync(file)
  using database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  bodies = database.prepare("SELECT body FROM line").all().map((row) => String(row["body"]))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const folder = (name: string, bytes: Uint8Array): string => {
  const path = join(root, name)
  mkdirSync(path)
  writeFileSync(join(path, "sessions.db"), bytes, { mode: 0o600 })
  return path
}

/** Everything that the store says. */
const everything = (path: string) =>
  Effect.gen(function*() {
    const storage = yield* Storage
    const log = yield* EventLog
    const read = yield* Effect.forEach(yield* storage.list({}), ({ id }) => log.read(id))
    return read.flat().map(({ event, seq, time, v }) => JSON.stringify({ v, seq, time, event })).sort()
  }).pipe(Effect.provide(Layer.provideMerge(EventLogLive.layer, Sqlite.layerIn(path))), Effect.scoped)

/** Bodies that stand in one piece, once, on pages that `touched` does not name: a second copy is left from a page that was split. */
const untouched = (touched: (page: number) => boolean): ReadonlyArray<string> =>
  bodies.filter((body) => {
    const offset = original.indexOf(body)
    const [first, last] = [Math.floor(offset / page), Math.floor((offset + Buffer.byteLength(body)) / page)]
    return offset >= 0 && offset === original.lastIndexOf(body) && first === last && !touched(first)
  })

/** The damage is told or does no harm; the file stays; what is whole is recovered. */
const survives = (name: string, damaged: Buffer, touched: (page: number) => boolean) =>
  Effect.gen(function*() {
    const path = folder(name, damaged)
    const all = yield* Effect.result(everything(path))
    if (Result.isFailure(all)) expect(all.failure).toMatchObject({ _tag: "LogError", reason: { _tag: expect.stringMatching(/^(Corrupt|Newer|Disk)$/) } })
    else expect(all.success.every((body) => bodies.includes(body))).toBe(true)
    expect(readFileSync(join(path, "sessions.db")).equals(damaged)).toBe(true)
    const { logs } = yield* Salvage.read(join(path, "sessions.db"))
    const recovered = new Set(logs.flatMap(({ orphans, lines }) => [...lines, ...orphans].map(({ body }) => body)))
    for (const body of untouched(touched)) expect(recovered.has(body), `${name}: ${body.slice(0, 80)}`).toBe(true)
    const rebuilt = yield* Fsck.rebuild(path)
    const now = yield* everything(path)
    expect(now).toHaveLength(rebuilt.events)
    expect(now.every((body) => bodies.includes(body))).toBe(true)
    expect(readFileSync(join(rebuilt.damaged, "sessions.db")).equals(damaged)).toBe(true)
    rmSync(path, { recursive: true })
    return Result.isFailure(all)
  })

describe("a store", () => {
  it.live("that is whole has nothing to be mended", () =>
    Effect.gen(function*() {
      const path = folder("whole", original)
      expect(yield* Fsck.check(path)).toMatchObject({ sessions: 3, events: bodies.length, findings: [] })
    }))

  it.live(`cut at ${places} offsets says so, stays as it is, and every whole event is recovered`, () =>
    Effect.gen(function*() {
      let told = 0
      for (let i = 0; i < places; i++) {
        const length = 1 + Math.floor(randomAt("cut", i) * (original.length - 1))
        if (yield* survives(`cut-${i}`, original.subarray(0, length), (number) => (number + 1) * page > length)) told++
      }
      expect(told).toBe(places)
    }), 300_000)

  it.live(`with a flipped bit at ${places} offsets never lies, and every whole event is recovered`, () =>
    Effect.gen(function*() {
      for (let i = 0; i < places; i++) {
        const offset = Math.floor(randomAt("flip", i) * original.length)
        const damaged = Buffer.from(original)
        damaged[offset]! ^= 1 << (i % 8)
        // The first page leads to all others: which rows are removed stands there, too.
        yield* survives(`flip-${i}`, damaged, (number) => number === Math.floor(offset / page))
      }
    }), 300_000)

  it.live("that is empty is a new one; empty beside a log of its own it is damaged", () =>
    Effect.gen(function*() {
      expect(yield* everything(folder("empty", Buffer.alloc(0)))).toEqual([])
      const path = folder("emptied", Buffer.alloc(0))
      writeFileSync(join(path, "sessions.db-wal"), "something")
      expect(yield* Effect.flip(everything(path))).toMatchObject({ reason: { _tag: "Corrupt" } })
      expect(readFileSync(join(path, "sessions.db-wal"), "utf8")).toBe("something")
    }))

  it.live("is rebuilt from its write-ahead log as well", () =>
    Effect.gen(function*() {
      const path = folder("logged", original)
      const file = join(path, "sessions.db")
      const database = new DatabaseSync(file)
      database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; BEGIN; CREATE TABLE other AS SELECT * FROM line; DELETE FROM line; INSERT INTO line SELECT * FROM other; DROP TABLE other; COMMIT")
      const other = join(root, "copied")
      mkdirSync(other)
      for (const name of readdirSync(path)) copyFileSync(join(path, name), join(other, name))
      database.close()
      truncateSync(join(other, "sessions.db"), 100)
      expect(statSync(join(other, "sessions.db-wal")).size).toBeGreaterThan(0)
      const { logs } = yield* Salvage.read(join(other, "sessions.db"))
      expect(logs.flatMap(({ lines }) => lines).map(({ body }) => body).sort()).toEqual([...bodies].sort())
    }))
})

describe("dacapo fsck", () => {
  const home = (place: Process.Place, bytes: Buffer): string => {
    const data = join(place.root, "home", "data")
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, "sessions.db"), bytes)
    return data
  }

  it("says what is wrong with 59, mends it, and is content", async () => {
    using place = Process.place()
    const data = home(place, original.subarray(0, original.length - 3 * page))
    for (const args of [["fsck"], ["sessions", "list"], ["-p", "--continue", "Go on"]]) {
      expect((await Process.run(place, args)).code).toBe(59)
    }
    const rebuilt = await Process.run(place, ["fsck", "--rebuild"])
    expect(rebuilt).toMatchObject({ code: 0, stderr: "" })
    expect(rebuilt.stdout).toMatch(/^Recovered \d+ events of 3 sessions\. The damaged store is kept in /)
    expect(readFileSync(join(data, "damaged.1", "sessions.db")).equals(original.subarray(0, original.length - 3 * page))).toBe(true)
    expect((await Process.run(place, ["sessions", "list"])).stdout.match(/Task/g)).toHaveLength(3)
  })

  it("tells a newer version's store from damage, and leaves it alone", async () => {
    using place = Process.place()
    const data = home(place, original)
    const database = new DatabaseSync(join(data, "sessions.db"))
    database.exec("PRAGMA user_version = 99")
    database.close()
    const before = readFileSync(join(data, "sessions.db"))
    for (const args of [["fsck"], ["fsck", "--rebuild"], ["sessions", "list"]]) {
      const ended = await Process.run(place, args)
      expect(ended.code).toBe(59)
      expect(ended.stderr).toContain("newer version of dacapo")
    }
    expect(readFileSync(join(data, "sessions.db")).equals(before)).toBe(true)
  })

  it("is content where there is nothing yet", async () => {
    using place = Process.place()
    expect(await Process.run(place, ["fsck", "--output-format", "json"])).toMatchObject({ code: 0, stdout: expect.stringContaining("\"findings\":[]") })
  })
})
