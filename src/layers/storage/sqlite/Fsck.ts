/** Checks a store from outside, and makes a new one of what is whole in a damaged one. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { LogError } from "../../../domain/session/LogError.ts"
import * as Session from "../../../domain/session/Session.ts"
import { Storage } from "../../../services/Storage.ts"
import * as Chain from "../HashChain.ts"
import * as Salvage from "./Salvage.ts"
import * as Sqlite from "./Sqlite.ts"
import * as SqliteFile from "./Database.ts"
import * as Summarised from "../SessionSummary.ts"

/** `session` is "" where it is the store itself. */
export interface Finding {
  readonly session: string
  readonly what: string
}

export interface Checked {
  readonly file: string
  readonly sessions: number
  readonly events: number
  readonly findings: ReadonlyArray<Finding>
}

const nameOf = (folder: string): string => join(folder, SqliteFile.fileName)

/** Everything that is wrong with the store of a folder. What only a newer version can read is an error, not damage. */
export const check = Effect.fn("Fsck.check")(function*(folder: string) {
  const file = nameOf(folder)
  if (!existsSync(file)) return { file, sessions: 0, events: 0, findings: [] } satisfies Checked
  const opened = yield* Effect.result(Effect.scoped(inspect(folder)))
  if (Result.isSuccess(opened)) return { file, ...opened.success } satisfies Checked
  const { message, reason } = opened.failure
  if (reason._tag !== "Corrupt") return yield* opened.failure
  return { file, sessions: 0, events: 0, findings: [{ session: "", what: message }] } satisfies Checked
})

const inspect = Effect.fnUntraced(function*(folder: string) {
  const db = yield* SqliteFile.open(folder)
  const problems = yield* SqliteFile.attempt("", () => db.prepare("PRAGMA integrity_check(20)").all().map((row) => String(row["integrity_check"])))
  const store = Context.get(yield* Layer.build(Sqlite.layerIn(folder)), Storage)
  const listed = yield* store.list({})
  const findings: Array<Finding> = problems.filter((what) => what !== "ok").map((what) => ({ session: "", what }))
  let events = 0
  for (const { events: promised, id } of listed) {
    const read = yield* Effect.result(Effect.flatMap(store.read(id, 0), (lines) => Chain.verify(id, lines)))
    if (Result.isFailure(read)) {
      if (read.failure.reason._tag === "Newer") return yield* read.failure
      findings.push({ session: id, what: read.failure.message })
      continue
    }
    events += read.success.length
    if (read.success.length !== promised) findings.push({ session: id, what: `${promised} events were acknowledged, and ${read.success.length} are there.` })
    for (const { event, seq } of read.success) {
      for (const hash of blobsOf(event)) {
        const blob = yield* Effect.result(store.getBlob(hash))
        if (Result.isFailure(blob)) findings.push({ session: id, what: `event ${seq}: ${blob.failure.message}` })
      }
    }
  }
  return { sessions: listed.length, events, findings }
})

/** Blobs that an event names. */
const blobsOf = (event: object): ReadonlyArray<string> =>
  ["recording", "draft", "system"].flatMap((key) => {
    const hash = (event as Readonly<Record<string, unknown>>)[key]
    return typeof hash === "string" ? [hash] : []
  })

export interface Rebuilt {
  readonly sessions: number
  readonly events: number
  /** Where the damaged store is kept now. */
  readonly damaged: string
  /** Files of events behind a break, one a session. */
  readonly beside: ReadonlyArray<string>
}

/** The first name that nothing has yet. */
const unused = (path: string, count = 1): string => existsSync(`${path}.${count}`) ? unused(path, count + 1) : `${path}.${count}`

/**
 * Puts a new store in the place of a damaged one, which is kept beside it as it was. Every event whose chain holds is in
 * it; whole events behind a break are written into files.
 */
export const rebuild = Effect.fn("Fsck.rebuild")(function*(folder: string) {
  const file = nameOf(folder)
  const salvaged = yield* Salvage.read(file)
  const fresh = join(folder, "rebuild")
  rmSync(fresh, { recursive: true, force: true })
  yield* Effect.scoped(Effect.flatMap(Layer.build(Sqlite.layerIn(fresh)), (services) => fill(Context.get(services, Storage), salvaged)))
  const damaged = unused(join(folder, "damaged"))
  yield* SqliteFile.attempt("", () => {
    mkdirSync(damaged, { mode: 0o700 })
    for (const suffix of ["-shm", "-wal", ""]) {
      if (existsSync(file + suffix)) renameSync(file + suffix, join(damaged, SqliteFile.fileName + suffix))
    }
    renameSync(join(fresh, SqliteFile.fileName), file)
    rmSync(fresh, { recursive: true, force: true })
  })
  const beside = yield* SqliteFile.attempt("", () =>
    salvaged.logs.filter(({ after }) => after.length > 0).map(({ after, id }, i) => {
      const path = join(damaged, `${id === "" ? `unknown-${i + 1}` : id}.jsonl`)
      writeFileSync(path, after.map(({ body }) => `${body}\n`).join(""), { mode: 0o600 })
      return path
    }))
  const kept = salvaged.logs.filter(isKept)
  return { sessions: kept.length, events: kept.reduce((sum, { lines }) => sum + lines.length, 0), damaged, beside } satisfies Rebuilt
})

const isKept = ({ id, lines }: Salvage.Log): boolean => id !== "" && lines.length > 0

const fill = Effect.fnUntraced(function*(store: Storage["Service"], { blobs, logs }: Salvage.Salvaged) {
  for (const [hash, bytes] of blobs) yield* store.putBlob(hash, bytes)
  for (const { id, lines } of logs.filter(isKept)) {
    yield* store.append(id, lines, { sync: true, summary: Summarised.of(Session.fold(yield* Chain.verify(id, lines))) })
  }
})

/** Fails where another process has the store open: its next write would be lost. */
export const unheld = Effect.fn("Fsck.unheld")(function*(folder: string) {
  const held = yield* Effect.orElseSucceed(Effect.scoped(Effect.flatMap(SqliteFile.open(folder), Sqlite.holders)), () => [])
  const [pid] = held
  if (pid !== undefined) {
    return yield* new LogError({
      session: "",
      message: `The store is in use by another dacapo (process ${pid}). End it first.`,
      reason: { _tag: "Locked", pid }
    })
  }
})

