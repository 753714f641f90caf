/** The sockets of a cluster: what is written to one leaves at once, at both ends. */
import { afterEach, expect, it, vi } from "@effect/vitest"
import { RunnerAddress } from "effect/cluster/RunnerAddress"
import * as Runners from "effect/cluster/Runners"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import type { SocketError } from "effect/socket/Socket"
import { SocketServer } from "effect/socket/SocketServer"
import { syncBuiltinESMExports } from "node:module"
import net from "node:net"
import * as RunnerSockets from "../../../src/layers/cluster/RunnerSockets.ts"

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

it.live("do not wait for an acknowledgement before they send the next message", () => {
  const [connect, listen] = [vi.spyOn(net, "createConnection"), vi.spyOn(net, "createServer")]
  syncBuiltinESMExports()
  return Effect.gen(function*() {
    const { address } = yield* SocketServer
    const port = "port" in address ? address.port : 0
    const protocol = yield* Runners.RpcClientProtocol
    yield* protocol.make(RunnerAddress.make({ host: "127.0.0.1", port }))
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => connect.mock.calls.length > 0 })
    expect(listen.mock.calls).toEqual([[expect.objectContaining({ noDelay: true })]])
    expect(connect.mock.calls[0]).toEqual([expect.objectContaining({ port, noDelay: true })])
  }).pipe(
    Effect.scoped,
    Effect.provide([
      RunnerSockets.server(RunnerAddress.make({ host: "127.0.0.1", port: 0 })),
      Layer.provide(RunnerSockets.client, RpcSerialization.layerNdjson)
    ])
  )
})

it.live("do not wait for a client that is gone, even where nothing can be interrupted", () =>
  Effect.gen(function*() {
    const { address, run } = yield* SocketServer
    const written = yield* Deferred.make<Exit.Exit<void, SocketError>>()
    yield* Effect.forkScoped(run((socket) =>
      Effect.gen(function*() {
        const { write } = yield* socket.writer
        yield* Effect.scoped(Effect.flatMap(socket.reader, ({ pull }) => Effect.ignore(Effect.forever(pull))))
        yield* Deferred.succeed(written, yield* Effect.uninterruptible(Effect.exit(write("too late"))))
      }).pipe(Effect.scoped)
    ))
    net.createConnection({ host: "127.0.0.1", port: "port" in address ? address.port : 0 }).on("connect", function(this: net.Socket) { this.destroy() })
    expect(Exit.isFailure(yield* Deferred.await(written).pipe(Effect.timeout("5 seconds")))).toBe(true)
  }).pipe(Effect.scoped, Effect.provide(RunnerSockets.server(RunnerAddress.make({ host: "127.0.0.1", port: 0 })))))
