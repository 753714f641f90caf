/**
 * Effect's cluster over the database of the session store: which runners there are, which of them has which shard, and the messages
 * that are not answered yet.
 */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import type { MessageStorage } from "effect/cluster/MessageStorage"
import { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import type { RunnerStorage } from "effect/cluster/RunnerStorage"
import type { Sharding } from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import type { SocketServerError } from "effect/socket/SocketServer"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Connection from "../storage/postgres/Connection.ts"
import { timing } from "./ClusterTiming.ts"
import * as RunnerSockets from "./RunnerSockets.ts"

/** Bytes of a message between runners: an event may hold the output of a command, or images. */
const maxMessageSize = 256 * 2 ** 20

/** `listen` is where the socket binds, `address` what the other runners connect to. */
export interface Runner {
  readonly address: RunnerAddress
  readonly listen: RunnerAddress
}

/** Reads `host:port` or `[IPv6]:port`, with a port from 1 to 65535; undefined for any other text. */
export const parseAddress = (text: string): RunnerAddress | undefined => {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? []
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined
  return RunnerAddress.make({ host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) })
}

/** What the libraries report goes to standard error, beginning with warnings. */
const logging = Layer.mergeAll(Layer.succeed(References.LogToStderr, true), Layer.succeed(References.MinimumLogLevel, "Warn"))

export type ClusterServices = MessageStorage | RunnerStorage | Runners.Runners | Sharding | SqlClient

/** The cluster at the address of a PostgreSQL store, whose schema must exist; without `runner` as a client, which is given no sessions. */
export const layer = (address: string, runner?: Runner): Layer.Layer<ClusterServices, SocketServerError | SqlError> => {
  const { schema, url } = Connection.parse(address)!
  const prefix = Connection.clusterPrefix(schema)
  const database = PgClient.layer({ ...Connection.options(url, schema), maxConnections: 6 })
  const config = ShardingConfig.layer({
    ...timing,
    runnerAddress: Option.fromUndefinedOr(runner?.address),
    runnerListenAddress: Option.fromUndefinedOr(runner?.listen)
  })
  const sockets = runner === undefined
    ? Layer.provide(SocketRunner.layerClientOnly, RunnerSockets.client)
    : SocketRunner.layer.pipe(
      Layer.provide([RunnerSockets.server(runner.listen), RunnerSockets.client]),
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(RunnerSockets.client)))
    )
  return sockets.pipe(
    Layer.provideMerge([
      Layer.provide(SqlMessageStorage.layerWith({ prefix }), NodeCrypto.layerDigest),
      SqlRunnerStorage.layerWith({ prefix })
    ]),
    Layer.provide([config, RpcSerialization.layerNdjsonWith({ maxBufferSize: maxMessageSize })]),
    Layer.provideMerge(database),
    Layer.provideMerge(logging)
  )
}
