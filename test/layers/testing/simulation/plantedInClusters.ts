/** Faults planted in a cluster, one of each kind: the simulation must find every one of them. */
import * as Effect from "effect/Effect"
import type { ClusterParts } from "../../../../src/layers/testing/simulation/cluster/ClusterSimulation.ts"
import type { RunningSession, SessionHost } from "../../../../src/services/cluster/SessionHost.ts"

const sessions = (change: (session: RunningSession) => RunningSession): ClusterParts => ({
  host: (host: SessionHost["Service"]) => ({ open: (id, operation) => Effect.map(host.open(id, operation), change) })
})

/** Work that is answered before it is done: it is not given to the next runner, which does not continue what the dead one has left. */
const lostWakeUp = sessions((session) => ({ ...session, settled: () => Effect.void }))

const withoutKey = sessions((session) => ({
  ...session,
  run: (operation) => {
    if (operation._tag !== "Say") return session.run(operation)
    const { key: _, ...say } = operation
    return session.run(say)
  }
}))

let gateways = 0

/** A gateway that gives messages keys of its own: the next gateway does not know what this one has sent for a user who sends it again. */
const forgetfulGateway: ClusterParts = {
  gateway: ({ events, run }) => {
    const name = `gateway ${++gateways}`
    return {
      events,
      run: (root, operation, key) =>
        run(root, operation._tag === "Say" ? { ...operation, key: `${name}, ${key}` } : operation, `${name}, ${key}`)
    }
  }
}

/** Each with the rule that it breaks, and the seed to begin with: it is found soon after. */
export const plantedInClusters: ReadonlyArray<readonly [name: string, parts: ClusterParts, rule: RegExp, from: number]> = [
  ["a store without its fence", { isFenced: false }, /a process writes that has lost the session/, 461],
  ["a lost wake-up", lostWakeUp, /its task still runs/, 221],
  ["a message without its key", withoutKey, /is recorded 2 times/, 1],
  ["a gateway that forgets what it has sent", forgetfulGateway, /is recorded 2 times/, 1],
  ["a runner that does not ask for its shard", { ownership: Effect.succeed(() => Effect.succeed(true)) }, /takes the session, and the database says/, 91]
]
