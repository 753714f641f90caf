import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Storage } from "../../../src/services/Storage.ts"
import { sha256 } from "../../../src/layers/storage/Digest.ts"
import * as ProcessLease from "../../../src/layers/storage/ProcessLease.ts"
import * as Sqlite from "../../../src/layers/storage/sqlite/Sqlite.ts"
import { lines, summary } from "../../../src/layers/testing/conformance/storage.ts"
import { mostInOneTurn } from "./turns.ts"

const options = { sync: false, summary: summary(1) }
const open = (path: string) => Effect.map(Layer.build(Sqlite.layerIn(path)), Context.get(Storage))

/** A folder, and the database file in it as plain SQLite sees it. */
const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-sqlite-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)
const edit = (path: string, sql: string) =>
  Effect.sync(() => {
    const db = new DatabaseSync(join(path, "sessions.db"))
    db.exec(sql)
    db.close()
  })

const failure = <A, E extends { readonly reason: unknown }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("a process that woke up after another one took over its session", () => {
  it.live("adds neither events nor drafts, and gives back what is no longer its own", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      const [sleeper, heir] = [yield* open(path), yield* open(path)]
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
      const scope = yield* Scope.make()
      yield* Scope.provide(sleeper.lease("a"), scope)
      yield* sleeper.append("a", lines(2), options)
      yield* sleeper.putDraft("a", Buffer.from("its own"))
      yield* sleeper.putDraft("a", null)
      // The process that holds it is taken for dead.
      yield* edit(path, "UPDATE lease SET pid = 999999999, beat = 0")
      yield* heir.lease("a")
      assert.deepStrictEqual(yield* failure(sleeper.append("a", lines(1, 2), options)), { _tag: "Locked", pid: 0 })
      yield* heir.putDraft("a", Buffer.from("the heir's"))
      for (const late of [Buffer.from("late"), null]) assert.deepStrictEqual(yield* failure(sleeper.putDraft("a", late)), { _tag: "Locked", pid: 0 })
      assert.strictEqual(text((yield* heir.getDraft("a"))!), "the heir's")
      yield* Scope.close(scope, Exit.void)
      yield* heir.append("a", lines(1, 2), options)
      assert.deepStrictEqual(yield* heir.read("a", 0), lines(3))
    })))
})

describe("sessions that write at once", () => {
  it.live("continue a few at a time: between them everything else has its turn", () =>
    Effect.scoped(Effect.gen(function*() {
      const storage = yield* open(yield* folder)
      assert.isAtMost(yield* mostInOneTurn(storage, 64), 8)
    })))
})

