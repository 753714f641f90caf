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
import type * as Tool from "../../../services/Tool.ts"
import * as ProviderLive from "../../provider/ProviderLive.ts"
import * as HashChain from "../../storage/HashChain.ts"
import { sha256 } from "../../storage/Digest.ts"
import type * as Composition from "../../Composition.ts"
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

export type { Dice } from "./Dice.ts"
export type { FaultPlan, Kind as FaultKind, Options as FaultOptions } from "./FaultPlan.ts"
export type { Life } from "./Life.ts"
export type { Monitor } from "./Monitor.ts"
export type { SeededScheduler } from "./SeededScheduler.ts"
export type { Call as SimulatedCall, MakeCall } from "./SimulatedModel.ts"
export type { Time, VirtualClock } from "./VirtualClock.ts"
export type { Journal, Options as WorldOptions, StartedProcess, World } from "./World.ts"

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

const ids = (world: World.World) =>
  Layer.succeed(
    Ids,
    Ids.of({
      session: Effect.sync(() => `00000000-0000-7000-8000-${String(world.nextName()).padStart(12, "0")}`),
      seed: Effect.sync(() => `seed ${world.seed} ${world.nextName()}`)
    })
  )

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

/** What a replacement is made of: the world of a seed, and one of its processes. */
export interface Place {
  readonly world: World.World
  readonly life: Life.Life
}

/** The seed, and what is different from the usual world. */
export interface Options extends World.Options {
  /** Whether every log is replayed at the end; by default it is. */
  readonly replays?: boolean
  /** Whether the session is forked at each of its events, at the end. */
  readonly forks?: boolean
  /** Tools of one's own, and calls of them that the model may make. */
  readonly tools?: ReadonlyArray<Tool.Any<never>>
  readonly calls?: ReadonlyArray<SimulatedModel.MakeCall>
  /** Layers in place of the world's, built for each process: services of one's own, or faults planted to be found. */
  readonly replace?: (place: Place) => Partial<Composition.Parts<never, Composition.All>>
}

const services = ({ life, world }: Place, { calls, replace = () => ({}), tools = [] }: Options) =>
  Layer.provide(
    Test.layer({
      approver: SimulatedUser.approver(world, life),
      checkpoints: checkpoints(world, life),
      ids: ids(world),
      jsonFiles: MemoryFiles.layer(world.texts),
      provider: ProviderLive.layer({ routes: [SimulatedModel.route(world, life, calls)] }),
      shell: SimulatedShell.layer(world, life),
      storage: SimulatedStorage.layer(world, life),
      tools,
      workspace: SimulatedFiles.layer(world, life, Test.cwd),
      ...replace({ world, life })
    }),
    hooks(world, life)
  ) as Layer.Layer<Composition.All>

/** Steps of its successor after which a process that was stopped wakes up, at most, and the steps that it makes then. */
const maxSleepSteps = 120
const wakingSteps = 300

/** Steps that it makes between two of its successor's, at most. */
const maxStepsAtOnce = 12

/** A process from its start until the session is over, or it dies or is stopped. */
const runLife = async (place: Place, progress: SimulatedUser.Progress, options: Options, earlier: Life.Life | undefined) => {
  const { life, world } = place
  const { scheduler } = life
  const program = Effect.gen(function*() {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithMemoMap(services(place, options), yield* Layer.makeMemoMap, scope)
    yield* Effect.provide(
      Effect.andThen(
        SimulatedUser.visit(world, life, progress, {
          cwd: Test.cwd,
          isForked: options.forks === true,
          ownTools: (options.tools ?? []).map(({ name }) => name)
        }),
        checkState(world, life)
      ),
      context
    )
    yield* Scope.close(scope, Exit.void)
    yield* checkEnd(world)
  })
  const dice = world.dice("waking")
  let waking = earlier === undefined ? 0 : wakingSteps
  let asleep = dice.below(maxSleepSteps)
  let isStopped = false
  const { end, steps } = await EventLoop.run(program, { ...life, dice: world.dice("random") }, () => {
    if (world.plan.strike("crash between steps") !== undefined) scheduler.kill()
    if (world.plan.strike("process stopped") !== undefined) return void (isStopped = true)
    if (earlier === undefined || asleep-- > 0) return
    for (let count = dice.below(maxStepsAtOnce); count > 0 && waking > 0; count--) {
      earlier.clock.wakeDue()
      if (earlier.scheduler.isIdle) return
      waking--
      earlier.scheduler.step()
    }
  }, () => isStopped)
  earlier?.scheduler.kill()
  // What a process had started ends with it, and is cut off from one that was stopped.
  for (const entry of world.journal.processes) if (entry.life === life.number) entry.isRunning = false
  if (end === "stopped") {
    life.stop()
    return { steps, stopped: life }
  }
  if (end === "stuck" || end === "endless") world.violations.push(`${ends[end]}; last action: ${world.actions.at(-1)}`)
  else if (end !== "dead" && Exit.isFailure(end)) world.violations.push(`the process fails: ${Cause.pretty(end.cause)}`)
  scheduler.kill()
  return { steps, stopped: undefined }
}

