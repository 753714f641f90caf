/** Tenants of a PostgreSQL store, against a real server: what each sees, and counts that hold however many processes count. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Tenant } from "../../../src/domain/config/Tenants.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import type { Backend } from "../../../src/layers/storage/Backend.ts"
import * as Connection from "../../../src/layers/storage/postgres/Connection.ts"
import * as Postgres from "../../../src/layers/storage/postgres/Postgres.ts"
import * as conformance from "../../../src/layers/testing/conformance/storage.ts"
import { Tenants } from "../../../src/services/cluster/Tenants.ts"
import { Storage } from "../../../src/services/Storage.ts"
import * as PostgresServer from "./PostgresServer.ts"

const tenant = (name: string, limits: Tenant["limits"] = {}): Tenant => ({ name, tokenHashes: [], limits })

describe.skipIf(!PostgresServer.isInstalled)("tenants of a postgres store", () => {
  let server: PostgresServer.Server
  beforeAll(async () => {
    server = await PostgresServer.start(["max_connections=200"])
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const place = Effect.sync(() => server.address())
  const open = (address: string) => Effect.map(Layer.build(Postgres.layerAt(address)), (services) => ({ all: Context.get(services, Storage), tenants: Context.get(services, Tenants)! }))
  const options = { sync: true, summary: conformance.summary(1) }

  /** What the cluster's library makes, as far as a count reads it. */
  const makeMessages = (address: string) => {
    const table = `${Connection.clusterPrefix(Connection.parse(address)!.schema)}_messages`
    return Effect.as(PostgresServer.query(address, `CREATE TABLE ${table} (entity_id text, tag text, processed boolean NOT NULL)`), table)
  }

  const ofTenant: Backend = {
    name: "postgres, of a tenant",
    durable: true,
    layer: (address) => Layer.effect(Storage, Effect.map(open(address), ({ tenants }) => tenants.storage("acme")))
  }
  // A tenant removes nothing that all share.
  for (const { name, run } of conformance.cases({ backend: ofTenant, place }).filter(({ name }) => !name.includes("blobs that no event"))) it.live(name, () => run)

  it.live("come to a store from before there were any, whose sessions belong to nobody", () =>
    Effect.gen(function*() {
      const address = server.address()
      const log = conformance.lines(3)
      yield* Effect.scoped(Effect.flatMap(open(address), ({ all }) => all.append("old", log, options)))
      for (const statement of ["DELETE FROM migration WHERE version = 2", "ALTER TABLE session DROP COLUMN tenant", "DROP TABLE tenant, admission, reservation"]) {
        yield* PostgresServer.query(address, statement)
      }
      const { all, tenants } = yield* open(address)
      assert.deepStrictEqual(yield* all.read("old", 0), log)
      assert.isUndefined(yield* tenants.tenantOf("old"))
      assert.deepStrictEqual(yield* tenants.storage("acme").list({}), [])
    }).pipe(Effect.scoped))

  it.live("do not see, change, hold or find what is another's", () =>
    Effect.gen(function*() {
      const { all, tenants } = yield* open(server.address())
      const [acme, globex] = [tenants.storage("acme"), tenants.storage("globex")]
      const log = conformance.lines(3)
      yield* tenants.claim("acme", "a")
      yield* acme.append("a", log, options)
      yield* acme.append("child", log, { ...options, summary: { ...conformance.summary(2), parent: "a" } })
      yield* all.append("nobody's", log, options)
      yield* acme.putDraft("a", new TextEncoder().encode("draft"))
      assert.deepStrictEqual([yield* tenants.tenantOf("a"), yield* tenants.tenantOf("child"), yield* tenants.tenantOf("nobody's")], ["acme", "acme", undefined])
      for (const other of ["a", "child", "nobody's"]) {
        assert.deepStrictEqual(yield* globex.read(other, 0), [])
        assert.deepStrictEqual(yield* globex.list({ id: other }), [])
        assert.strictEqual(yield* globex.getDraft(other), null)
        yield* globex.remove(other)
        yield* globex.archive(other)
        assert.strictEqual((yield* Effect.flip(globex.putDraft(other, null))).reason._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(Effect.scoped(globex.lease(other)))).reason._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(globex.append(other, log, options))).reason._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(tenants.claim("globex", other))).reason._tag, "NotFound")
      }
      assert.deepStrictEqual([yield* globex.list({}), yield* globex.list({ parent: "a" })], [[], []])
      assert.deepStrictEqual((yield* acme.list({})).map(({ id }) => id).toSorted(), ["a", "child"])
      assert.deepStrictEqual((yield* acme.list({ parent: "a" })).map(({ id }) => id), ["child"])
      assert.deepStrictEqual([yield* acme.read("a", 0), yield* acme.getDraft("a")], [log, new TextEncoder().encode("draft")])
      assert.strictEqual((yield* all.list({})).length, 3)
    }).pipe(Effect.scoped))

  it.live("send as many messages in a minute as their limit allows, over all processes", () =>
    Effect.gen(function*() {
      const address = server.address()
      const processes = yield* Effect.all([open(address), open(address), open(address)])
      yield* makeMessages(address)
      yield* processes[0]!.tenants.define([tenant("acme", { messagesPerMinute: 10 }), tenant("globex")])
      const waits = yield* Effect.forEach(Array.from({ length: 60 }, (_, i) => processes[i % 3]!), ({ tenants }) => tenants.countMessage("acme"), { concurrency: "unbounded" })
      assert.strictEqual(waits.filter((ms) => ms === 0).length, 10)
      for (const ms of waits.filter((one) => one !== 0)) assert.isTrue(ms > 50_000 && ms <= 60_000, `${ms}`)
      assert.strictEqual(yield* processes[1]!.tenants.countMessage("globex"), 0)
      yield* PostgresServer.query(address, "UPDATE tenant SET messages = array(SELECT m - interval '59 seconds' FROM unnest(messages) m)")
      const soon = yield* processes[2]!.tenants.countMessage("acme")
      assert.isTrue(soon > 0 && soon <= 1_000, `${soon}`)
      yield* PostgresServer.query(address, "UPDATE tenant SET messages = array(SELECT m - interval '2 seconds' FROM unnest(messages) m)")
      assert.strictEqual(yield* processes[2]!.tenants.countMessage("acme"), 0)
    }).pipe(Effect.scoped))

  it.live("work in as many sessions as their limit allows: admitted ones, and those with an unanswered message", () =>
    Effect.gen(function*() {
      const address = server.address()
      const processes = yield* Effect.all([open(address), open(address), open(address)])
      const messages = yield* makeMessages(address)
      const { tenants } = processes[0]!
      yield* tenants.define([tenant("acme", { sessions: 3 }), tenant("globex", { sessions: 1 })])
      // Transactions that wait for each other open all connections.
      yield* Effect.forEach(Array.from({ length: 15 }, (_, i) => processes[i % 3]!), (one) => one.tenants.define([tenant("globex", { sessions: 1 })]), { concurrency: "unbounded", discard: true })
      const ids = Array.from({ length: 30 }, (_, i) => `s${i}`)
      yield* Effect.forEach(ids, (id) => tenants.claim("acme", id), { discard: true })
      const admissions = yield* Effect.forEach(ids, (id, i) => processes[i % 3]!.tenants.admit("acme", id, "m"), { concurrency: "unbounded" })
      const admitted = ids.filter((_, i) => admissions[i])
      assert.strictEqual(admitted.length, 3)
      const [first, second] = admitted as [string, string]
      assert.isTrue(yield* tenants.admit("acme", first, "another message to it"))
      // Its work is stored, and then answered.
      yield* PostgresServer.query(address, `INSERT INTO ${messages} VALUES ('${first}', 'Work', false)`)
      yield* tenants.admitted(first, "m")
      yield* tenants.admitted(first, "another message to it")
      const next = ids.find((id) => !admitted.includes(id))!
      assert.isFalse(yield* tenants.admit("acme", next, "m"))
      yield* PostgresServer.query(address, `UPDATE ${messages} SET processed = true`)
      assert.isTrue(yield* tenants.admit("acme", next, "m"))
      assert.isFalse(yield* tenants.admit("acme", first, "m"))
      // A gateway that died in between holds nothing for long.
      yield* PostgresServer.query(address, `UPDATE admission SET until = clock_timestamp() WHERE session = '${second}'`)
      assert.isTrue(yield* tenants.admit("acme", first, "m"))
      assert.isTrue(yield* tenants.admit("globex", "g", "m"))
    }).pipe(Effect.scoped))

  it.live("spend in a day what their limit allows, and what is never settled counts", () =>
    Effect.gen(function*() {
      const address = server.address()
      const processes = yield* Effect.all([open(address), open(address), open(address)])
      yield* makeMessages(address)
      yield* processes[0]!.tenants.define([tenant("acme", { usdPerDay: 1 })])
      const spending = processes.map(({ tenants }) => tenants.spending("acme"))
      const session = (i: number): Session.Session => ({ ...Session.empty, id: `s${i}`, seq: 7 })
      const day = "2026-11-26"
      const reserved = yield* Effect.forEach(Array.from({ length: 60 }, (_, i) => i), (i) => spending[i % 3]!.reserve(session(i), day, 0.1, 1 + 1e-9), { concurrency: "unbounded" })
      const holders = reserved.flatMap((isReserved, i) => isReserved ? [i] : [])
      assert.strictEqual(holders.length, 10)
      assert.deepStrictEqual([yield* spending[0]!.limit, Math.round(100 * (yield* spending[1]!.spent(session(0), day)))], [1, 100])
      // A statement whose answer was lost is sent again.
      assert.isTrue(yield* spending[holders[0]! % 3]!.reserve(session(holders[0]!), day, 0.1, 1 + 1e-9))
      assert.strictEqual(Math.round(100 * (yield* spending[1]!.spent(session(0), day))), 100)
      yield* spending[holders[0]! % 3]!.reserve(session(holders[0]!), day, 0.1, 2)
      assert.strictEqual(Math.round(100 * (yield* spending[1]!.spent(session(0), day))), 100)
      for (const i of holders.slice(0, 5)) {
        yield* spending[i % 3]!.settle(session(i), 0.1, 0.02)
        yield* spending[i % 3]!.settle(session(i), 0.1, 0)
      }
      assert.strictEqual(Math.round(100 * (yield* spending[1]!.spent(session(0), day))), 60)
      // The next day begins with nothing, and a clock that is late does not bring the old one back.
      assert.isTrue(yield* spending[0]!.reserve(session(90), "2026-11-27", 0.9, 1))
      assert.isFalse(yield* spending[1]!.reserve(session(91), day, 0.2, 1))
      const [late] = holders.slice(5)
      yield* spending[late! % 3]!.settle(session(late!), 0.1, 0)
      assert.strictEqual(Math.round(100 * (yield* spending[2]!.spent(session(0), "2026-11-27"))), 90)
      yield* processes[1]!.tenants.define([tenant("acme")])
      assert.strictEqual(yield* spending[0]!.limit, undefined)
    }).pipe(Effect.scoped))
})
