/** What the processes of a cluster share: the session store and, in the same database, the cluster itself. Both are opened once. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogError } from "../../domain/session/LogError.ts"
import * as ClusterLive from "../../layers/cluster/ClusterLive.ts"
import * as JsonFilesLive from "../../layers/settings/JsonFilesLive.ts"
import * as Connection from "../../layers/storage/postgres/Connection.ts"
import * as StorageLive from "../../layers/storage/StorageLive.ts"
import { Environment } from "../../services/Environment.ts"
import { RunnerName } from "../../services/Storage.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { InputError, UsageError } from "../process/CliError.ts"
import { Host } from "../process/Host.ts"

const address = Effect.gen(function*() {
  const { environment } = yield* Host
  const chosen = yield* StorageLive.address.pipe(
    Effect.provide(JsonFilesLive.layer),
    Effect.provideService(Environment, environment)
  )
  if (chosen !== undefined) return chosen
  return yield* new UsageError({
    message: "A cluster needs a PostgreSQL session store. Name it with --storage, DACAPO_STORAGE or the setting storage."
  })
})

/** Until the scope closes. As `runner` this process is given sessions and takes them over from other runners. */
export const open = Effect.fnUntraced(function*(runner?: ClusterLive.Runner) {
  const { records } = yield* AgentLayers
  const database = yield* address
  const name = runner === undefined ? undefined : `${runner.address.host}:${runner.address.port}`
  // The store comes first: it makes the schema, and says why the database can't be used.
  const stored = yield* Effect.provideService(Layer.build(records), RunnerName, name)
  const cluster = yield* Layer.build(ClusterLive.layer(database, runner)).pipe(
    Effect.catchTags({
      SocketServerError: ({ reason }) =>
        new InputError({
          message: `Can't listen on ${runner!.listen.host}:${runner!.listen.port}: ${
            causeText(reason.cause)
          }. Choose another address with --listen.`
        }),
      SqlError: ({ reason }) =>
        new LogError({
          session: "",
          message: `Can't use the cluster in ${Connection.title(database)}: ${causeText(reason.cause)}.`,
          reason: { _tag: "Disk", code: reason._tag }
        })
    })
  )
  return {
    records: stored,
    services: Context.merge(stored, cluster),
    prefix: Connection.clusterPrefix(Connection.parse(database)!.schema),
    title: Connection.title(database)
  }
})

const causeText = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, "")
