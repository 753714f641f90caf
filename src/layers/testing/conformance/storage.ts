/**
 * The contract of every storage back-end, as cases that any test runner can run: a case fails with an assertion.
 *
 *     for (const { name, run } of StorageConformance.cases({ backend: MyBackend })) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { LogError } from "../../../domain/session/LogError.ts"
import { type Line, Storage, type Summary } from "../../../services/Storage.ts"
import type { Backend } from "../../storage/Backend.ts"
import { sha256 } from "../../storage/Digest.ts"

/** One promise of every storage; the effect fails if it is broken. */
export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, LogError>
}

type Store = Storage["Service"]

/** The lines of a log, chained as the event log chains them; `from` on, `count` of them. */
export const lines = (count: number, from = 0, name = "event"): ReadonlyArray<Line> =>
  chainLines(Array.from({ length: from + count }, (_, seq) => ({ _tag: name, text: `${name} ${seq} – ünïcödé 🌱` }))).slice(from)

/** Lines of these events, chained. */
const chainLines = (events: ReadonlyArray<object>): ReadonlyArray<Line> => {
  const log: Array<Line> = []
  for (const [seq, event] of events.entries()) {
    const prev = log.at(-1)?.hash ?? ""
    const body = JSON.stringify({ v: 1, seq, time: seq, event })
    log.push({ seq, prev, hash: sha256(`${prev}\n${body}`), body })
  }
  return log
}

/** A session as storages list it. */
export const summary = (updated: number, cwd = "/home/ada/project"): Omit<Summary, "id" | "events"> => ({
  cwd,
  title: `At ${updated}`,
  model: "scripted/turns",
  created: 1,
  updated
})

const options = (updated = 1, cwd?: string) => ({ sync: false, summary: summary(updated, cwd) })
const bytes = (text: string) => new TextEncoder().encode(text)

/** The reason of a failure; an assertion fails if there is none. */
const reason = <A>(effect: Effect.Effect<A, LogError>) =>
  Effect.map(Effect.result(effect), (result) => {
    assert.ok(Result.isFailure(result), "it should have been refused")
    return result.failure.reason._tag
  })

/** A new folder, removed with the scope. */
const temporaryFolder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-storage-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "data")
)

/** Each case gets its own place; `open` opens a handle on it, closed with the scope. */
const withPlace = <A>(
  { backend, place }: Required<Subject>,
  body: (open: Effect.Effect<Store, LogError, Scope.Scope>) => Effect.Effect<A, LogError, Scope.Scope>
): Effect.Effect<void, LogError> =>
  Effect.scoped(
    Effect.flatMap(place, (place) => body(Effect.map(Effect.suspend(() => Layer.build(backend.layer(place))), Context.get(Storage))))
  ).pipe(Effect.asVoid)

type Body = (store: Store) => Effect.Effect<void, LogError, Scope.Scope>

