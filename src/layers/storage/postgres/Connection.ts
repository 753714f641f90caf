/** Connects to a PostgreSQL server, migrates its tables to the current schema, and classifies its errors. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { LogError } from "../../../domain/session/LogError.ts"
import { sha256 } from "../Digest.ts"
import { migrations } from "./Migrations.ts"

/** The tables are in this schema of the database unless the address names another one with `?schema=`. */
const defaultSchema = "dacapo"

/** Reads and writes of a store. An operation is repeated while the server can't be reached, for at most 15 seconds. */
export interface Connection {
  /**
   * Runs one statement. It must be safe to repeat: a connection can be lost after the server has done it. `onRepeat` is called
   * before it is repeated.
   */
  readonly query: <Row extends object>(
    session: string,
    text: string,
    values?: ReadonlyArray<unknown>,
    onRepeat?: () => void
  ) => Effect.Effect<ReadonlyArray<Row>, LogError>
  /** Runs the statements of `body` in one transaction, which must be safe to repeat. */
  readonly transaction: <A>(
    session: string,
    body: (statement: Statement) => Effect.Effect<A, SqlError | LogError>
  ) => Effect.Effect<A, LogError>
  /** Notifications of a channel, until the scope closes or the connection breaks. */
  readonly listen: PgClient.PgClient["listen"]
  /** The schema of the tables. */
  readonly schema: string
}

/** One statement within a transaction. */
export type Statement = <Row extends object>(text: string, values?: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** How long an unreachable server is waited for. */
const retry = Schedule.min([Schedule.exponential("20 millis", 1.5), Schedule.spaced("500 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ duration: "15 seconds" })
)

/**
 * PostgreSQL's codes for a server that stops, was killed, starts up or is full (postgresql.org/docs/current/errcodes-appendix.html),
 * and for transactions that were in each other's way.
 */
const passing = new Set(["57P01", "57P02", "57P03", "53300", "40P01", "40001"])

const codeOf = ({ reason }: SqlError): string => {
  const { code } = (reason.cause ?? {}) as { readonly code?: unknown }
  return typeof code === "string" ? code : reason._tag
}

const isPassing = (error: SqlError | LogError): boolean =>
  error._tag === "SqlError" && (error.reason._tag === "ConnectionError" || passing.has(codeOf(error)))

/** `address` without the password, for messages. */
export const title = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? "the PostgreSQL server" : `postgres://${url.host}${url.pathname}`
}

/** The parts of `postgres://user@host:port/database?schema=name`: the connection URI, and the schema. Undefined if it is not a URI. */
export const parse = (address: string): { readonly url: string; readonly schema: string } | undefined => {
  const url = URL.parse(address)
  if (url === null) return undefined
  const schema = url.searchParams.get("schema") ?? defaultSchema
  url.searchParams.delete("schema")
  return { url: url.href, schema }
}

/**
 * Tables and advisory locks of a cluster begin with this. The locks belong to the whole database, and each schema is a cluster of its
 * own.
 */
export const clusterPrefix = (schema: string): string => schema === defaultSchema ? "cluster" : `cluster_${sha256(schema).slice(0, 8)}`

/** How every client connects. */
export const options = (url: string, schema: string) => ({
  url: Redacted.make(url),
  applicationName: "dacapo",
  connectTimeout: "5 seconds",
  keepAlive: "10 seconds",
  maxMessageSize: 2 ** 30,
  startupParameters: { search_path: schema, synchronous_commit: "on" }
} as const)

/** Opens the store at `address` (`postgres://user@host:port/database?schema=name`) until the scope closes. */
export const open = Effect.fnUntraced(function*(address: string) {
  const fail = (session: string, code: string, why: string) =>
    new LogError({ session, message: `Can't use the session store at ${title(address)}: ${why}.`, reason: { _tag: "Disk", code } })
  const parts = parse(address)
  if (parts === undefined) {
    return yield* fail("", "ADDRESS", "it is not a valid address; expected postgres://user@host:port/database")
  }
  const { schema, url } = parts
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    return yield* fail("", "ADDRESS", "the name of a schema consists of lower-case letters, digits and _")
  }
  const client = yield* PgClient.make({ ...options(url, schema), maxConnections: 5, multiplex: true }).pipe(
    Effect.provide(Reactivity.layer),
    Effect.mapError((error) => fail("", codeOf(error), reasonText(error)))
  )
  const statement: Statement = <Row extends object>(text: string, values: ReadonlyArray<unknown> = []) => client.unsafe<Row>(text, values)
  const run = <A>(session: string, effect: Effect.Effect<A, SqlError | LogError>, onRepeat = () => {}) =>
    effect.pipe(
      Effect.tapError((error) => Effect.sync(() => isPassing(error) && onRepeat())),
      Effect.retry({ while: isPassing, schedule: retry }),
      Effect.catchTag("SqlError", (error) => Effect.fail(fail(session, codeOf(error), reasonText(error))))
    )
  const connection: Connection = {
    query: (session, text, values, onRepeat) => run(session, statement(text, values), onRepeat),
    transaction: (session, body) => run(session, client.withTransaction(Effect.suspend(() => body(statement)))),
    listen: client.listen,
    schema
  }
  // Not repeated: a wrong address is reported at once.
  yield* Effect.catchTag(
    client.withTransaction(migrate(statement, schema)),
    "SqlError",
    (error) => Effect.fail(fail("", codeOf(error), reasonText(error)))
  )
  return connection
})

/** What the server or the network said. */
const reasonText = ({ reason }: SqlError): string => {
  const { cause } = reason
  const message = cause instanceof Error && cause.message !== "" ? cause.message : reason.message
  return message.replace(/\.$/, "")
}

/** One process migrates at a time; the others wait for it. */
const migrate = Effect.fnUntraced(function*(statement: Statement, schema: string) {
  yield* statement("SELECT pg_advisory_xact_lock(hashtext('dacapo'), hashtext($1))", [schema])
  const [existing] = yield* statement("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema])
  if (existing === undefined) yield* statement(`CREATE SCHEMA "${schema}"`)
  yield* statement("CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY)")
  const [row] = yield* statement<{ readonly version: number }>("SELECT coalesce(max(version), 0) AS version FROM migration")
  const version = row?.version ?? 0
  if (version > migrations.length) {
    return yield* new LogError({
      session: "",
      message:
        `The session store was written by a newer version of dacapo (store version ${version}; this one supports ${migrations.length}). Update dacapo to open it.`,
      reason: { _tag: "Newer", version }
    })
  }
  for (const [i, migration] of migrations.slice(version).entries()) {
    for (const part of migration.split(";\n")) if (part.trim() !== "") yield* statement(part)
    yield* statement("INSERT INTO migration (version) VALUES ($1)", [version + i + 1])
  }
})

const array = (oid: number) => (values: ReadonlyArray<unknown>): unknown => Result.getOrThrow(PgTypes.array(values, oid))

/** Array parameters: an empty or all-null array has no type of its own. */
export const arrays = {
  text: array(PgTypes.OID.text),
  integer: array(PgTypes.OID.int4),
  bytes: array(PgTypes.OID.bytea),
  bigint: (values: ReadonlyArray<number>) => array(PgTypes.OID.int8)(values.map((value) => BigInt(Math.trunc(value))))
}
