import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as HashChain from "../../../src/layers/storage/HashChain.ts"
import * as Salvage from "../../../src/layers/storage/sqlite/Salvage.ts"
import * as Sqlite from "../../../src/layers/storage/sqlite/Sqlite.ts"
import type { SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"
import { Storage } from "../../../src/services/Storage.ts"
import { summary } from "../../../src/layers/testing/conformance/storage.ts"
import { said, started } from "../../domain/session/log.ts"

const chained = (...events: ReadonlyArray<Settled>) =>
  HashChain.lines(HashChain.rehash(events.map((event, seq): SessionEvent => ({ v: 1, seq, time: seq, prev: "", hash: "", event })), (event) => event))

it.live("archived logs and forks are salvaged whole, each under its own name", () =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-salvage-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
    const start = started() as Extract<Settled, { _tag: "SessionStarted" }>
    const log = chained(start, ...Array.from({ length: 40 }, (_, i) => said(`word ${i} `.repeat(20))))
    const fork = chained(start, said("word 0 ".repeat(20)), { ...start, id: "s2", origin: { id: "s1", seq: 1, hash: log[1]!.hash } })
    const packed = chained({ ...start, id: "s3" }, said("only packed ".repeat(20)))
    const options = { sync: false, summary: summary(1) }
    yield* Effect.gen(function*() {
      const store = yield* Storage
      yield* store.append("s1", log.slice(0, 30), options)
      yield* store.archive("s1")
      yield* store.append("s1", log.slice(30), options)
      yield* store.append("s2", fork, options)
      yield* store.append("s3", packed, options)
      yield* store.archive("s3")
    }).pipe(Effect.provide(Sqlite.layerIn(folder)))
    const { logs } = yield* Salvage.read(join(folder, "sessions.db"))
    const found = new Map(logs.map(({ id, lines }) => [id, lines.map(({ hash }) => hash)]))
    expect(found.get("s1")).toEqual(log.map(({ hash }) => hash))
    expect(found.get("s2")).toEqual(fork.map(({ hash }) => hash))
    expect(found.get("s3")).toEqual(packed.map(({ hash }) => hash))
  }).pipe(Effect.scoped))
