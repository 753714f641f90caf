/**
 * Runs a cluster in one process: runners, gateways, their users, and a database, each under a scheduler of its own, over one time
 * and a network that fails as the seed says. Rules are checked at every event, and at the end.
 */
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import type { Line } from "../../../../services/Storage.ts"
import * as EventLoop from "../EventLoop.ts"
import * as Monitor from "../Monitor.ts"
import * as Outcome from "../Outcome.ts"
import { load, type Replacements } from "../SimulatedServices.ts"
import * as World from "../World.ts"
import * as Cluster from "./Cluster.ts"
import * as ClusterUser from "./ClusterUser.ts"
import * as Disturbances from "./Disturbances.ts"
import * as Node from "./Node.ts"
import * as SimulatedGateway from "./SimulatedGateway.ts"

export type { RunningSession, SessionHost } from "../../../../services/cluster/SessionHost.ts"
export type { ClusterParts } from "./Cluster.ts"
export type { ReplaceMessages } from "./SimulatedDatabase.ts"
export type { ReplaceClient } from "./SimulatedGateway.ts"
export type { ClusterClient } from "../../../cluster/ClusterClient.ts"

/** The seed, and what is different from the usual cluster. */
export interface Options extends World.Options, Outcome.Options, Replacements {
  readonly parts?: Cluster.ClusterParts
}

/**
 * ms after the last fault: within `patience` every session has to finish, without a `silence` in which no event is stored. For as long as
 * the `aftermath` processes are still paused, or cut off from each other.
 */
const maxMs = { aftermath: 70_000, silence: 240_000, patience: 900_000 }

const maxSteps = 3_000_000

const sessionId = (number: number) => `00000000-0000-7000-9000-${String(number).padStart(12, "0")}`

/** Every message, which has a text of its own, is recorded once. */
const watchMessages = ({ violations }: World.World, isOurs: (session: string) => boolean) => {
  const counts = new Map<string, number>()
  return {
    take: (session: string, lines: ReadonlyArray<Line>) => {
      for (const { body } of lines) {
        const { event } = JSON.parse(body) as { readonly event: { readonly _tag: string; readonly text: string } }
        if (event._tag !== "UserSaid" || !isOurs(session)) continue
        const count = (counts.get(event.text) ?? 0) + 1
        counts.set(event.text, count)
        if (count > 1) violations.push(`${session}: the message "${event.text}" is recorded ${count} times`)
      }
    },
    has: (text: string) => counts.has(text)
  }
}

/** Runs one seed to its end. */
export const run = async (options: Options): Promise<Outcome.Outcome> => {
  await load()
  const world = await Effect.runPromise(Effect.scoped(World.make(options)))
  const { plan, violations } = world
  const { below } = world.dice("cluster size")
  const visits = Array.from({ length: 1 + below(3) }, (_, number) => ClusterUser.newVisit(sessionId(number)))
  let lastAppend = world.time.now
  const messages = watchMessages(world, (id) => visits.some(({ session }) => session === id))
  const cluster = await Effect.runPromise(Cluster.make(world, {
    parts: options.parts ?? {},
    replacements: options,
    onAppend: (session, lines) => {
      lastAppend = world.time.now
      messages.take(session, lines)
    }
  }))
  for (let count = 2 + below(2); count > 0; count--) cluster.start()

  let isVisited = false
  let isOver = false
  const isDone = (): boolean =>
    visits.every(({ followers, answered, session }) => {
      const monitor = world.monitors.get(session)
      return monitor !== undefined && monitor.session().task.state !== "running" && [...answered].every(messages.has) &&
        followers.every(({ next }) => next === monitor.session().seq + 1)
    })
  const { surroundings: { network }, users } = cluster
  const use = Effect.gen(function*() {
    const allVisited = Latch.makeUnsafe()
    let visiting = visits.length
    const last = Effect.suspend(() => {
      if (--visiting > 0) return allVisited.await
      plan.end()
      isVisited = true
      return allVisited.open
    })
    yield* Effect.forEach(
      visits,
      (visit) =>
        Effect.flatMap(
          SimulatedGateway.connect(network, users),
          (gateway) => ClusterUser.visit(world, gateway, visit, Effect.asVoid(last))
        ),
      { concurrency: "unbounded" }
    )
    const ended = world.time.now
    const isWaiting = () => world.time.now - Math.max(lastAppend, ended) < maxMs.silence && world.time.now - ended < maxMs.patience
    while (world.time.now - ended < maxMs.aftermath || (!isDone() && isWaiting())) yield* Effect.sleep(1_000)
    violations.push(...visits.flatMap(({ session }) => unfinished(world, session)))
    for (const { followers, answered, session } of visits) {
      for (const text of answered) if (!messages.has(text)) violations.push(`${session}: the message "${text}" is lost`)
      const events = (world.monitors.get(session)?.session().seq ?? -1) + 1
      for (const { next } of followers) if (next !== events) violations.push(`${session}: a client has ${next} of ${events} events`)
    }
    isOver = true
    // A connection that is closed here would end the events of those who follow.
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Cluster.silent
  )
  const fail = (name: string) => (exit: Exit.Exit<unknown, unknown>) => {
    if (Exit.isFailure(exit)) violations.push(`${name} fails: ${Cause.pretty(exit.cause)}`)
  }
  const on = ({ dice, life }: Node.Node) => ({ ...life, dice })
  EventLoop.start(use, on(users)).addObserver(fail("the users' process"))
  EventLoop.start(Disturbances.run(world, cluster, () => isVisited), on(cluster.database)).addObserver(fail("the disturbance"))

  const { end, steps } = await Node.runAll(world, cluster.nodes, () => isOver || violations.length > 0, maxSteps)
  if (end !== "over") violations.push(`the cluster is ${end}; last action: ${world.actions.at(-1)}`)
  for (const node of cluster.nodes) node.life.scheduler.kill()
  return Outcome.conclude(world, options, { processes: cluster.nodes.length, steps })
}

/** What a session leaves open although the last fault is long past. */
const unfinished = ({ monitors }: World.World, session: string): ReadonlyArray<string> => {
  const monitor = monitors.get(session)
  return (monitor === undefined ? ["it has not begun"] : Monitor.openAtEnd(monitor)).map((text) => `${session}: ${text}`)
}
