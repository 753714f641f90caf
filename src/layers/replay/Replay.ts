/**
 * Runs a recorded session again: the same agent, every crossing answered from the log, every event of ours computed
 * anew and compared with what was recorded, hash for hash.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import * as Chain from "../storage/HashChain.ts"
import * as AgentLive from "../agent/AgentLive.ts"
import * as Layers from "./ReplayLayers.ts"
import * as ReplayLog from "./ReplayLog.ts"
import { asked } from "../agent/ResolveSettings.ts"

export { Diverged } from "./ReplayLog.ts"

/** Milliseconds that the agent may have nothing to do while the log says that something comes from it. */
const idleFor = 10_000

/** Ends when this process has been idle for so long: a slow or busy machine takes its time and is no other way. */
const stalled = Effect.suspend(() => {
  const idle = () => performance.eventLoopUtilization().idle
  const begun = idle()
  return Effect.repeat(Effect.sleep("1 second"), { while: () => idle() - begun < idleFor })
})

/** Verifies that the session gives the same log again; fails with the first event that differs. `until`: only so far. */
export const verify = Effect.fn("Replay.verify")(function*(
  events: ReadonlyArray<SessionEvent>,
  { getBlob, until = events.length - 1 }: { readonly getBlob: Layers.GetBlob; readonly until?: number }
) {
  yield* run(yield* ReplayLog.make(events), { getBlob }, until)
  return { events: until + 1 }
})

/**
 * The log as these crossings give it: what we compute is computed anew and takes the place of what was recorded, up to
 * and with `until`, or to where the run goes another way. What follows is left, and chained to it.
 */
export const rewritten = Effect.fn("Replay.rewritten")(function*(events: ReadonlyArray<SessionEvent>, blobs: Layers.Blobs, until: number) {
  const log = yield* ReplayLog.make(events, true)
  yield* run(log, blobs, until).pipe(Effect.catchTag("Diverged", () => Effect.void))
  return Chain.rehash(log.events, (event) => event)
})

const run = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, blobs: Layers.Blobs, until: number) {
  const clock = yield* Layers.clock
  const all = Effect.gen(function*() {
    while ((yield* log.head) < until) yield* life(log, blobs, clock, until)
  })
  yield* Effect.catchDefect(all, (defect) => defect instanceof ReplayLog.Diverged ? Effect.fail(defect) : Effect.die(defect))
})

/** The agent over a log: each crossing is answered from it, everything else is computed anew. */
export const world = (log: ReplayLog.ReplayLog, blobs: Layers.Blobs, clock: Clock.Clock, alive: () => boolean) =>
  AgentLive.layer.pipe(
    Layer.provide([
      Layers.provider(log, blobs.getBlob),
      Layers.context(log),
      Layers.intake(log),
      Layers.tools(log),
      Layers.approver(log),
      Layers.budget(log),
      Layers.checkpoints(log),
      Layers.children(log),
      Layers.worktrees(log),
      Layers.ids(log),
      Layers.jobs,
      Layers.environment(log),
      Layer.succeed(Clock.Clock, clock)
    ]),
    Layer.provideMerge(Layers.eventLog(log, blobs, alive))
  )

/** One process of the recorded session: from where it took it up until it ended or died. */
const life = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, blobs: Layers.Blobs, clock: Clock.Clock, until: number) {
  let alive = true
  const scope = yield* Scope.make()
  // A memo map of its own: an agent that the surroundings have built already is another one, and it is real.
  const services = yield* Layer.buildWithMemoMap(
    world(log, blobs, clock, () => alive),
    yield* Layer.makeMemoMap,
    scope
  )
  yield* drive(log, until).pipe(
    Effect.provide(services),
    Effect.ensuring(Effect.suspend(() => {
      alive = false
      return Scope.close(scope, Exit.void)
    }))
  )
})

/** Brings what came by itself when the log reaches it, and waits for everything else. */
const drive = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, until: number) {
  const agent = yield* Agent
  const begun = yield* log.head
  while (true) {
    const head = yield* log.head
    const next = log.events[head + 1]
    if (next === undefined || head >= until) return
    if (ReplayLog.isLife(next) && head > begun) return
    const id = yield* log.id
    if (ReplayLog.isArrival(next)) yield* arrive(id, next)
    const died = head < 0 ? Effect.never : Effect.andThen(agent.settled(id), Effect.never)
    const came = Effect.as(Effect.raceFirst(log.reached(next.seq), died), true)
    if (!(yield* Effect.raceFirst(came, Effect.as(stalled, false)))) return yield* log.diverged(next.seq, null)
  }
})

const arrive = Effect.fnUntraced(function*(id: string, { event }: SessionEvent) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  switch (event._tag) {
    case "SessionStarted":
      return event.origin !== undefined
        ? yield* agent.fork(event.origin.id, { at: event.origin.seq, wanted: asked(event.settings) })
        : yield* agent.start({
          cwd: event.cwd,
          ...asked(event.settings),
          ...(event.parent === undefined ? {} : { parent: event.parent })
        })
    case "Resumed":
      return yield* agent.resume(id, { wanted: asked(event.settings), goOn: event.goOn })
    case "Rewound":
      return yield* agent.rewind(id, { ...event, remove: [] })
    case "UserSaid":
      return yield* agent.say(id, event.text, event.delivery)
    case "ModeSwitched":
      return yield* agent.switchMode(id, event.mode)
    case "CompactionAsked":
      return yield* agent.compact(id, event.words)
    case "Interrupted":
      return yield* agent.interrupt(id, event.why)
    default:
      // What others wrote into this log.
      return yield* Effect.scoped(Effect.flatMap(eventLog.open(id), (log) => log.append([event])))
  }
})
