/** The run of a replay (`Replay.ts`): the agent over the log, and what came from outside delivered at its place. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import { optional } from "../../domain/Optional.ts"
import type { SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { IdleTime } from "../../services/process/IdleTime.ts"
import * as HashChain from "../storage/HashChain.ts"
import * as Core from "../Core.ts"
import * as ProgramTools from "./ProgramTools.ts"
import * as ReplayLayers from "./ReplayLayers.ts"
import * as ReplayRequests from "./ReplayRequests.ts"
import { Diverged } from "./Diverged.ts"
import * as ReplayLog from "./ReplayLog.ts"
import { sessionOptions } from "../agent/ResolveSettings.ts"

/** Milliseconds that the agent may be idle while the log says that it produces something. */
const maxIdleMs = 10_000

/** Fails when this process has been idle for so long: a slow or busy machine takes its time without causing a divergence. */
const detectStall = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog) {
  const idle = yield* IdleTime
  let head = yield* log.head
  let startIdle = idle()
  while (true) {
    yield* Effect.sleep("1 second")
    const newHead = yield* log.head
    if (newHead === head && idle() - startIdle >= maxIdleMs) return yield* log.diverged(head + 1, null)
    if (newHead !== head) startIdle = idle()
    head = newHead
  }
})

/**
 * Verifies that the session reproduces its log; fails with the first event that differs. `until`: only up to there.
 * `programTools` and `programProviders` are those that this program does not have: what calls of these tools touch, and what requests to
 * these providers contain, was taken from the log.
 */
export const verify = Effect.fn("Replay.verify")(function*(
  events: ReadonlyArray<SessionEvent>,
  { getBlob, until = events.length - 1 }: { readonly getBlob: ReplayLayers.GetBlob; readonly until?: number }
) {
  const log = ReplayLog.make(events)
  yield* run(log, { getBlob }, until)
  const names = (set: ReadonlySet<string>) => set.size === 0 ? undefined : [...set].toSorted()
  return {
    events: until + 1,
    ...optional({ programTools: names(log.programTools), programProviders: names(log.programProviders) })
  }
})

/**
 * The log that these inputs produce: what we compute is recomputed and replaces the recording, up to and including
 * `until`, or to where the run diverges. The remainder is preserved, and chained to it.
 */
export const rewrite = Effect.fn("Replay.rewritten")(
  function*(events: ReadonlyArray<SessionEvent>, blobs: ReplayLayers.Blobs, until: number) {
    const log = ReplayLog.make(events, true)
    yield* run(log, blobs, until).pipe(Effect.catchTag("Diverged", () => Effect.void))
    return HashChain.rehash(log.events, (event) => event)
  }
)

const run = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, blobs: ReplayLayers.Blobs, until: number) {
  const clock = yield* ReplayLayers.clock
  const all = Effect.gen(function*() {
    while ((yield* log.head) < until) yield* runLife(log, blobs, clock, until)
  })
  yield* Effect.catchDefect(all, (defect) => defect instanceof Diverged ? Effect.fail(defect) : Effect.die(defect))
})

/** The agent over a log: each input comes from it, everything else is recomputed. */
export const replayLayers = (log: ReplayLog.ReplayLog, blobs: ReplayLayers.Blobs, clock: Clock.Clock, alive: () => boolean) =>
  Core.agent.agent.pipe(
    Layer.provide([
      ReplayRequests.provider(log, blobs.getBlob),
      ReplayRequests.context(log, blobs.getBlob),
      ReplayLayers.hooks(log),
      ReplayLayers.intake(log),
      ReplayLayers.tools(log),
      ProgramTools.approval(log),
      ReplayLayers.approver(log),
      ReplayLayers.budget(log),
      ReplayLayers.checkpoints(log),
      ReplayLayers.subagents(log),
      ReplayLayers.worktrees(log),
      ReplayLayers.ids(log),
      ReplayLayers.commands,
      ReplayLayers.environment(log),
      ReplayLayers.crashReports,
      Layer.succeed(Clock.Clock, clock)
    ]),
    Layer.provideMerge(ReplayLayers.eventLog(log, blobs, alive))
  )

/** One process of the recorded session: from where it opened the session until it ended or died. */
const runLife = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, blobs: ReplayLayers.Blobs, clock: Clock.Clock, until: number) {
  let alive = true
  const scope = yield* Scope.make()
  // A separate memo map: an agent already built by the caller is another one, and it is live.
  const services = yield* Layer.buildWithMemoMap(
    replayLayers(log, blobs, clock, () => alive),
    yield* Layer.makeMemoMap,
    scope
  )
  yield* Effect.raceFirst(drive(log, until), detectStall(log)).pipe(
    Effect.provide(services),
    Effect.ensuring(Effect.suspend(() => {
      alive = false
      return Scope.close(scope, Exit.void)
    }))
  )
})

/** Injects external events when the log reaches them, and waits for everything else. */
const drive = Effect.fnUntraced(function*(log: ReplayLog.ReplayLog, until: number) {
  const agent = yield* Agent
  const startHead = yield* log.head
  // If another life begins in the middle of what an arrival brings, as in a fork, that never returns.
  const end = log.events.findIndex((at) => at.seq > startHead + 1 && log.isStart(at))
  const lifeEnd = end < 0 ? Effect.never : log.reached(end - 1)
  while (true) {
    const head = yield* log.head
    const next = log.events[head + 1]
    if (next === undefined || head >= until) return
    if (log.isStart(next) && head > startHead) return
    const id = yield* log.id
    if (ReplayLog.isInput(next)) yield* Effect.raceFirst(replayInput(id, next), lifeEnd)
    if ((yield* log.head) >= next.seq) continue
    const agentEnd = head < 0 ? Effect.never : Effect.andThen(agent.settled(id), Effect.never)
    yield* Effect.raceFirst(log.reached(next.seq), agentEnd)
  }
})

const replayInput = Effect.fnUntraced(function*(id: string, { event }: SessionEvent) {
  const agent = yield* Agent
  const eventLog = yield* EventLog
  switch (event._tag) {
    case "SessionStarted":
      return event.origin !== undefined
        ? yield* agent.fork(event.origin.id, { at: event.origin.seq, overrides: sessionOptions(event.settings) })
        : yield* agent.start({
          cwd: event.cwd,
          ...sessionOptions(event.settings),
          ...optional({ parent: event.parent })
        })
    case "Resumed":
      return yield* agent.resume(id, { overrides: sessionOptions(event.settings), shouldContinue: event.goOn })
    case "Rewound":
      return yield* agent.rewind(id, { ...event, remove: [] })
    case "UserSaid":
      return yield* agent.say(id, event.text, event.delivery, "user", event.key)
    case "ModeSwitched":
      return yield* agent.switchMode(id, event.mode)
    case "CompactionAsked":
      return yield* agent.compact(id, event.words)
    case "Interrupted":
      return yield* agent.interrupt(id, event.why, event.savesFiles === true)
    default:
      // What other sessions wrote into this log.
      return yield* Effect.scoped(Effect.flatMap(eventLog.open(id), (log) => log.append([event])))
  }
})
