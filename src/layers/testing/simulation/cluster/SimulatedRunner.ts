/** The programs of a simulated cluster: Effect's cluster and our sessions, as `dacapo runner` and `dacapo serve --cluster` compose them. */
import { make as makeAddress } from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SocketRunner from "effect/cluster/SocketRunner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { Socket } from "effect/socket/Socket"
import { SocketServer } from "effect/socket/SocketServer"
import { timing } from "../../../cluster/ClusterTiming.ts"
import type { World } from "../World.ts"
import type { Network } from "./Network.ts"
import type * as Node from "./Node.ts"
import * as SimulatedDatabase from "./SimulatedDatabase.ts"

export interface Surroundings {
  readonly world: World
  readonly database: SimulatedDatabase.Database
  readonly network: Network
}

/** Fewer than real ones: each costs a step now and then, and there are few sessions. */
const shardsPerGroup = 6

const client = (network: Network, node: Node.Node) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.map(RpcSerialization.RpcSerialization, (serialization) => ({
      codecFor: serialization.codecFor,
      make: ({ host, port }) =>
        RpcClient.makeProtocolSocket().pipe(
          Effect.provideService(Socket, network.socket(node, `${host}:${port}`)),
          Effect.provideService(RpcSerialization.RpcSerialization, serialization)
        )
    }))
  )

/** The cluster for a process; without a port as a client, which is given no sessions. */
export const cluster = ({ database, network, world }: Surroundings, node: Node.Node, port?: number) => {
  const address = port === undefined ? undefined : makeAddress("runner", port)
  const protocol = client(network, node)
  const config = ShardingConfig.layer({ ...timing, shardsPerGroup, runnerAddress: Option.fromUndefinedOr(address) })
  const sockets = port === undefined
    ? Layer.provide(SocketRunner.layerClientOnly, protocol)
    : SocketRunner.layer.pipe(
      Layer.provide([Layer.sync(SocketServer, () => network.server(node, `runner:${port}`)), protocol]),
      Layer.provide(RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(protocol)))
    )
  return sockets.pipe(
    Layer.provideMerge([
      SimulatedDatabase.messageStorage(database, network, node),
      SimulatedDatabase.runnerStorage(database, world, network, node)
    ]),
    Layer.provide([config, RpcSerialization.layerNdjson])
  )
}
