/**
 * Runs the whole agent in one process, under a scheduler, a clock and faults that are drawn from a seed. A process that dies is
 * followed by another one over what it left; rules are checked at every event, and at the end.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { isDeepStrictEqual } from "node:util"
import * as Session from "../../../domain/session/Session.ts"
import type { SessionEvent } from "../../../domain/session/SessionEvent.ts"
import { Agent } from "../../../services/Agent.ts"
import { BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { Checkpoints } from "../../../services/Checkpoints.ts"
import { ClientProgram, ClientProgramError } from "../../../services/extension/ClientProgram.ts"
import { EventLog } from "../../../services/EventLog.ts"
import { Ids } from "../../../services/Ids.ts"
import * as ProviderLive from "../../provider/ProviderLive.ts"
import * as HashChain from "../../storage/HashChain.ts"
import { sha256 } from "../../storage/Digest.ts"
import * as Test from "../../Test.ts"
import { CheckpointError } from "../../../domain/workspace/Checkpoint.ts"
import * as MemoryFiles from "../MemoryFiles.ts"
import * as EventLoop from "./EventLoop.ts"
import * as Life from "./Life.ts"
import * as Monitor from "./Monitor.ts"
import * as ReplayCheck from "./ReplayCheck.ts"
import * as SimulatedFiles from "./SimulatedFiles.ts"
import * as SimulatedModel from "./SimulatedModel.ts"
import * as SimulatedShell from "./SimulatedShell.ts"
import * as SimulatedStorage from "./SimulatedStorage.ts"
import * as SimulatedUser from "./SimulatedUser.ts"
import * as World from "./World.ts"

export interface Outcome {
  readonly seed: number
  /** Rules that were broken; empty for a seed that passes. */
  readonly violations: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  readonly actions: ReadonlyArray<string>
  readonly logs: ReadonlyMap<string, ReadonlyArray<SessionEvent>>
  readonly getBlob: World.World["store"]["getBlob"]
  /** Over everything that happened: the same for the same seed. */
  readonly hash: string
  readonly events: number
  readonly processes: number
  readonly steps: number
}

const ids = (world: World.World) =>
  Layer.succeed(Ids, Ids.of({
    session: Effect.sync(() => `00000000-0000-7000-8000-${String(world.nextName()).padStart(12, "0")}`),
    seed: Effect.sync(() => `seed ${world.seed} ${world.nextName()}`)
  }))

const checkpoints = (world: World.World, life: Life.Life) =>
  Layer.succeed(Checkpoints, {
    ...world.checkpoints,
    save: (options) =>
      life.alive(Effect.suspend(() =>
        world.plan.strike("checkpoint failed") === undefined ? world.checkpoints.save(options)
          : Effect.fail(new CheckpointError({ reason: "Failed", message: "git failed." }))
      ))
  })

/** ms that a hook takes at most. */
const maxHookMs = 2_000

const hooks = ({ dice, plan }: World.World, life: Life.Life) =>
  Layer.succeed(ClientProgram, {
    hook: () =>
      life.alive(Effect.suspend(() => {
        if (plan.strike("hook hung") !== undefined) return Effect.never
        if (plan.strike("hook failed") !== undefined) return new ClientProgramError({ message: "it crashed" })
        const answer = plan.strike("hook denied") === undefined ? {} : { decision: "block", reason: "No." }
        return Effect.as(Effect.sleep(1 + dice("hooks").below(maxHookMs)), answer)
      })),
    send: () => new ClientProgramError({ message: "there are no servers" }),
    subscribe: () => () => {}
  })

const services = (world: World.World, life: Life.Life) =>
  Layer.provide(
    Test.layer({
      approver: SimulatedUser.approver(world, life),
      checkpoints: checkpoints(world, life),
      ids: ids(world),
      jsonFiles: MemoryFiles.layer(world.texts),
      provider: ProviderLive.layer({ routes: [SimulatedModel.route(world, life)] }),
      shell: SimulatedShell.layer(world, life),
      storage: SimulatedStorage.layer(world, life),
      workspace: SimulatedFiles.layer(world, life, Test.cwd)
    }),
    hooks(world, life)
  )

