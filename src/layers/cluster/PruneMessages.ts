/** Deletes stored messages that were answered: the cluster keeps them, and the log of a session has all that matters of them. */
import type * as Duration from "effect/Duration"
import type { Sharding } from "effect/cluster/Sharding"
import * as MachineId from "effect/cluster/MachineId"
import * as Singleton from "effect/cluster/Singleton"
import * as Snowflake from "effect/cluster/Snowflake"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { SqlClient } from "effect/sql/SqlClient"

/** ms for which an answered message stays: a client may ask for its answer again. */
const keptMs = 24 * 60 * 60_000

/** Deletes what was sent before `time` (ms since the epoch) and is answered; returns the number of messages. */
export const prune = Effect.fnUntraced(function*(prefix: string, time: number) {
  const sql = yield* SqlClient
  const before = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: time })
  const messages = sql(`${prefix}_messages`)
  const deleted = yield* sql<{ readonly id: unknown }>`
    WITH answered AS (DELETE FROM ${messages} WHERE processed AND id < ${before} RETURNING id, request_id),
      replies AS (DELETE FROM ${sql(`${prefix}_replies`)} WHERE request_id IN (SELECT request_id FROM answered))
    SELECT id FROM answered`
  return deleted.length
})

/** On one runner at a time. */
export const layer = (prefix: string, every: Duration.Input): Layer.Layer<never, never, Sharding | SqlClient> =>
  Singleton.make(
    "dacapo/PruneMessages",
    Effect.flatMap(Clock.currentTimeMillis, (now) => prune(prefix, now - keptMs)).pipe(
      Effect.ignore,
      Effect.repeat(Schedule.spaced(every))
    )
  )
