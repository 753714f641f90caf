/** What became of a seed: its logs, which are replayed, and a hash over everything that happened. */
import * as Effect from "effect/Effect"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import type * as Tool from "../../../services/Tool.ts"
import * as HashChain from "../../storage/HashChain.ts"
import { sha256 } from "../../storage/Digest.ts"
import * as ReplayCheck from "./ReplayCheck.ts"
import type * as World from "./World.ts"

/** What became of a seed. */
export interface Outcome {
  readonly seed: number
  /** Rules that were broken; empty for a seed that passes. */
  readonly violations: ReadonlyArray<string>
  /** The faults that happened, by name. */
  readonly faults: ReadonlyArray<string>
  /** What the user did, each with the number of the process. */
  readonly actions: ReadonlyArray<string>
  readonly logs: ReadonlyMap<string, ReadonlyArray<SessionEvent>>
  readonly getBlob: World.World["store"]["getBlob"]
  /** Over everything that happened: the same for the same seed. */
  readonly hash: string
  readonly events: number
  readonly processes: number
  readonly steps: number
}

export interface Options {
  /** Whether every log is replayed at the end; by default it is. */
  readonly replays?: boolean
  /** Tools of one's own. */
  readonly tools?: ReadonlyArray<Tool.Any<never>>
}

type Counts = Pick<Outcome, "processes" | "steps">

/** The end of a seed. */
export const conclude = async (world: World.World, options: Options, counts: Counts): Promise<Outcome> => {
  const logs = await Effect.runPromise(readLogs(world))
  if (options.replays !== false && world.violations.length === 0) {
    for (const [id, log] of logs) {
      const divergence = await ReplayCheck.divergence(world.seed, log, world.store.getBlob, options.tools)
      if (divergence !== undefined) world.violations.push(`${id}: ${divergence}`)
    }
  }
  return outcome(world, logs, counts)
}

type Logs = ReadonlyMap<string, ReadonlyArray<SessionEvent>>

/** Every stored log, verified. */
const readLogs = Effect.fnUntraced(function*({ store }: World.World) {
  const summaries = yield* store.list({})
  const logs = yield* Effect.forEach(
    summaries.map(({ id }) => id).toSorted(),
    (id) => Effect.map(Effect.flatMap(store.read(id, 0), (lines) => HashChain.verify(id, lines)), (log) => [id, log] as const)
  )
  return new Map(logs) satisfies Logs as Logs
})

const outcome = (world: World.World, logs: Logs, counts: Counts): Outcome => {
  const { actions, plan: { faults }, seed, store, time, violations } = world
  const heads = [...logs].map(([id, log]) => [id, log.at(-1)?.hash])
  return {
    seed,
    violations,
    faults,
    actions,
    logs,
    getBlob: store.getBlob,
    hash: sha256(JSON.stringify([heads, faults, actions, violations, time.now, counts])),
    events: [...logs.values()].reduce((sum, log) => sum + log.length, 0),
    ...counts
  }
}
