/** Faults planted in a cluster, one of each kind: the simulation must find every one of them. */
import * as Effect from "effect/Effect"
import type { ClusterParts } from "../../../../src/layers/testing/simulation/cluster/ClusterSimulation.ts"
import type { RunningSession, SessionHost } from "../../../../src/services/cluster/SessionHost.ts"

const sessions = (change: (session: RunningSession) => RunningSession): ClusterParts => ({
  host: (host: SessionHost["Service"]) => ({ open: (id, operation) => Effect.map(host.open(id, operation), change) })
})

/** Work that is answered before it is done: nobody continues what a dead runner has left. */
const lostWakeUp = sessions((session) => ({ ...session, settled: () => Effect.void }))

/** Messages that the dead runner had begun with are not given to the next one. */
const lostMessage: ClusterParts = { messages: (messages) => ({ ...messages, resetShards: () => Effect.void }) }

const withoutKey = sessions((session) => ({
  ...session,
  run: (operation) => {
    if (operation._tag !== "Say") return session.run(operation)
    const { key: _, ...say } = operation
    return session.run(say)
  }
}))

/** Each with the rule that it breaks. */
export const plantedInClusters: ReadonlyArray<readonly [name: string, parts: ClusterParts, rule: RegExp]> = [
  ["a store without its fence", { isFenced: false }, /a process writes that has lost the session/],
  ["a lost wake-up", lostWakeUp, /its task still runs/],
  ["a message that is not delivered again", lostMessage, /its task still runs|is lost/],
  ["a message without its key", withoutKey, /is recorded 2 times/],
  ["a runner that does not ask for its shard", { ownership: Effect.succeed(() => Effect.succeed(true)) }, /takes the session, and the database says/]
]
