/**
 * The network of a simulated cluster. Messages take time; connections break, with what is under way on them; between two processes
 * that are cut off from each other nothing arrives until the network is whole again, in one direction or in both.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as NetAddress from "effect/net/NetAddress"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Socket from "effect/socket/Socket"
import type { SocketServer } from "effect/socket/SocketServer"
import type { World } from "../World.ts"
import * as Node from "./Node.ts"

type Chunk = Uint8Array | string

/** One end of a connection. */
interface End {
  readonly node: Node.Node
  readonly arrived: Array<Chunk>
  /** Why nothing more arrives. */
  closed: Socket.SocketError | undefined
  notify: () => void
  peer: End | undefined
  /** What is under way to this end, in order. */
  readonly way: Array<() => void>
}

export interface Network {
  /** A socket that connects `from` to the process that listens at an address, whenever it is opened. */
  readonly socket: (from: Node.Node, address: string) => Socket.Socket
  readonly server: (node: Node.Node, address: string) => SocketServer["Service"]
  /** Runs an effect in the database; `lost` is what the process meets instead of the answer where the connection breaks. */
  readonly request: <A, E>(from: Node.Node, effect: Effect.Effect<A, E>, lost: () => E) => Effect.Effect<A, E>
  /** Nothing from `from` arrives at `to`, until the returned function is called. */
  readonly cut: (from: Node.Node, to: Node.Node) => () => void
  /** The process has died: its peers notice at once, or from its silence. */
  readonly drop: (node: Node.Node, isNoticed: boolean) => void
}

/** ms that a message takes, and one that is delayed, at most. */
const maxMs = { usual: 3, delayed: 4_000 }

/** ms until an attempt to connect is given up, as between real runners. */
const openTimeout = 1_000

const closedWith = (code: number) => new Socket.SocketError({ reason: new Socket.SocketCloseError({ code }) })

const notOpened = (kind: "Timeout" | "Unknown") =>
  new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind, cause: new Error("The connection failed.") }) })

