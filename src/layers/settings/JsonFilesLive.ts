/**
 * JSON files on the local disk. A change waits half a second for others, then the file is read, changed and replaced
 * under a lock that all processes share: an SQLite lock, which the kernel releases when a process dies.
 */
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type Change, type JsonFile, JsonFiles, type Path } from "../../services/JsonFiles.ts"
import * as PrivateFolder from "../storage/PrivateFolder.ts"
import * as NodeSqlite from "../storage/sqlite/NodeSqlite.ts"
import * as Database from "../storage/sqlite/Database.ts"
import * as JsonText from "./JsonText.ts"
import * as ReplaceFile from "./ReplaceFile.ts"

/** How long a change waits for others to be written with it. */
const debounce = "500 millis"

/** A failed write is retried for as long as this process lives. */
const backoff = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

interface Content {
  readonly text: string
  readonly value: Schema.Json | undefined
}

interface Pending {
  readonly path: Path
  readonly change: Change
  readonly headerComment: string | undefined
}

/** Runs `body` while no other process does the same. */
type WithLock = <A>(file: string, body: () => A) => Effect.Effect<A, SettingsError>

const fileError = (file: string, action: "read" | "written") => (error: { readonly message: string }): SettingsError =>
  error instanceof SettingsError ? error : new SettingsError({ where: file, message: `can't be ${action}: ${error.message}` })

/** Reads and applies pending changes; a file with invalid JSON is left as it is. */
const applyPending = (file: string, pending: ReadonlyArray<Pending>): { readonly before: string; readonly after: string } => {
  const before = ReplaceFile.read(file)
  const parsed = JsonText.parse(before)
  if (Result.isFailure(parsed)) throw new SettingsError({ where: `${file}:${parsed.failure.line}`, message: parsed.failure.why })
  return {
    before,
    after: pending.reduce((text, { headerComment, change, path }) => JsonText.applyChange(text, path, change, headerComment), before)
  }
}

const openFile = Effect.fnUntraced(function*(file: string, withLock: WithLock) {
  let pending: ReadonlyArray<Pending> = []
  let hasWarned = false
  const lock = yield* Semaphore.make(1)
  const writer = yield* FiberHandle.make<void, never>()

  const write = (changes: ReadonlyArray<Pending>) => {
    const { after, before } = applyPending(file, changes)
    if (after !== before) ReplaceFile.write(file, after)
  }

  const changeNow = <A>(
    path: Path,
    decide: (before: Schema.Json | undefined) => readonly [A, Schema.Json | undefined],
    headerComment?: string
  ) =>
    withLock(file, () => {
      let result: A
      const change: Change = (current) => {
        const [value, after] = decide(current)
        result = value
        return after
      }
      write([{ path, change, headerComment }])
      return result!
    }).pipe(Effect.uninterruptible, lock.withPermits(1))

  /** One after the other: two concurrent writes would apply a change twice. */
  const flush = Effect.suspend(() => {
    const batch = pending
    return batch.length === 0 ? Effect.void : Effect.map(withLock(file, () => write(batch)), () => {
      pending = pending.filter((one) => !batch.includes(one))
      hasWarned = false
    })
  }).pipe(Effect.uninterruptible, lock.withPermits(1))

  /** A failed write is reported once, and retried. */
  const warnOnce = (error: SettingsError) =>
    Effect.suspend(() => {
      if (hasWarned) return Effect.void
      hasWarned = true
      return Effect.logWarning(`${error.where} ${error.message}. The change is kept in memory and written when that works.`)
    })

  const backgroundFlush = flush.pipe(
    Effect.tapError(warnOnce),
    Effect.retry(backoff),
    Effect.orDie,
    Effect.delay(debounce),
    Effect.repeat({ while: () => pending.length > 0 }),
    Effect.asVoid
  )

  yield* Effect.addFinalizer(() => Effect.catch(flush, warnOnce))

  /** The file's content, read again if it has changed or may have been written while it was read. */
  let cache: { readonly stamp: string; readonly content: Content } | undefined
  const read = (now: number): Content => {
    const stamp = pending.length === 0 ? ReplaceFile.stamp(file, now) : undefined
    if (stamp !== undefined && stamp === cache?.stamp) return cache.content
    const text = applyPending(file, pending).after
    const content = { text, value: Result.getOrUndefined(JsonText.parse(text)) }
    cache = stamp === undefined ? undefined : { stamp, content }
    return content
  }
  const content = Effect.flatMap(
    Clock.currentTimeMillis,
    (now) => Effect.try({ try: () => read(now), catch: (error) => fileError(file, "read")(error as Error) })
  )

  return {
    value: Effect.map(content, ({ value }) => value),
    lines: (path: Path) => Effect.map(content, ({ text }) => JsonText.lines(text, path)),
    change: (path: Path, change: Change, headerComment?: string) =>
      Effect.suspend(() => {
        pending = [...pending, { path, change, headerComment }]
        return Effect.asVoid(FiberHandle.run(writer, backgroundFlush, { onlyIfMissing: true }))
      }),
    changeNow,
    pending: Effect.sync(() => pending.map(({ path }) => path)),
    flush
  }
})

/** The files of this process, each read once and cached until the scope closes. */
export const make = Effect.gen(function*() {
  const { folders } = yield* Environment
  const open = Database.attempt("", () => {
    PrivateFolder.make(folders.state)
    return NodeSqlite.open(join(folders.state, "files.lock"), { timeout: 5 })
  })
  /** A transaction whose commit is refused is tried again; its body has run under the lock, and does not run again. */
  const withLock: WithLock = <A>(file: string, body: () => A) =>
    Effect.suspend(() => {
      let result: Result.Result<A, Error> | undefined
      const runOnce = () => result ??= Result.try({ try: body, catch: (error) => error as Error })
      return Effect.acquireUseRelease(
        open,
        (db) => Database.attempt("", () => Database.transaction(db, runOnce)),
        (db) => Effect.sync(() => db.close())
      )
    }).pipe(
      Effect.flatMap(Effect.fromResult),
      Effect.mapError(fileError(file, "written"))
    )

  const files = yield* RcMap.make({ lookup: (file: string) => openFile(file, withLock), idleTimeToLive: Duration.infinity })
  return JsonFiles.of({
    at: (file, headerComment) =>
      Effect.map(Effect.scoped(RcMap.get(files, file)), (jsonFile): JsonFile => ({
        ...jsonFile,
        change: (path, change) => jsonFile.change(path, change, headerComment),
        changeNow: (path, decide) => jsonFile.changeNow(path, decide, headerComment)
      }))
  })
})

export const layer: Layer.Layer<JsonFiles, never, Environment> = Layer.effect(JsonFiles, make)