describe("the database file", () => {
  it.live("is readable by its owner alone, with all that stands beside it", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "deep", "data")
      const storage = yield* open(path)
      yield* storage.append("a", lines(1), options)
      const mode = (file: string) => (statSync(file).mode & 0o777).toString(8)
      assert.deepStrictEqual([mode(join(path, "..")), mode(path)], ["700", "700"])
      assert.deepStrictEqual(
        readdirSync(path).map((name) => [name, mode(join(path, name))]),
        ["sessions.db", "sessions.db-shm", "sessions.db-wal"].map((name) => [name, "600"])
      )
    })))

  it.live("is refused when a newer version wrote it, and stays as it is", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      yield* Effect.scoped(Effect.flatMap(open(path), (storage) => storage.append("a", lines(1), options)))
      yield* edit(path, "PRAGMA user_version = 99")
      const before = readFileSync(join(path, "sessions.db"))
      assert.deepStrictEqual(yield* failure(Effect.scoped(open(path))), { _tag: "Newer", version: 99 })
      assert.deepStrictEqual(readFileSync(join(path, "sessions.db")), before)
    })))

  it.live("is refused when it is no database, and stays as it is", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      const text = "not a database ".repeat(1000)
      writeFileSync(join(path, "sessions.db"), text)
      assert.deepStrictEqual(yield* failure(Effect.scoped(open(path))), { _tag: "Corrupt", seq: -1 })
      assert.strictEqual(readFileSync(join(path, "sessions.db"), "utf8"), text)
    })))

  it.live("that has damaged pages says so when they are read", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      const file = join(path, "sessions.db")
      yield* Effect.scoped(Effect.flatMap(open(path), (storage) => storage.append("a", lines(500), options)))
      const bytes = readFileSync(file)
      bytes.fill(0xff, 8192)
      writeFileSync(file, bytes)
      assert.deepStrictEqual(yield* failure(Effect.scoped(Effect.flatMap(open(path), (storage) => storage.read("a", 0)))), {
        _tag: "Corrupt",
        seq: -1
      })
      assert.deepStrictEqual(readFileSync(file), bytes)
    })))

  it.live("that can't be made is named with the system's code", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = join(yield* folder, "file")
      writeFileSync(path, "in the way")
      assert.deepStrictEqual(yield* failure(Effect.scoped(open(path))), { _tag: "Disk", code: "ENOTDIR" })
      assert.deepStrictEqual(yield* failure(Effect.scoped(open(join(path, "data")))), { _tag: "Disk", code: "ENOTDIR" })
    })))

  it.live("keeps every acknowledged event when the disk is full", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      const program = fileURLToPath(new URL("full.ts", import.meta.url))
      const { status, stderr, stdout } = spawnSync("bash", ["-c", `ulimit -f 400; exec "$0" "$1" "$2"`, process.execPath, program, path], {
        encoding: "utf8"
      })
      assert.deepStrictEqual([status, stderr], [0, ""])
      const { acknowledged, reason } = JSON.parse(stdout)
      assert.strictEqual(reason._tag, "Disk")
      const storage = yield* open(path)
      const kept = yield* storage.read("a", 0)
      assert.isAbove(acknowledged, 10)
      assert.deepStrictEqual(kept, lines(acknowledged))
      yield* storage.append("a", lines(1, acknowledged), options)
    })))
})

describe("a blob", () => {
  const blob = new TextEncoder().encode("a recording ".repeat(1000))

  it.live("that repeats itself takes less room than it has bytes", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      yield* Effect.scoped(Effect.flatMap(open(path), (storage) => storage.putBlob(sha256(blob), blob)))
      const db = new DatabaseSync(join(path, "sessions.db"))
      const { codec, size } = db.prepare("SELECT codec, length(bytes) AS size FROM blob").get()!
      db.close()
      assert.strictEqual(codec, "zstd")
      assert.isBelow(Number(size), 200)
    })))

  it.live("that was changed is damage, not an answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const path = yield* folder
      yield* Effect.scoped(Effect.flatMap(open(path), (storage) => storage.putBlob(sha256(blob), blob)))
      for (const change of [`UPDATE blob SET bytes = x'00112233'`, `UPDATE blob SET codec = 'plain'`]) {
        yield* edit(path, change)
        assert.deepStrictEqual(yield* failure(Effect.scoped(Effect.flatMap(open(path), (storage) => storage.getBlob(sha256(blob))))), {
          _tag: "Corrupt",
          seq: -1
        })
      }
    })))
})

describe("the holder of a lease", () => {
  const here = ProcessLease.currentHolder()

  it("lives while its process does", () => {
    assert.isTrue(ProcessLease.isAlive(here, here, 0))
    assert.isTrue(ProcessLease.isAlive(here, here, 10 * ProcessLease.leaseTimeoutMs))
  })

  it("is dead when its process is gone, or its pid is another's now", () => {
    const { pid } = spawnSync("true")
    assert.isFalse(ProcessLease.isAlive({ ...here, pid }, here, 0))
    assert.isFalse(ProcessLease.isAlive({ ...here, born: "1" }, here, 0))
  })

  it("on another machine lives as long as its heart beats", () => {
    assert.isTrue(ProcessLease.isAlive({ ...here, host: "elsewhere" }, here, ProcessLease.leaseTimeoutMs - 1))
    assert.isFalse(ProcessLease.isAlive({ ...here, host: "elsewhere" }, here, ProcessLease.leaseTimeoutMs))
  })
})
