/** The backup of docs/deploying.md: pg_dump and pg_restore bring back every line, blob and draft, and the store goes on from there. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sha256 } from "../../../src/layers/storage/Digest.ts"
import * as Postgres from "../../../src/layers/storage/postgres/Postgres.ts"
import * as conformance from "../../../src/layers/testing/conformance/storage.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as PostgresServer from "./PostgresServer.ts"

const hasTools = spawnSync("pg_dump", ["--version"]).status === 0 && spawnSync("pg_restore", ["--version"]).status === 0

describe.skipIf(!PostgresServer.isInstalled || !hasTools)("a backup of the PostgreSQL store", () => {
  let server: PostgresServer.Server
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const open = (address: string) => Effect.map(Layer.build(Postgres.layerAt(address)), Context.get(Storage))
  const options = { sync: true, summary: conformance.summary(1) }

  it.live("has every line, blob and draft, and the restored store can be written", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "dacapo-backup-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const address = server.address()
      const url = new URL(address)
      const schema = url.searchParams.get("schema")!
      url.search = ""
      const blob = new TextEncoder().encode("a pack of files ".repeat(100))
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* open(address)
        yield* store.lease("a")
        yield* store.append("a", conformance.lines(50), { ...options, blobs: new Map([[sha256(blob), blob]]) })
        yield* store.putDraft("a", new TextEncoder().encode("half"))
        // While the session is open, as a backup of a running cluster is made.
        execFileSync("pg_dump", ["--format=custom", `--schema=${schema}`, `--file=${join(folder, "agents.dump")}`, url.href], { stdio: "pipe" })
      }))
      yield* PostgresServer.query(address, `CREATE DATABASE restored`)
      const restored = new URL(url)
      restored.pathname = "/restored"
      execFileSync("pg_restore", ["--no-owner", `--dbname=${restored.href}`, join(folder, "agents.dump")], { stdio: "pipe" })
      const store = yield* open(`${restored.href}?schema=${schema}`)
      assert.deepStrictEqual(yield* store.read("a", 0), conformance.lines(50))
      assert.deepStrictEqual(Buffer.from(yield* store.getBlob(sha256(blob))), Buffer.from(blob))
      assert.strictEqual(new TextDecoder().decode((yield* store.getDraft("a"))!), "half")
      // The lease in the backup is that of this process's first store, which is closed.
      yield* PostgresServer.query(`${restored.href}?schema=${schema}`, "UPDATE session SET holder = NULL")
      yield* store.lease("a")
      yield* store.append("a", conformance.lines(1, 50), options)
      assert.strictEqual((yield* store.read("a", 0)).length, 51)
    }).pipe(Effect.scoped), 120_000)
})
