/** The processes of a simulated cluster, and what can become of them. */
import { make as makeEntityId } from "effect/cluster/EntityId"
import { Sharding } from "effect/cluster/Sharding"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { SessionHost } from "../../../../services/cluster/SessionHost.ts"
import type { Line } from "../../../../services/Storage.ts"
import * as SessionEntityLive from "../../../cluster/SessionEntityLive.ts"
import * as ShardOwnership from "../../../cluster/ShardOwnership.ts"
import * as EventLoop from "../EventLoop.ts"
import type { Life } from "../Life.ts"
import type { Replacements } from "../SimulatedServices.ts"
import type { World } from "../World.ts"
import * as ClusterStorage from "./ClusterStorage.ts"
import * as Network from "./Network.ts"
import * as Node from "./Node.ts"
import * as SimulatedDatabase from "./SimulatedDatabase.ts"
import * as SimulatedGateway from "./SimulatedGateway.ts"
import * as SimulatedHost from "./SimulatedHost.ts"
import * as SimulatedRunner from "./SimulatedRunner.ts"

/** Parts of the cluster in place of its own: faults planted to be found. */
export interface ClusterParts {
  /** `false`: the store takes appends of runners that have lost their session. */
  readonly isFenced?: boolean
  readonly host?: (host: SessionHost["Service"]) => SessionHost["Service"]
  readonly messages?: SimulatedDatabase.ReplaceMessages
  readonly ownership?: typeof ShardOwnership.make
  /** Called for each gateway. */
  readonly gateway?: SimulatedGateway.ReplaceClient
}

export interface Cluster {
  readonly surroundings: SimulatedRunner.Surroundings
  readonly nodes: ReadonlyArray<Node.Node>
  readonly database: Node.Node
  /** Those who use the gateway: their process outlives it. */
  readonly users: Node.Node
  /** The newest gateway; the one before it has ended. */
  readonly gateway: () => Node.Node
  readonly runners: () => ReadonlyArray<Node.Node>
  /** Starts a runner at a port, by default at a new one. */
  readonly start: (port?: number) => void
  /** The process dies on the spot, and another one takes its place. */
  readonly kill: (node: Node.Node) => void
  readonly pause: (node: Node.Node, ms: number) => void
  /** The process hands its sessions over and ends, and another one takes its place. */
  readonly leave: (node: Node.Node) => void
}

export interface Options {
  readonly parts: ClusterParts
  readonly replacements: Replacements
  readonly onAppend: (session: string, lines: ReadonlyArray<Line>) => void
}

/** How long a session without messages stays open. */
const idle = "20 seconds"

/** ms that a process is paused for at most; others take its sessions after 15 seconds. */
export const maxPauseMs = 60_000

/** ms until a process is replaced, at most. */
const maxReplacementMs = 20_000

/** Ports of runners begin here. */
const firstPort = 7_801

export const silent = Effect.provideService(References.MinimumLogLevel, "None")