const ends = { stuck: "nothing runs any more, and the session is not over", endless: "the session does not come to an end" }

/** The state of every open session is the fold of its stored log. */
const checkState = Effect.fnUntraced(function*(world: World.World, life: Life.Life) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  const commands = yield* BackgroundCommands
  const hasLostReads = world.plan.faults.some((fault) => fault.startsWith("read refused"))
  for (const [id, monitor] of world.monitors) {
    const state = yield* agent.state(id)
    // Where neither an acknowledgement nor a read arrived, the next append of the session clears it up.
    if (hasLostReads && id !== SimulatedUser.rootSession && state.seq < monitor.session().seq) continue
    const folded = Session.fold(yield* eventLog.read(id))
    if (!isDeepStrictEqual(comparable(state), comparable(folded))) world.violations.push(`${id}: its state is not the fold of its log`)
    if (state.seq !== monitor.session().seq) world.violations.push(`${id}: its log has more events than the process knows`)
    const running = (yield* commands.running(id)).length
    const started = world.journal.processes.filter((entry) => entry.isRunning && entry.life === life.number && entry.session === id)
    if (running !== started.length) world.violations.push(`${id}: ${started.length} of its commands run, and ${running} are accounted for`)
  }
})

/** The history for rewinds is a matter of representation. */
const comparable = ({ past: _, ...session }: Session.Session) => session

/** After the process has ended in peace. */
const checkEnd = (world: World.World) =>
  Effect.sync(() => {
    const { journal, monitors, violations } = world
    for (const entry of journal.processes) if (entry.isRunning) violations.push(`"${entry.command}" still runs after the end`)
    for (const [id, monitor] of monitors) {
      if (id !== SimulatedUser.rootSession) continue
      violations.push(...Monitor.openAtEnd(monitor).map((text) => `${id}: ${text}`))
    }
  })

/** Loads every layer once in real time: a module that is still being loaded would be waited for in virtual time. */
const load = () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const world = yield* World.make({ seed: 0, kinds: [] })
    yield* Layer.build(services({ world, life: Life.make(world, 1, new Map()) }, { seed: 0 }))
  })))
let loading: ReturnType<typeof load> | undefined

/** Runs one seed to its end. */
export const run = async (options: Options): Promise<Outcome> => {
  await (loading ??= load())
  const world = await Effect.runPromise(Effect.scoped(World.make(options)))
  const progress = SimulatedUser.newProgress(world)
  const leases = new Map<string, number>()
  let processes = 0
  let steps = 0
  let stopped: Life.Life | undefined
  while (!progress.isOver && world.violations.length === 0) {
    leases.clear()
    const life = Life.make(world, ++processes, leases)
    const lived = await runLife({ world, life }, progress, options, stopped)
    steps += lived.steps
    stopped = lived.stopped
    world.time.now += timeBetweenMs
  }
  const logs = await Effect.runPromise(readLogs(world))
  if (options.replays !== false && world.violations.length === 0) {
    for (const [id, log] of logs) {
      const divergence = await ReplayCheck.divergence(world.seed, log, world.store.getBlob, options.tools)
      if (divergence !== undefined) world.violations.push(`${id}: ${divergence}`)
    }
  }
  return outcome(world, logs, { processes, steps })
}

/** ms between the end of a process and the start of the next one. */
const timeBetweenMs = 60_000

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
