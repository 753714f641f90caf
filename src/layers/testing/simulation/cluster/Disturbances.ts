/** What befalls the processes of a simulated cluster from outside, as the seed says, until it is over. */
import * as Effect from "effect/Effect"
import type { World } from "../World.ts"
import { type Cluster, maxPauseMs } from "./Cluster.ts"
import type * as Node from "./Node.ts"

/** ms between two opportunities, and for which processes are cut off from each other, at most. */
const maxMs = { between: 8_000, cut: 40_000 }

const maxRunners = 4

/** Runs until `isOver`; whole again are the network and all processes only after `maxMs.cut` and `maxPauseMs`. */
export const run = Effect.fnUntraced(function*({ dice, plan }: World, cluster: Cluster, isOver: () => boolean) {
  const { database, gateway, kill, leave, pause, runners, start, surroundings: { network } } = cluster
  const { below } = dice("disturbances")
  const later = (ms: number, task: () => void): void => database.life.clock.after(ms, task)

  while (!isOver()) {
    yield* Effect.sleep(500 + below(maxMs.between))
    const killed = plan.strike("runner killed")
    if (killed !== undefined && runners().length > 0) kill(killed.pick(runners()))
    if (plan.strike("gateway killed") !== undefined) kill(gateway())
    const paused = plan.strike("runner paused")
    if (paused !== undefined && runners().length > 0) pause(paused.pick(runners()), paused.below(maxPauseMs))
    const cutOff = plan.strike("runner cut off")
    if (cutOff !== undefined && runners().length > 0) {
      const node = cutOff.pick(runners())
      const others = [database, gateway(), ...runners()].filter((other) => other !== node)
      const peers = cutOff.chance(0.3) ? others : [cutOff.pick(others)]
      const ways = cutOff.pick<ReadonlyArray<(peer: Node.Node) => () => void>>([
        [(peer) => network.cut(node, peer)],
        [(peer) => network.cut(peer, node)],
        [(peer) => network.cut(node, peer), (peer) => network.cut(peer, node)]
      ])
      const heal = peers.flatMap((peer) => ways.map((cut) => cut(peer)))
      later(1 + cutOff.below(maxMs.cut), () => heal.forEach((mend) => mend()))
    }
    if (plan.strike("runner joins") !== undefined && runners().length < maxRunners) start()
    const leaves = plan.strike("runner leaves")
    if (leaves !== undefined && runners().length > 0) leave(leaves.pick(runners()))
  }
})
