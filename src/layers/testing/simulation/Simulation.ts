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
import { Agent } from "../../../services/Agent.ts"
import { BackgroundCommands } from "../../../services/BackgroundCommands.ts"
import { EventLog } from "../../../services/EventLog.ts"
import * as Test from "../../Test.ts"
import * as EventLoop from "./EventLoop.ts"
import * as Life from "./Life.ts"
import * as Monitor from "./Monitor.ts"
import * as Outcome from "./Outcome.ts"
import { load, type Place, type Replacements, services } from "./SimulatedServices.ts"
import * as SimulatedUser from "./SimulatedUser.ts"
import * as World from "./World.ts"

export type { Dice } from "./Dice.ts"
export type { FaultPlan, Kind as FaultKind, Options as FaultOptions } from "./FaultPlan.ts"
export type { Life } from "./Life.ts"
export type { Monitor } from "./Monitor.ts"
export type { Options as OutcomeOptions, Outcome } from "./Outcome.ts"
export type { SeededScheduler } from "./SeededScheduler.ts"
export type { Call as SimulatedCall, MakeCall } from "./SimulatedModel.ts"
export type { Place, Replacements } from "./SimulatedServices.ts"
export type { Time, VirtualClock } from "./VirtualClock.ts"
export type { Journal, Options as WorldOptions, StartedProcess, World } from "./World.ts"

/** The seed, and what is different from the usual world. */
export interface Options extends World.Options, Outcome.Options, Replacements {
  /** Whether the session is forked at each of its events, at the end. */
  readonly forks?: boolean
}

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

/** Runs one seed to its end. */
export const run = async (options: Options): Promise<Outcome.Outcome> => {
  await load()
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
  return Outcome.conclude(world, options, { processes, steps })
}

/** ms between the end of a process and the start of the next one. */
const timeBetweenMs = 60_000
