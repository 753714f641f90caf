/**
 * The sockets between gateways and runners, as in Effect's NodeClusterSocket, but without Nagle's algorithm (RFC 896): together with
 * delayed acknowledgements it holds back each event of a session for 40 ms twice. And a runner doesn't wait for a connection that has
 * ended.
 */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import * as Runners from "effect/cluster/Runners"
import type { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import { Socket, SocketError, SocketWriteError } from "effect/socket/Socket"
import { SocketServer, type SocketServerError } from "effect/socket/SocketServer"

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
  Layer.effect(
    SocketServer,
    Effect.map(NodeSocketServer.make({ host, port, noDelay: true }), ({ address, run }) =>
      SocketServer.of({ address, run: (handler) => run((socket) => handler(failingAfterEnd(socket))) }))
  )

/**
 * A connection that a runner accepted never opens again once it has ended, but Effect's writer waits for that: the response to a
 * gateway that was killed would keep the runner from ending. Here the write fails as soon as the connection is no longer read.
 */
const failingAfterEnd = (socket: Socket): Socket => {
  const ended = Latch.makeUnsafe()
  const failure = Effect.andThen(
    ended.await,
    new SocketError({ reason: new SocketWriteError({ cause: new Error("The connection has ended.") }) })
  )
  return {
    ...socket,
    reader: Effect.tap(socket.reader, () => Effect.addFinalizer(() => ended.open)),
    writer: Effect.map(socket.writer, ({ write, writeAll }) => ({
      write: (chunk) => Effect.raceFirst(write(chunk), failure),
      writeAll: (chunks) => Effect.raceFirst(writeAll(chunks), failure)
    }))
  }
}