/** What one handle promises. */
const storeCases: Readonly<Record<string, Body>> = {
  "gives back what was appended, in order, from any place on": (store) =>
    Effect.gen(function*() {
      const log = lines(10)
      yield* store.append("a", log.slice(0, 1), options())
      yield* store.append("a", log.slice(1, 4), options())
      yield* store.append("a", log.slice(4), { ...options(), sync: true })
      assert.deepEqual(yield* store.read("a", 0), log)
      assert.deepEqual(yield* store.read("a", 7), log.slice(7))
      assert.deepEqual(yield* store.read("a", 10), [])
    }),

  "knows nothing of a session that is not there": (store) =>
    Effect.gen(function*() {
      assert.deepEqual(yield* store.read("nobody", 0), [])
      assert.deepEqual(yield* store.list({}), [])
      assert.equal(yield* store.getDraft("nobody"), null)
      yield* store.remove("nobody")
    }),

  "refuses lines that don't follow, and keeps none of them": (store) =>
    Effect.gen(function*() {
      const log = lines(6)
      const other = lines(6, 0, "other")
      yield* store.append("a", log.slice(0, 2), options())
      assert.equal(yield* reason(store.append("a", log.slice(3), options(9))), "Corrupt")
      assert.equal(yield* reason(store.append("a", log.slice(1), options(9))), "Corrupt")
      assert.equal(yield* reason(store.append("a", other.slice(2), options(9))), "Corrupt")
      assert.equal(yield* reason(store.append("a", [log[2]!, log[4]!], options(9))), "Corrupt")
      assert.equal(yield* reason(store.append("b", log.slice(1), options(9))), "Corrupt")
      assert.deepEqual(yield* store.read("a", 0), log.slice(0, 2))
      assert.deepEqual(yield* store.list({}), [{ ...summary(1), id: "a", events: 2 }])
      yield* store.append("a", log.slice(2), options())
      assert.deepEqual(yield* store.read("a", 0), log)
    }),

  "takes appends of many sessions at once, and keeps each in order": (store) =>
    Effect.gen(function*() {
      const log = lines(50)
      const ids = Array.from({ length: 16 }, (_, i) => `session-${i}`)
      yield* Effect.forEach(ids, (id) =>
        Effect.forEach(log, (line, i) => store.append(id, [line], { ...options(), sync: i % 10 === 0 }), { discard: true }), {
        concurrency: "unbounded",
        discard: true
      })
      for (const id of ids)
        assert.deepEqual(yield* store.read(id, 0), log)
    }),

  "refuses a bad append beside good ones without harming them": (store) =>
    Effect.gen(function*() {
      const results = yield* Effect.forEach(
        ["a", "b", "c", "d"],
        (id) => Effect.result(store.append(id, lines(2, id === "c" ? 1 : 0), options())),
        { concurrency: "unbounded" }
      )
      assert.deepEqual(results.map(Result.isSuccess), [true, true, false, true])
      assert.deepEqual((yield* store.list({})).map(({ id }) => id).sort(), ["a", "b", "d"])
    }),

  "lists the newest first, of one folder or of all, as the last append told them": (store) =>
    Effect.gen(function*() {
      const log = lines(3)
      yield* store.append("a", log.slice(0, 1), options(10))
      yield* store.append("b", log.slice(0, 1), options(20, "/elsewhere"))
      yield* store.append("c", log, options(30))
      yield* store.append("a", log.slice(1, 2), options(40))
      const a = { ...summary(40), id: "a", events: 2 }
      const b = { ...summary(20, "/elsewhere"), id: "b", events: 1 }
      const c = { ...summary(30), id: "c", events: 3 }
      assert.deepEqual(yield* store.list({}), [a, c, b])
      assert.deepEqual(yield* store.list({ limit: 2 }), [a, c])
      assert.deepEqual(yield* store.list({ cwd: "/elsewhere" }), [b])
      assert.deepEqual(yield* store.list({ cwd: a.cwd, limit: 1 }), [a])
      const subsession = { ...summary(10), id: "d", events: 1, parent: "a" }
      yield* store.append("d", lines(1), { sync: false, summary: { ...summary(10), parent: "a" } })
      assert.deepEqual(yield* store.list({ parent: "a" }), [subsession])
      assert.deepEqual(yield* store.list({ parent: null }), [a, c, b])
      assert.deepEqual(yield* store.list({ parent: null, cwd: "/elsewhere" }), [b])
      assert.deepEqual(yield* store.list({ id: b.id }), [b])
      assert.deepEqual(yield* store.list({ id: "missing" }), [])
    }),

  "keeps blobs by their digest, small, large and empty, and each once": (store) =>
    Effect.gen(function*() {
      const blobs = [
        bytes(""),
        bytes("small"),
        bytes("repeated ".repeat(100_000)),
        Uint8Array.from({ length: 400_000 }, (_, i) => (i * i) >> 7)
      ]
      for (const blob of blobs) {
        yield* store.putBlob(sha256(blob), blob)
        yield* store.putBlob(sha256(blob), blob)
      }
      for (const blob of blobs) assert.deepEqual(Buffer.from(yield* store.getBlob(sha256(blob))), Buffer.from(blob))
      assert.equal(yield* reason(store.getBlob(sha256("never put"))), "NotFound")
    }),

  "keeps blobs that come with the lines that name them, or neither": (store) =>
    Effect.gen(function*() {
      const [namedBlob, refusedBlob] = [bytes("named by an event"), bytes("named by an event that does not follow")]
      yield* store.append("a", lines(1), { ...options(), blobs: new Map([[sha256(namedBlob!), namedBlob!]]) })
      assert.deepEqual(Buffer.from(yield* store.getBlob(sha256(namedBlob!))), Buffer.from(namedBlob!))
      assert.equal(
        yield* reason(store.append("a", lines(1), { ...options(), blobs: new Map([[sha256(refusedBlob!), refusedBlob!]]) })),
        "Corrupt"
      )
      assert.equal(yield* reason(store.getBlob(sha256(refusedBlob!))), "NotFound")
    }),

  "keeps the last draft of a session until it is taken away": (store) =>
    Effect.gen(function*() {
      yield* store.putDraft("a", bytes("one"))
      yield* store.putDraft("a", bytes("two"))
      yield* store.putDraft("b", bytes("other"))
      assert.deepEqual(Buffer.from((yield* store.getDraft("a"))!), Buffer.from("onetwo"))
      yield* store.putDraft("a", null)
      assert.equal(yield* store.getDraft("a"), null)
      assert.deepEqual(Buffer.from((yield* store.getDraft("b"))!), Buffer.from("other"))
    }),

  "leases a session to one writer at a time": (store) =>
    Effect.gen(function*() {
      yield* Effect.scoped(Effect.gen(function*() {
        yield* store.lease("a")
        yield* store.lease("b")
        assert.equal(yield* reason(Effect.scoped(store.lease("a"))), "Locked")
      }))
      yield* store.lease("a")
    }),

  "removes a session with its draft, and leaves the others and the blobs": (store) =>
    Effect.gen(function*() {
      const blob = bytes("shared by a fork")
      yield* store.append("a", lines(3), options())
      yield* store.append("b", lines(2), options())
      yield* store.putDraft("a", bytes("draft"))
      yield* store.putBlob(sha256(blob), blob)
      yield* store.remove("a")
      assert.deepEqual(yield* store.read("a", 0), [])
      assert.equal(yield* store.getDraft("a"), null)
      assert.deepEqual((yield* store.list({})).map(({ id }) => id), ["b"])
      assert.deepEqual(yield* store.read("b", 0), lines(2))
      assert.deepEqual(Buffer.from(yield* store.getBlob(sha256(blob))), Buffer.from(blob))
      yield* store.append("a", lines(1), options())
      assert.deepEqual(yield* store.read("a", 0), lines(1))
    }),

  "does not remove a session that is being written": (store) =>
    Effect.gen(function*() {
      yield* store.append("a", lines(1), options())
      yield* store.lease("a")
      assert.equal(yield* reason(store.remove("a")), "Locked")
      assert.deepEqual(yield* store.read("a", 0), lines(1))
    }),

  "finds events that hold all the words, whoever appended them, and forgets those of a removed session": (store) =>
    Effect.gen(function*() {
      const userMessage = (text: string) => ({ _tag: "UserSaid", text, delivery: "task" })
      yield* store.append("a", chainLines([userMessage("mend the race condition"), userMessage("thanks")]), options(1))
      yield* store.append("b", chainLines([userMessage("mend the fence")]), options(2))
      const ids = (query: string) =>
        Effect.map(store.search(query, { limit: 10 }), (hits) => hits.map(({ seq, session }) => [session.id, seq]).toSorted())
      assert.deepEqual(yield* ids("mend"), [["a", 0], ["b", 0]])
      assert.deepEqual(yield* ids("\"race condition\" mend"), [["a", 0]])
      assert.deepEqual(yield* ids("mend thanks"), [])
      yield* store.append("b", chainLines([userMessage("mend the fence"), userMessage("and the gate")]).slice(1), options(3))
      assert.deepEqual(yield* ids("gate"), [["b", 1]])
      yield* store.remove("b")
      assert.deepEqual(yield* ids("mend"), [["a", 0]])
    }),

  "packs a log that is read and appended to as before": (store) =>
    Effect.gen(function*() {
      yield* store.append("a", lines(5), options())
      yield* store.archive("a")
      assert.equal((yield* store.list({}))[0]?.archived, true)
      yield* store.append("a", lines(3, 5), options())
      assert.deepEqual(yield* store.read("a", 0), lines(8))
      for (const from of [3, 4, 5, 6, 7, 8]) assert.deepEqual(yield* store.read("a", from), lines(8).slice(from))
      yield* store.archive("a")
      assert.deepEqual(yield* store.read("a", 0), lines(8))
      yield* store.remove("a")
      assert.deepEqual(yield* store.read("a", 0), [])
    }),

  "removes blobs that no event names, unless a session is open": (store) =>
    Effect.gen(function*() {
      const [namedBlob, packedBlob, freeBlob] = ["named", "packed", "free"].map(bytes)
      for (const blob of [namedBlob!, packedBlob!, freeBlob!]) yield* store.putBlob(sha256(blob), blob)
      yield* store.append("a", lines(1, 0, sha256(namedBlob!)), options())
      yield* store.append("b", lines(1, 0, sha256(packedBlob!)), options())
      yield* store.archive("b")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* store.lease("a")
        assert.equal(yield* store.sweep, null)
      }))
      assert.equal(yield* store.sweep, 1)
      assert.equal(yield* reason(store.getBlob(sha256(freeBlob!))), "NotFound")
      yield* store.getBlob(sha256(namedBlob!))
      yield* store.getBlob(sha256(packedBlob!))
    })
}