export const make = (world: World, database: Node.Node): Network => {
  const { plan } = world
  const dice = world.dice("network")
  const listeners = new Map<string, { readonly node: Node.Node; readonly accept: (end: End) => void }>()
  const ends = new Map<Node.Node, Set<End>>()
  /** What waits, for each pair of processes of which one doesn't reach the other. */
  const barriers = new Map<string, Array<() => void>>()

  const latency = (): number => {
    const delayed = plan.strike("network slow")
    return delayed === undefined ? dice.below(maxMs.usual) : delayed.below(maxMs.delayed)
  }

  /** What is sent on the same way arrives in order. */
  const carry = (from: Node.Node, to: Node.Node, way: Array<() => void>, deliver: () => void): void => {
    const depart = () => {
      way.push(deliver)
      to.life.clock.after(latency(), () => way.shift()!())
    }
    const barrier = barriers.get(`${from.name} ${to.name}`)
    if (barrier === undefined) depart()
    else barrier.push(depart)
  }

  const makeEnd = (node: Node.Node): End => {
    const end: End = { node, arrived: [], closed: undefined, notify: () => {}, peer: undefined, way: [] }
    ends.set(node, (ends.get(node) ?? new Set()).add(end))
    return end
  }

  const close = (end: End, error: Socket.SocketError): void => {
    if (end.closed !== undefined) return
    end.closed = error
    ends.get(end.node)?.delete(end)
    end.notify()
  }

  const closePeer = ({ node, peer }: End, code: number): void => {
    if (peer !== undefined) carry(node, peer.node, peer.way, () => close(peer, closedWith(code)))
  }

  const send = (end: End, chunk: Chunk | Socket.CloseEvent): Effect.Effect<void, Socket.SocketError> =>
    Effect.suspend(() => {
      const { node, peer } = end
      if (end.closed !== undefined || peer === undefined) return Effect.fail(end.closed ?? closedWith(1006))
      const lost = plan.strike("connection lost")
      if (Socket.isCloseEvent(chunk)) {
        closePeer(end, chunk.code)
        close(end, closedWith(chunk.code))
      } else if (lost === undefined || lost.chance(0.5)) {
        carry(node, peer.node, peer.way, () => {
          if (peer.closed !== undefined) return
          peer.arrived.push(chunk)
          peer.notify()
        })
      }
      if (lost !== undefined) {
        closePeer(end, 1006)
        close(end, closedWith(1006))
      }
      return Effect.void
    })

  const pull = (end: End): Socket.Reader["pull"] =>
    Effect.callback((resume) => {
      const attempt = () => {
        const [first, ...others] = end.arrived.splice(0)
        if (first === undefined && end.closed === undefined) return
        // The reader that continues here asks for more at once.
        end.notify = () => {}
        resume(first === undefined ? Effect.fail(end.closed!) : Effect.succeed([first, ...others]))
      }
      end.notify = attempt
      attempt()
      return Effect.sync(() => void (end.notify === attempt && (end.notify = () => {})))
    })

  const reader = (end: End): Socket.Reader => ({ pull: pull(end), upgrade: Socket.SocketUpgradeError.unsupported })

  const writer = (current: Effect.Effect<End>): Socket.Writer => ({
    write: (chunk) => Effect.flatMap(current, (end) => send(end, chunk)),
    writeAll: (chunks) => Effect.flatMap(current, (end) => Effect.forEach(chunks, (chunk) => send(end, chunk), { discard: true }))
  })

  const connect = (end: End, address: string) =>
    Effect.callback<void, Socket.SocketError>((resume) => {
      const listener = listeners.get(address)
      // Nobody answers at an address where no process is.
      if (listener === undefined) return
      carry(end.node, listener.node, [], () => {
        if (listeners.get(address) !== listener || end.closed !== undefined) return resume(Effect.fail(notOpened("Unknown")))
        const other = makeEnd(listener.node)
        other.peer = end
        end.peer = other
        listener.accept(other)
        carry(listener.node, end.node, end.way, () => resume(Effect.void))
      })
    }).pipe(Effect.timeoutOrElse({ duration: openTimeout, orElse: () => Effect.fail(notOpened("Timeout")) }))

  const leave = (end: End) =>
    Effect.sync(() => {
      closePeer(end, 1000)
      close(end, closedWith(1006))
    })

  return {
    socket: (from, address) => {
      const opened = Latch.makeUnsafe()
      let current: End | undefined
      return Socket.make({
        reader: Effect.gen(function*() {
          const end = makeEnd(from)
          yield* Effect.addFinalizer(() => {
            opened.closeUnsafe()
            current = undefined
            return leave(end)
          })
          yield* connect(end, address)
          current = end
          opened.openUnsafe()
          return reader(end)
        }),
        writer: Effect.succeed(writer(Effect.flatMap(opened.await, () => Effect.sync(() => current!))))
      })
    },
    server: (node, address) => ({
      address: NetAddress.inetAddressUnsafe(NetAddress.ipv4Loopback, node.life.number),
      run: <R, E, _>(handler: (socket: Socket.Socket) => Effect.Effect<_, E, R>) =>
        Effect.gen(function*() {
          const accepted = yield* Queue.unbounded<End>()
          const listener = { node, accept: (end: End) => void Queue.offerUnsafe(accepted, end) }
          listeners.set(address, listener)
          yield* Effect.addFinalizer(() => Effect.sync(() => void (listeners.get(address) === listener && listeners.delete(address))))
          return yield* Effect.forever(Effect.flatMap(Queue.take(accepted), (end) =>
            Effect.forkChild(Effect.ignoreCause(handler(Socket.make({
              reader: Effect.as(Effect.addFinalizer(() => leave(end)), reader(end)),
              writer: Effect.succeed(writer(Effect.succeed(end)))
            }))))))
        }).pipe(Effect.scoped)
    }),
    request: <A, E>(from: Node.Node, effect: Effect.Effect<A, E>, lost: () => E) =>
      Effect.callback<A, E>((resume) => {
        const fault = plan.strike("database connection lost")
        const answer = (exit: Exit.Exit<A, E>) => carry(database, from, [], () => resume(exit))
        if (fault?.chance(0.5) === true) return answer(Effect.runSyncExit(Effect.fail(lost())))
        carry(from, database, [], () => {
          Effect.runForkWith(Context.make(Clock.Clock, database.life.clock))(effect, { scheduler: database.life.scheduler })
            .addObserver((exit) => answer(fault === undefined ? exit : Effect.runSyncExit(Effect.fail(lost()))))
        })
      }),
    cut: (from, to) => {
      const key = `${from.name} ${to.name}`
      const barrier = barriers.get(key)
      if (barrier !== undefined) return () => {}
      barriers.set(key, [])
      return () => {
        const waiting = barriers.get(key) ?? []
        barriers.delete(key)
        for (const depart of waiting) depart()
      }
    },
    drop: (node, isNoticed) => {
      for (const [address, listener] of listeners) if (listener.node === node) listeners.delete(address)
      for (const end of ends.get(node) ?? []) if (isNoticed) closePeer(end, 1006)
      ends.delete(node)
    }
  }
}