export const make = Effect.fnUntraced(function*(world: World, { onAppend, parts, replacements }: Options) {
  const { journal, plan, violations } = world
  const dice = world.dice("cluster")
  const database = Node.make(world, 0, "database")
  const users = Node.make(world, -1, "users")
  const nodes = [database, users]
  const ports = new Map<Node.Node, number>()
  /** How each process is replaced. */
  const successors = new Map<Node.Node, () => void>()
  let gateway: Node.Node
  const state = yield* SimulatedDatabase.make(database.life.clock)
  const network = Network.make(world, database)
  const surroundings: SimulatedRunner.Surroundings = {
    world,
    network,
    database: parts.messages === undefined ? state
      : { ...state, messages: { ...state.messages, encoded: parts.messages(state.messages.encoded) } }
  }

  /** What a process had started ends with it. */
  const endProcesses = (node: Node.Node): void => {
    for (const entry of journal.processes) if (entry.life === node.life.number) entry.isRunning = false
  }

  /** The process is gone. Where its machine is gone as well, nobody tells its peers. */
  const end = (node: Node.Node, isNoticed: boolean): void => {
    network.drop(node, isNoticed)
    node.life.scheduler.kill()
    endProcesses(node)
    database.life.clock.after(1 + dice.below(maxReplacementMs), successors.get(node)!)
  }

  const kill: Cluster["kill"] = (node) => {
    if (Node.isRunning(node)) end(node, dice.chance(0.5))
  }

  const pause: Cluster["pause"] = (node, ms) => {
    if (node.isPaused) return
    node.isPaused = true
    database.life.clock.after(ms, () => {
      node.isPaused = false
      node.pausedMs += ms
      node.life.clock.wakeDue()
    })
  }

  /** What a session does outside its process, unless another runner has had it since. */
  const lifeOf = (node: Node.Node) => (root: string): Life => ({
    ...node.life,
    alive: (effect) =>
      Effect.suspend(() =>
        node.life.scheduler.isDead || (state.leases.get(root)?.owner ?? node.life.number) !== node.life.number ? Effect.never : effect
      )
  })

  const runner = (node: Node.Node, port: number) => {
    /** Sessions that the runner is opening, the shard of each, and whether the database has just said that it is the runner's. */
    const openings = new Map<string, { readonly shard: string; isConfirmed: boolean }>()
    const checkOwner = (session: string): void => {
      const opening = openings.get(session)
      if (opening === undefined) return
      const { isConfirmed, shard } = opening
      opening.isConfirmed = false
      const owner = SimulatedDatabase.ownerOf(state, shard, world.time.now)
      if (owner === undefined || owner === node.life.number || isConfirmed) return
      violations.push(`${session}: ${node.name} takes the session, and the database says that it is runner ${owner}'s`)
    }
    const storage = ClusterStorage.layer(world, state, network, node, {
      isFenced: parts.isFenced !== false,
      onAppend: (session, lines) => {
        onAppend(session, lines)
        if (plan.strike("gateway killed at append") !== undefined) kill(gateway)
      },
      onLease: checkOwner,
      kill: () => kill(node),
      pause: () => pause(node, dice.below(maxPauseMs))
    })
    const host = Layer.effect(
      SessionHost,
      Effect.gen(function*() {
        const { getShardId } = yield* Sharding
        const real = yield* SimulatedHost.make(world, lifeOf(node), replacements)
        const host = parts.host?.(real) ?? real
        return SessionHost.of({
          open: (session, operation) =>
            Effect.suspend(() => {
              const shard = getShardId(makeEntityId(session), "default").toString()
              openings.set(session, { shard, isConfirmed: node.confirmed.get(shard) === world.time.now - node.pausedMs })
              return host.open(session, operation)
            })
        })
      })
    )
    return SessionEntityLive.layer(idle, parts.ownership).pipe(
      Layer.provide(Layer.provide(host, storage)),
      Layer.provide(SimulatedRunner.cluster(surroundings, node, port))
    )
  }

  /** Starts the program of a process, which ends when it is told to leave. */
  const launch = (node: Node.Node, program: Layer.Layer<never>, replace: () => void): void => {
    nodes.push(node)
    successors.set(node, replace)
    const run = Effect.gen(function*() {
      const scope = yield* Scope.make()
      yield* Layer.buildWithMemoMap(program, yield* Layer.makeMemoMap, scope)
      yield* Deferred.await(node.leaving)
      yield* Scope.close(scope, Exit.void)
    })
    EventLoop.start(silent(run), { ...node.life, dice: node.dice }).addObserver((exit) => {
      if (Exit.isFailure(exit)) violations.push(`${node.name} fails: ${Cause.pretty(exit.cause)}`)
      node.hasLeft = true
      for (const { command, isRunning, life } of journal.processes)
        if (isRunning && life === node.life.number) violations.push(`"${command}" still runs after ${node.name} has ended`)
      end(node, true)
    })
  }

  /** Numbers and names of processes never come again. */
  const makeNode = (kind: string): Node.Node => Node.make(world, nodes.length, `${kind} ${nodes.length}`)

  const start: Cluster["start"] = (port = firstPort + ports.size) => {
    const node = makeNode("runner")
    ports.set(node, port)
    launch(node, runner(node, port), () => start(dice.chance(0.5) ? port : undefined))
  }

  const startGateway = (): void => {
    gateway = makeNode("gateway")
    launch(gateway, SimulatedGateway.layer(surroundings, gateway, parts.gateway), startGateway)
  }

  startGateway()
  return {
    surroundings,
    nodes,
    database,
    users,
    gateway: () => gateway,
    runners: () => [...ports.keys()].filter(Node.isRunning),
    start,
    kill,
    pause,
    leave: (node) => node.life.scheduler.schedule(() => Deferred.doneUnsafe(node.leaving, Exit.void))
  } satisfies Cluster as Cluster
})
