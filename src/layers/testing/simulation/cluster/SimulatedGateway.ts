/**
 * The gateway of a simulated cluster, and its users' connections: Effect's RPC over the simulated network in place of HTTP, with the
 * client of the cluster that the real gateway has.
 */
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rpc from "effect/rpc/Rpc"
import * as RpcClient from "effect/rpc/RpcClient"
import { RpcClientError } from "effect/rpc/RpcClientError"
import * as RpcGroup from "effect/rpc/RpcGroup"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as RpcServer from "effect/rpc/RpcServer"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import { SocketServer } from "effect/socket/SocketServer"
import * as Stream from "effect/Stream"
import { WireEvent } from "../../../../domain/control/ClientEvent.ts"
import { Operation, OperationResult } from "../../../../domain/control/Operation.ts"
import { RequestFailed } from "../../../../domain/control/RequestFailed.ts"
import * as ClusterClient from "../../../cluster/ClusterClient.ts"
import type { Network } from "./Network.ts"
import type * as Node from "./Node.ts"
import * as SimulatedRunner from "./SimulatedRunner.ts"

const Protocol = RpcGroup.make(
  Rpc.make("run", {
    payload: { session: Schema.String, operation: Operation, key: Schema.String },
    success: OperationResult,
    error: RequestFailed
  }),
  Rpc.make("events", {
    payload: { session: Schema.String, from: Schema.Int },
    success: WireEvent,
    error: RequestFailed,
    stream: true
  })
)

/** Each gateway takes the address of the one before. */
const address = "gateway"

/** Puts something in place of a gateway's client of the cluster. */
export type ReplaceClient = (client: ClusterClient.ClusterClient) => ClusterClient.ClusterClient

/** What the process of a gateway runs. */
export const layer = (surroundings: SimulatedRunner.Surroundings, node: Node.Node, replace: ReplaceClient = (client) => client) => {
  const handlers = Protocol.toLayer(Effect.map(ClusterClient.make, (client) => {
    const { events, run } = replace(client)
    return {
      run: ({ key, operation, session }) => run(session, operation, key),
      events: ({ from, session }) => events(session, session, from)
    }
  }))
  return RpcServer.layer(Protocol).pipe(
    Layer.provide(handlers),
    Layer.provide(SimulatedRunner.cluster(surroundings, node)),
    Layer.provide(RpcServer.layerProtocolSocketServer),
    Layer.provide([Layer.sync(SocketServer, () => surroundings.network.server(node, address)), RpcSerialization.layerNdjson])
  )
}

/** The gateway is away, or the connection to it is lost. */
export class Disconnected extends Data.TaggedError("Disconnected") {}

/** A connection that is lost fails what waits for an answer; what is being written to it then dies. */
const failureOf = (cause: Cause.Cause<RequestFailed | RpcClientError>): Cause.Cause<RequestFailed | Disconnected> => {
  const failure = Cause.squash(cause)
  return failure instanceof RequestFailed ? Cause.fail(failure)
    : failure instanceof RpcClientError || Socket.isSocketError(failure) ? Cause.fail(new Disconnected())
    : cause as Cause.Cause<never>
}

/** A user's connection, which is made again whenever it is lost. */
export const connect = (network: Network, node: Node.Node) =>
  RpcClient.make(Protocol).pipe(
    Effect.provideServiceEffect(RpcClient.Protocol, RpcClient.makeProtocolSocket()),
    Effect.provideService(Socket.Socket, network.socket(node, address)),
    Effect.provideService(RpcSerialization.RpcSerialization, RpcSerialization.ndjson),
    Effect.map(({ events, run }) => ({
      run: (session: string, operation: Operation, key: string) =>
        Effect.catchCause(run({ session, operation, key }), (cause) => Effect.failCause(failureOf(cause))),
      events: (session: string, from: number) => Stream.catchCause(events({ session, from }), (cause) => Stream.failCause(failureOf(cause)))
    }))
  )

export type Connection = Effect.Success<ReturnType<typeof connect>>
