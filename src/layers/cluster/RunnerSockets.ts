/**
 * The sockets between gateways and runners, as in Effect's NodeClusterSocket, but without Nagle's algorithm (RFC 896): together with
 * delayed acknowledgements it holds back each event of a session for 40 ms twice.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Runners from "effect/cluster/Runners"
import type { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { Socket } from "effect/socket/Socket"
import type { SocketServer, SocketServerError } from "effect/socket/SocketServer"

/** ms until a runner counts as away: to connect, and without an answer. */
const timeouts = { openTimeout: 1_000, timeout: 5_500 }

export const client: Layer.Layer<Runners.RpcClientProtocol, never, RpcSerialization.RpcSerialization> = Layer.effect(
  Runners.RpcClientProtocol,
  Effect.map(RpcSerialization.RpcSerialization, (serialization) => ({
    codecFor: serialization.codecFor,
    make: Effect.fnUntraced(function*({ host, port }: RunnerAddress) {
      const socket = yield* NodeSocket.makeNet({ ...timeouts, host, port, noDelay: true })
      return yield* RpcClient.makeProtocolSocket().pipe(
        Effect.provideService(Socket, socket),
        Effect.provideService(RpcSerialization.RpcSerialization, serialization)
      )
    }, Effect.orDie)
  }))
)

export const server = ({ host, port }: RunnerAddress): Layer.Layer<SocketServer, SocketServerError> =>
  NodeSocketServer.layer({ host, port, noDelay: true })