type ReopenBody = (open: Effect.Effect<Store, LogError, Scope.Scope>) => Effect.Effect<void, LogError, Scope.Scope>

/** What handles on one folder promise each other. */
const reopenCases: Readonly<Record<string, ReopenBody>> = {
  "has everything when it is opened again": (open) =>
    Effect.gen(function*() {
      const blob = bytes("kept ".repeat(1000))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* open
        yield* store.append("a", lines(5), options(7))
        yield* store.putBlob(sha256(blob), blob)
        yield* store.putDraft("a", bytes("half an answer"))
      }))
      const store = yield* open
      assert.deepEqual(yield* store.read("a", 0), lines(5))
      assert.deepEqual(yield* store.list({}), [{ ...summary(7), id: "a", events: 5 }])
      assert.deepEqual(Buffer.from(yield* store.getBlob(sha256(blob))), Buffer.from(blob))
      assert.deepEqual(Buffer.from((yield* store.getDraft("a"))!), Buffer.from("half an answer"))
    }),

  "writes what was asked before it closes": (open) =>
    Effect.gen(function*() {
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* open
        const log = lines(200)
        for (const line of log) yield* Effect.forkDetach(store.append("a", [line], options()), { startImmediately: true })
      }))
      const store = yield* open
      assert.deepEqual(yield* store.read("a", 0), lines(200))
    }),

  "tells one handle when the other has appended, with no gap and no repeat": (open) =>
    Effect.gen(function*() {
      const [one, two] = [yield* open, yield* open]
      yield* one.append("a", lines(1), options())
      const seen: Array<number> = []
      const isBehind = yield* Queue.unbounded<void>()
      const follower = yield* two.watch("a").pipe(
        Stream.mapEffect(() => two.read("a", seen.length)),
        Stream.runForEach((added) =>
          Effect.andThen(Effect.sync(() => seen.push(...added.map(({ seq }) => seq))), Queue.offer(isBehind, undefined))
        ),
        Effect.forkChild({ startImmediately: true })
      )
      for (let count = 1; count <= 20; count++) {
        while (seen.length < count) yield* Queue.take(isBehind)
        yield* one.append("a", lines(1, count), options())
        if (count % 5 === 0) yield* one.append("b", lines(1, count / 5 - 1), options())
      }
      while (seen.length < 21) yield* Queue.take(isBehind)
      assert.deepEqual(seen, Array.from({ length: 21 }, (_, seq) => seq))
      yield* Fiber.interrupt(follower)
    }),

  "shows one handle what the other wrote, and lets only one of them write": (open) =>
    Effect.gen(function*() {
      const [one, two] = [yield* open, yield* open]
      yield* Effect.scoped(Effect.gen(function*() {
        yield* one.lease("a")
        yield* one.append("a", lines(2), options())
        assert.equal(yield* reason(Effect.scoped(two.lease("a"))), "Locked")
        assert.equal(yield* reason(two.remove("a")), "Locked")
        assert.deepEqual(yield* two.read("a", 0), lines(2))
      }))
      yield* two.lease("a")
      yield* two.append("a", lines(2, 2), options())
      assert.deepEqual(yield* one.read("a", 0), lines(4))
    })
}

/** The back-end under test. `place`: where a new, empty store can be opened; by default, a temporary folder. */
export interface Subject {
  readonly backend: Backend
  readonly place?: Effect.Effect<string, LogError, Scope.Scope>
}

/** Every promise that this back-end makes. */
export const cases = ({ backend, place = temporaryFolder }: Subject): ReadonlyArray<Case> => [
  ...Object.entries(storeCases).map(([name, body]) => ({
    name,
    run: withPlace({ backend, place }, (open) => Effect.flatMap(open, body))
  })),
  ...(backend.durable ? Object.entries(reopenCases) : []).map(([name, body]) => ({ name, run: withPlace({ backend, place }, body) }))
]