/** One process: from its start until the session is over, or it dies. Returns the steps that it took. */
const runLife = async (world: World.World, life: Life.Life, progress: SimulatedUser.Progress): Promise<number> => {
  const { scheduler } = life
  const program = Effect.gen(function*() {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithMemoMap(services(world, life), yield* Layer.makeMemoMap, scope)
    yield* Effect.provide(
      Effect.andThen(SimulatedUser.visit(world, life, progress, Test.cwd), checkState(world, life)),
      context
    )
    yield* Scope.close(scope, Exit.void)
    yield* checkEnd(world)
  })
  const { end, steps } = await EventLoop.run(program, { ...life, dice: world.dice("random") }, () => {
    if (world.plan.strike("crash between steps") !== undefined) scheduler.kill()
  })
  if (end === "stuck" || end === "endless") world.violations.push(`${ends[end]}; last action: ${world.actions.at(-1)}`)
  else if (end !== "dead" && Exit.isFailure(end)) world.violations.push(`the process fails: ${Cause.pretty(end.cause)}`)
  scheduler.kill()
  // What a dead process had started ends with it.
  for (const process of world.journal.processes) if (process.life === life.number) process.isRunning = false
  return steps
}

const ends = { stuck: "nothing runs any more, and the session is not over", endless: "the session does not come to an end" }

/** The state of every open session is the fold of its stored log. */
const checkState = Effect.fnUntraced(function*(world: World.World, life: Life.Life) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  const commands = yield* BackgroundCommands
  for (const [id, monitor] of world.monitors) {
    const state = yield* agent.state(id)
    const folded = Session.fold(yield* eventLog.read(id))
    if (!isDeepStrictEqual(comparable(state), comparable(folded))) world.violations.push(`${id}: its state is not the fold of its log`)
    if (state.seq !== monitor.session().seq) world.violations.push(`${id}: its log has more events than the process knows`)
    const running = (yield* commands.running(id)).length
    const started = world.journal.processes.filter((process) => process.isRunning && process.life === life.number && process.session === id)
    if (running !== started.length) world.violations.push(`${id}: ${started.length} of its commands run, and ${running} are accounted for`)
  }
})

/** The history for rewinds is a matter of representation. */
const comparable = ({ past: _, ...session }: Session.Session) => session

/** After the process has ended in peace. */
const checkEnd = (world: World.World) =>
  Effect.sync(() => {
    const { journal, monitors, violations } = world
    for (const process of journal.processes) if (process.isRunning) violations.push(`"${process.command}" still runs after the end`)
    for (const [id, monitor] of monitors) {
      if (id !== SimulatedUser.rootSession) continue
      violations.push(...Monitor.openAtEnd(monitor).map((text) => `${id}: ${text}`))
    }
  })

export interface Options extends World.Options {
  /** Whether every log is replayed at the end. */
  readonly replays?: boolean
}

/** Runs one seed to its end. */
export const run = async ({ replays = true, ...options }: Options): Promise<Outcome> => {
  const world = await Effect.runPromise(Effect.scoped(World.make(options)))
  const progress = SimulatedUser.newProgress(world)
  const leases = new Map<string, number>()
  let processes = 0
  let steps = 0
  while (!progress.isOver && world.violations.length === 0) {
    leases.clear()
    const life = Life.make(world, ++processes, leases)
    steps += await runLife(world, life, progress)
    world.time.now += 60_000
  }
  const logs = await Effect.runPromise(readLogs(world))
  if (replays && world.violations.length === 0) {
    for (const [id, log] of logs) {
      const divergence = await ReplayCheck.divergence(world.seed, log, world.store.getBlob)
      if (divergence !== undefined) world.violations.push(`${id}: ${divergence}`)
    }
  }
  return outcome(world, logs, { processes, steps })
}

type Logs = ReadonlyMap<string, ReadonlyArray<SessionEvent>>

/** Every stored log, verified. */
const readLogs = Effect.fnUntraced(function*({ store }: World.World) {
  const summaries = yield* store.list({})
  const logs = yield* Effect.forEach(summaries.map(({ id }) => id).toSorted(), (id) =>
    Effect.map(Effect.flatMap(store.read(id, 0), (lines) => HashChain.verify(id, lines)), (log) => [id, log] as const))
  return new Map(logs) satisfies Logs as Logs
})

const outcome = (world: World.World, logs: Logs, counts: Pick<Outcome, "processes" | "steps">): Outcome => {
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
