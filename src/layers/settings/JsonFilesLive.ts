/**
 * Kept files on the local disk. A change waits half a second for others, then the file is read, changed and replaced
 * under a lock that all processes share: a lock of SQLite's, which the kernel takes back from a process that dies.
 */
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FiberHandle from "effect/FiberHandle"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import { Environment } from "../../services/Environment.ts"
import { type Change, type KeptFile, KeptFiles, type Path } from "../../services/JsonFiles.ts"
import * as Folder from "../storage/PrivateFolder.ts"
import * as NodeSqlite from "../storage/sqlite/NodeSqlite.ts"
import * as SqliteFile from "../storage/sqlite/Database.ts"
import * as JsonText from "./JsonText.ts"
import * as ReplaceFile from "./ReplaceFile.ts"

/** How long a change waits for others to be written with it. */
const debounce = "500 millis"

/** A write that failed is tried again, for as long as this process lives. */
const backoff = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

interface Pending {
  readonly path: Path
  readonly change: Change
  readonly about: string | undefined
}

/** Runs `body` while no other process does the same. */
type Locked = <A>(file: string, body: () => A) => Effect.Effect<A, SettingsError>

const unusable = (file: string, what: "read" | "written") => (error: { readonly message: string }): SettingsError =>
  error instanceof SettingsError ? error : new SettingsError({ where: file, message: `can't be ${what}: ${error.message}` })

/** Reads and applies what is pending; a file that is no JSON is left as it is. */
const next = (file: string, pending: ReadonlyArray<Pending>): { readonly before: string; readonly after: string } => {
  const before = ReplaceFile.read(file)
  const parsed = JsonText.parse(before)
  if (Result.isFailure(parsed)) throw new SettingsError({ where: `${file}:${parsed.failure.line}`, message: parsed.failure.why })
  return { before, after: pending.reduce((text, { about, change, path }) => JsonText.changed(text, path, change, about), before) }
}

const keep = Effect.fnUntraced(function*(file: string, locked: Locked) {
  let pending: ReadonlyArray<Pending> = []
  let told = false
  const turn = yield* Semaphore.make(1)
  const writer = yield* FiberHandle.make<void, never>()

  const write = (changes: ReadonlyArray<Pending>) => {
    const { after, before } = next(file, changes)
    if (after !== before) ReplaceFile.write(file, after)
  }

  const changeNow = <A>(path: Path, decide: (before: Schema.Json | undefined) => readonly [A, Schema.Json | undefined], about?: string) =>
    locked(file, () => {
      let result: A
      const change: Change = (before) => {
        const [made, after] = decide(before)
        result = made
        return after
      }
      write([{ path, change, about }])
      return result!
    }).pipe(Effect.uninterruptible, turn.withPermits(1))

  /** One after the other: what two wrote at once would be there twice. */
  const flush = Effect.suspend(() => {
    const now = pending
    return now.length === 0 ? Effect.void : Effect.map(locked(file, () => write(now)), () => {
      pending = pending.filter((one) => !now.includes(one))
      told = false
    })
  }).pipe(Effect.uninterruptible, turn.withPermits(1))

  /** What can't be written is said once, and tried again. */
  const tell = (error: SettingsError) =>
    Effect.suspend(() => {
      if (told) return Effect.void
      told = true
      return Effect.logWarning(`${error.where} ${error.message}. What was changed is kept in memory and written when that works.`)
    })

  const behind = flush.pipe(
    Effect.tapError(tell),
    Effect.retry(backoff),
    Effect.orDie,
    Effect.delay(debounce),
    Effect.repeat({ while: () => pending.length > 0 }),
    Effect.asVoid
  )

  yield* Effect.addFinalizer(() => Effect.catch(flush, tell))

  /** What the file says, read again where it is another than it was or may have been written at the moment when it was read. */
  let known: { readonly stamp: string; readonly value: Schema.Json | undefined } | undefined
  const read = (now: number) => {
    const stamp = pending.length === 0 ? ReplaceFile.stamp(file, now) : undefined
    if (stamp !== undefined && stamp === known?.stamp) return known.value
    const value = Result.getOrUndefined(JsonText.parse(next(file, pending).after))
    known = stamp === undefined ? undefined : { stamp, value }
    return value
  }

  return {
    value: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.try({ try: () => read(now), catch: (error) => unusable(file, "read")(error as Error) })),
    lines: (path: Path) =>
      Effect.try({ try: () => JsonText.lines(next(file, pending).after, path), catch: (error) => unusable(file, "read")(error as Error) }),
    change: (path: Path, change: Change, about?: string) =>
      Effect.suspend(() => {
        pending = [...pending, { path, change, about }]
        return Effect.asVoid(FiberHandle.run(writer, behind, { onlyIfMissing: true }))
      }),
    changeNow,
    pending: Effect.sync(() => pending.map(({ path }) => path)),
    flush
  }
})

export const layer: Layer.Layer<KeptFiles, never, Environment> = Layer.effect(KeptFiles, Effect.gen(function*() {
  const { folders } = yield* Environment
  const scope = yield* Effect.scope
  const open = SqliteFile.attempt("", () => {
    Folder.make(folders.state)
    return NodeSqlite.open(join(folders.state, "files.lock"), { timeout: 5 })
  })
  const locked: Locked = (file, body) =>
    Effect.acquireUseRelease(
      open,
      (db) => SqliteFile.attempt("", () => SqliteFile.transaction(db, () => Result.try({ try: body, catch: (error) => error as Error }))),
      (db) => Effect.sync(() => db.close())
    ).pipe(
      Effect.flatMap(Effect.fromResult),
      Effect.mapError(unusable(file, "written"))
    )

  const files = yield* RcMap.make({ lookup: (file: string) => keep(file, locked) })
  return KeptFiles.of({
    at: (file, about) =>
      Effect.map(RcMap.get(files, file).pipe(Scope.provide(scope)), (kept): KeptFile => ({
        ...kept,
        change: (path, change) => kept.change(path, change, about),
        changeNow: (path, decide) => kept.changeNow(path, decide, about)
      }))
  })
}))
