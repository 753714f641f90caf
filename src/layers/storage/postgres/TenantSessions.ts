/**
 * The tenants of a store. Each sees only its own sessions, through a store of its own: another's session is not there, whatever asks for
 * it. What a tenant uses is counted by single statements that lock its row, so that limits hold however many processes count at once.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type LogError, notFound } from "../../../domain/session/LogError.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { SharedSpending } from "../../../services/cluster/SharedSpending.ts"
import type { TenantStore } from "../../../services/cluster/Tenants.ts"
import { Storage } from "../../../services/Storage.ts"
import { clusterPrefix, type Connection } from "./Connection.ts"

type Store = Storage["Service"]

/** The store of all sessions, and what is done otherwise for those of a tenant. */
interface Shared {
  readonly storage: Store
  readonly appendOf: (tenant: string) => Store["append"]
  readonly listOf: (tenant: string) => Store["list"]
  readonly searchOf: (tenant: string) => Store["search"]
}

/** A session gets its tenant when it is claimed, and never another one. */
const sessionsOf = ({ query }: Connection, { appendOf, listOf, searchOf, storage }: Shared, tenant: string) => {
  const owned = new Set<string>()

  const belongs = Effect.fnUntraced(function*(session: string) {
    if (owned.has(session)) return true
    const rows = yield* query(session, "SELECT 1 FROM session WHERE id = $1 AND tenant = $2", [session, tenant])
    if (rows.length > 0) owned.add(session)
    return rows.length > 0
  })

  const claim = Effect.fnUntraced(function*(session: string) {
    if (owned.has(session)) return
    const rows = yield* query(
      session,
      `INSERT INTO session AS s (id, tenant) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET tenant = $2 WHERE s.tenant = $2 RETURNING id`,
      [session, tenant]
    )
    if (rows.length === 0) return yield* notFound(session, [])
    owned.add(session)
  })

  const whereOwned = <A>(session: string, effect: Effect.Effect<A, LogError>, otherwise: A): Effect.Effect<A, LogError> =>
    Effect.flatMap(belongs(session), (isOwned) => isOwned ? effect : Effect.succeed(otherwise))

  const store = Storage.of({
    append: appendOf(tenant),
    read: (session, from) => whereOwned(session, storage.read(session, from), []),
    watch: (session) =>
      Stream.unwrap(
        Effect.map(Effect.orElseSucceed(belongs(session), () => false), (isOwned) =>
          isOwned ? storage.watch(session) : Stream.succeed(undefined))
      ),
    list: listOf(tenant),
    remove: (session) =>
      Effect.andThen(whereOwned(session, storage.remove(session), undefined), Effect.sync(() => void owned.delete(session))),
    search: searchOf(tenant),
    archive: (session) => whereOwned(session, storage.archive(session), undefined),
    // What no session names may be named by another tenant's.
    sweep: Effect.succeed(null),
    backup: storage.backup,
    putBlob: storage.putBlob,
    getBlob: storage.getBlob,
    putDraft: (session, bytes) => Effect.andThen(claim(session), storage.putDraft(session, bytes)),
    getDraft: (session) => whereOwned(session, storage.getDraft(session), null),
    lease: (session) => Effect.andThen(claim(session), storage.lease(session))
  })
  return { claim, store }
}

/**
 * A request's reservation is a row until it is settled, so that a repeated statement counts nothing twice. A runner whose clock is still
 * on the day before counts on the day that others have begun.
 */
const spendingOf = ({ query }: Connection, tenant: string): SharedSpending => {
  /** The reservation of each session's open request. */
  const open = new Map<string, string>()
  return {
    limit: Effect.map(
      query<{ readonly limit: number | null }>("", "SELECT max_usd AS limit FROM tenant WHERE name = $1", [tenant]),
      ([row]) => row?.limit ?? undefined
    ),
    spent: ({ id }, day) =>
      Effect.map(
        query<{ readonly usd: number }>(id, "SELECT usd FROM tenant WHERE name = $1 AND day >= $2", [tenant, day]),
        ([row]) => row?.usd ?? 0
      ),
    reserve: Effect.fnUntraced(function*({ id, seq }: Session, day, usd, limit) {
      const reservation = `${id} ${seq}`
      const rows = yield* query(
        id,
        `WITH counted AS (
          UPDATE tenant SET day = greatest(day, $2), usd = CASE WHEN day >= $2 THEN usd ELSE 0 END + $3
          WHERE name = $1 AND CASE WHEN day >= $2 THEN usd ELSE 0 END + $3 <= $4 AND NOT EXISTS (SELECT 1 FROM reservation WHERE id = $5)
          RETURNING name, day
        ) INSERT INTO reservation (id, tenant, day, usd) SELECT $5, name, day, $3 FROM counted RETURNING id`,
        [tenant, day, usd, limit, reservation]
      )
      // Without a row it was refused, or is the work of an attempt whose answer was lost.
      const isReserved = rows.length > 0 || (yield* query(id, "SELECT 1 FROM reservation WHERE id = $1", [reservation])).length > 0
      if (isReserved) open.set(id, reservation)
      return isReserved
    }),
    settle: Effect.fnUntraced(function*({ id }: Session, _, usd) {
      const reservation = open.get(id)
      if (reservation === undefined) return
      open.delete(id)
      yield* query(
        id,
        `WITH settled AS (DELETE FROM reservation WHERE id = $1 RETURNING tenant, day, usd)
        UPDATE tenant t SET usd = greatest(0, t.usd + $2 - s.usd) FROM settled s WHERE t.name = s.tenant AND t.day = s.day`,
        [reservation, usd]
      )
    })
  }
}

