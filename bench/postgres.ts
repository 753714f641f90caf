/** Sessions in PostgreSQL beside SQLite: acknowledged appends of 16 writers, listing and searching 10,000 sessions. Needs a server's programs. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogError } from "../src/domain/session/LogError.ts"
import * as HashChain from "../src/layers/storage/HashChain.ts"
import * as Postgres from "../src/layers/storage/postgres/Postgres.ts"
import * as Sqlite from "../src/layers/storage/sqlite/Sqlite.ts"
import { type Line, Storage } from "../src/services/Storage.ts"
import * as PostgresServer from "../test/layers/storage/PostgresServer.ts"
import { median, report } from "./measure.ts"

const words = ["fence", "gate", "basket", "parser", "window", "ledger", "budget", "retry"]
const lines: Array<Line> = []
for (let seq = 0; seq < 400; seq++) {
  const text = `${words[seq % words.length]} ${"a line of output ".repeat(8)}`
  lines.push(HashChain.line(lines.at(-1)?.hash ?? "", seq, seq, { _tag: "UserSaid", text, delivery: "task" }))
}

const options = { sync: true, summary: { cwd: "/home/ada/project", title: "A task", model: "scripted/turns", created: 1, updated: 2 } }
const milliseconds = async (run: Effect.Effect<unknown, LogError>): Promise<number> => {
  const start = performance.now()
  await Effect.runPromise(run)
  return performance.now() - start
}
const writers = 16
const appends = (store: Storage["Service"], name: string) =>
  Effect.forEach(Array.from({ length: writers }, (_, i) => `${name}-${i}`), (id) =>
    Effect.forEach(lines, (line) => store.append(id, [line], options), { discard: true }), { concurrency: "unbounded", discard: true })

const folder = mkdtempSync(join(tmpdir(), "dacapo-bench-"))
const server = await PostgresServer.start(["fsync=on", "shared_buffers=256MB"])
try {
  await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const open = (layer: Layer.Layer<Storage, LogError>) => Effect.map(Layer.build(layer), Context.get(Storage))
    const sqlite = yield* open(Sqlite.layerIn(folder))
    const postgres = yield* open(Postgres.layerAt(server.address()))
    const micros = { sqlite: [] as Array<number>, postgres: [] as Array<number> }
    for (let round = 0; round < 6; round++) {
      for (const [name, store] of [["sqlite", sqlite], ["postgres", postgres]] as const) {
        const ms = yield* Effect.promise(() => milliseconds(appends(store, `round-${round}`)))
        if (round > 0) micros[name].push(ms * 1000 / (writers * lines.length))
      }
    }
    report(`acknowledged appends, ${writers} writers`, "µs", [
      { claim: "PostgreSQL, synchronous commit", ours: median(micros.postgres), peer: { name: "SQLite, synchronous", value: median(micros.sqlite) } }
    ])
    for (const store of [sqlite, postgres]) {
      yield* Effect.forEach(Array.from({ length: 10_000 }, (_, i) => i), (i) => store.append(`stored-${i}`, lines.slice(0, 1 + i % 3), options), {
        concurrency: 64,
        discard: true
      })
    }
    const rows = []
    for (const [claim, run] of [
      ["listing 10,000 sessions", (store: Storage["Service"]) => store.list({})],
      ["searching them, once indexed", (store: Storage["Service"]) => store.search("basket line", { limit: 20 })]
    ] as const) {
      const time = async (store: Storage["Service"]) => {
        const runs = []
        for (let i = 0; i < 6; i++) runs.push(await milliseconds(run(store)))
        return median(runs.slice(1))
      }
      rows.push({ claim, ours: yield* Effect.promise(() => time(postgres)), peer: { name: "SQLite", value: yield* Effect.promise(() => time(sqlite)) } })
    }
    report("10,000 stored sessions", "ms", rows)
  })))
} finally {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
}
