/** Checks a store for damage, and rebuilds a damaged one from its intact events. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { LogError } from "../../../domain/session/LogError.ts"
import * as Session from "../../../domain/session/Session.ts"
import { Storage } from "../../../services/Storage.ts"
import * as HashChain from "../HashChain.ts"
import * as Salvage from "./Salvage.ts"
import * as Sqlite from "./Sqlite.ts"
import * as Database from "./Database.ts"
import * as SessionSummary from "../SessionSummary.ts"

/** A problem; `session` is "" if it concerns the store itself. */
export interface Finding {
  readonly session: string
  readonly what: string
}

export interface FsckReport {
  readonly file: string
  readonly sessions: number
  readonly events: number
  readonly findings: ReadonlyArray<Finding>
}

const nameOf = (folder: string): string => join(folder, Database.fileName)

/** Finds all damage in the store of a folder. A store written by a newer version is an error, not damage. */
export const check = Effect.fn("Fsck.check")(function*(folder: string) {
  const file = nameOf(folder)
  if (!existsSync(file)) return { file, sessions: 0, events: 0, findings: [] } satisfies FsckReport
  const inspection = yield* Effect.result(Effect.scoped(inspect(folder)))
  if (Result.isSuccess(inspection)) return { file, ...inspection.success } satisfies FsckReport
  const { message, reason } = inspection.failure
  if (reason._tag !== "Corrupt") return yield* inspection.failure
  return { file, sessions: 0, events: 0, findings: [{ session: "", what: message }] } satisfies FsckReport
})

const inspect = Effect.fnUntraced(function*(folder: string) {
  const db = yield* Database.open(folder)
  const problems = yield* Database.attempt(
    "",
    () => db.prepare("PRAGMA integrity_check(20)").all().map((row) => String(row["integrity_check"]))
  )
  const store = Context.get(yield* Layer.build(Sqlite.layerIn(folder)), Storage)
  const sessions = yield* store.list({})
  const findings: Array<Finding> = problems.filter((what) => what !== "ok").map((what) => ({ session: "", what }))
  let events = 0
  for (const { events: expected, id } of sessions) {
    const read = yield* Effect.result(Effect.flatMap(store.read(id, 0), (lines) => HashChain.verify(id, lines)))
    if (Result.isFailure(read)) {
      if (read.failure.reason._tag === "Newer") return yield* read.failure
      findings.push({ session: id, what: read.failure.message })
      continue
    }
    events += read.success.length
    if (read.success.length !== expected) {
      findings.push({ session: id, what: `Expected ${expected} events, but the log has ${read.success.length}.` })
    }
    for (const { event, seq } of read.success) {
      for (const hash of blobsOf(event)) {
        const blob = yield* Effect.result(store.getBlob(hash))
        if (Result.isFailure(blob)) findings.push({ session: id, what: `Event ${seq}: ${blob.failure.message}` })
      }
    }
  }
  return { sessions: sessions.length, events, findings }
})

/** The blobs that an event refers to. */
const blobsOf = (event: object): ReadonlyArray<string> =>
  ["recording", "draft", "system", "tools", "prompt"].flatMap((key) => {
    const hash = (event as Readonly<Record<string, unknown>>)[key]
    return typeof hash === "string" ? [hash] : []
  })

export interface RebuildReport {
  readonly sessions: number
  readonly events: number
  /** The folder of the damaged store. */
  readonly damaged: string
  /** Files with the events after a break, one per session. */
  readonly orphanFiles: ReadonlyArray<string>
}

/** The first numbered path that does not exist. */
const unused = (path: string, count = 1): string => existsSync(`${path}.${count}`) ? unused(path, count + 1) : `${path}.${count}`

/**
 * Replaces a damaged store with a new one that contains every event with an intact hash chain. The damaged store is kept in
 * a folder; intact events after a break are written to files there.
 */
export const rebuild = Effect.fn("Fsck.rebuild")(function*(folder: string) {
  const file = nameOf(folder)
  const intact = yield* Salvage.read(file)
  const rebuildFolder = join(folder, "rebuild")
  rmSync(rebuildFolder, { recursive: true, force: true })
  yield* Effect.scoped(
    Effect.flatMap(Layer.build(Sqlite.layerIn(rebuildFolder)), (services) => fill(Context.get(services, Storage), intact))
  )
  const damagedFolder = unused(join(folder, "damaged"))
  yield* Database.attempt("", () => {
    mkdirSync(damagedFolder, { mode: 0o700 })
    for (const suffix of ["-shm", "-wal", ""]) {
      if (existsSync(file + suffix)) renameSync(file + suffix, join(damagedFolder, Database.fileName + suffix))
    }
    renameSync(join(rebuildFolder, Database.fileName), file)
    rmSync(rebuildFolder, { recursive: true, force: true })
  })
  const orphanFiles = yield* Database.attempt(
    "",
    () =>
      intact.logs.filter(({ orphans }) => orphans.length > 0).map(({ orphans, id }, i) => {
        const path = join(damagedFolder, `${id === "" ? `unknown-${i + 1}` : id}.jsonl`)
        writeFileSync(path, orphans.map(({ body }) => `${body}\n`).join(""), { mode: 0o600 })
        return path
      })
  )
  const recovered = intact.logs.filter(isRecoverable)
  const events = recovered.reduce((sum, { lines }) => sum + lines.length, 0)
  return { sessions: recovered.length, events, damaged: damagedFolder, orphanFiles } satisfies RebuildReport
})

const isRecoverable = ({ id, lines }: Salvage.Log): boolean => id !== "" && lines.length > 0

const fill = Effect.fnUntraced(function*(store: Storage["Service"], { blobs, logs }: Salvage.SalvageResult) {
  for (const [hash, bytes] of blobs) yield* store.putBlob(hash, bytes)
  for (const { id, lines } of logs.filter(isRecoverable)) {
    yield* store.append(id, lines, { sync: true, summary: SessionSummary.of(Session.fold(yield* HashChain.verify(id, lines))) })
  }
})

/** Fails if another process has the store open, because its next write would be lost. */
export const failIfInUse = Effect.fn("Fsck.unheld")(function*(folder: string) {
  const pids = yield* Effect.orElseSucceed(Effect.scoped(Effect.flatMap(Database.open(folder), Sqlite.holders)), () => [])
  const [pid] = pids
  if (pid !== undefined) {
    return yield* new LogError({
      session: "",
      message: `Another dacapo (process ${pid}) is using the session store. Close it first.`,
      reason: { _tag: "Locked", pid }
    })
  }
})