const minute = "interval '1 minute'"

export const make = (connection: Connection, shared: Shared): TenantStore => {
  const { query, schema, transaction } = connection
  const messages = `${clusterPrefix(schema)}_messages`
  const sessions = new Map<string, ReturnType<typeof sessionsOf>>()
  const of = (tenant: string) => {
    const existing = sessions.get(tenant) ?? sessionsOf(connection, shared, tenant)
    sessions.set(tenant, existing)
    return existing
  }
  return {
    define: (tenants) =>
      transaction(
        "",
        Effect.fnUntraced(function*(statement) {
          yield* statement("LOCK TABLE tenant IN EXCLUSIVE MODE")
          for (const { limits: { messagesPerMinute = null, sessions = null, usdPerDay = null }, name } of tenants) {
            yield* statement(
              `INSERT INTO tenant (name, max_sessions, max_messages, max_usd) VALUES ($1, $2, $3, $4)
              ON CONFLICT (name) DO UPDATE SET max_sessions = $2, max_messages = $3, max_usd = $4`,
              [name, sessions, messagesPerMinute, usdPerDay]
            )
          }
          yield* statement(`CREATE INDEX IF NOT EXISTS ${messages}_open ON ${messages} (entity_id) WHERE NOT processed`)
          yield* statement("DELETE FROM reservation r USING tenant t WHERE r.tenant = t.name AND r.day < t.day")
        })
      ),
    tenantOf: (session) =>
      Effect.map(
        query<{ readonly tenant: string | null }>(session, "SELECT tenant FROM session WHERE id = $1", [session]),
        ([row]) => row?.tenant ?? undefined
      ),
    storage: (tenant) => of(tenant).store,
    claim: (tenant, session) => of(tenant).claim(session),
    countMessage: Effect.fnUntraced(function*(tenant: string) {
      const recent = `(SELECT coalesce(array_agg(m ORDER BY m), '{}') FROM unnest(messages) m WHERE m > clock_timestamp() - ${minute})`
      const counted = yield* query(
        "",
        `UPDATE tenant SET messages = CASE WHEN max_messages IS NULL THEN '{}' ELSE ${recent} || clock_timestamp() END
        WHERE name = $1 AND (max_messages IS NULL OR cardinality(${recent}) < max_messages) RETURNING name`,
        [tenant]
      )
      if (counted.length > 0) return 0
      const [row] = yield* query<{ readonly wait: number }>(
        "",
        `SELECT coalesce(extract(epoch FROM messages[cardinality(messages) - max_messages + 1] + ${minute} - clock_timestamp()), 0)::float8
          AS wait FROM tenant WHERE name = $1`,
        [tenant]
      )
      return Math.max(1, Math.ceil((row?.wait ?? 0) * 1000))
    }),
    admit: (tenant, session, message) =>
      transaction(
        session,
        Effect.fnUntraced(function*(statement) {
          const [row] = yield* statement<{ readonly limit: number | null }>(
            "SELECT max_sessions AS limit FROM tenant WHERE name = $1 FOR UPDATE",
            [tenant]
          )
          const limit = row === undefined ? 0 : row.limit
          if (limit === null) return true
          yield* statement("DELETE FROM admission WHERE tenant = $1 AND until < clock_timestamp()", [tenant])
          // A statement of its own sees what others have committed before they gave up the lock.
          const [others] = yield* statement<{ readonly count: number }>(
            `SELECT count(*)::integer AS count FROM (
              SELECT m.entity_id FROM ${messages} m JOIN session s ON s.id = m.entity_id
                WHERE NOT m.processed AND m.tag = 'Work' AND s.tenant = $1
              UNION SELECT session FROM admission WHERE tenant = $1
            ) AS work (session) WHERE session <> $2`,
            [tenant, session]
          )
          if (others!.count >= limit) return false
          yield* statement(
            `INSERT INTO admission (session, message, tenant, until) VALUES ($1, $2, $3, clock_timestamp() + ${minute})
            ON CONFLICT (session, message) DO UPDATE SET until = excluded.until`,
            [session, message, tenant]
          )
          return true
        })
      ),
    admitted: (session, message) =>
      Effect.asVoid(query(session, "DELETE FROM admission WHERE session = $1 AND message = $2", [session, message])),
    spending: (tenant) => spendingOf(connection, tenant)
  }
}
