/** The agent: fold, next, perform. Each session's tasks run in fibers of this layer's scope. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Closing from "../../domain/session/Interruption.ts"
import { noEvent, notFound, type LogError } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import * as Step from "../../domain/session/Step.ts"
import { Agent, type Back, type Wanted } from "../../services/Agent.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Budget } from "../../services/Budget.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Children } from "../../services/Subagents.ts"
import type { ContextWindow } from "../../services/ContextWindow.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog, type SessionLog } from "../../services/EventLog.ts"
import { Ids } from "../../services/Ids.ts"
import { Intake } from "../../services/Intake.ts"
import { Jobs } from "../../services/BackgroundCommands.ts"
import type { Parser } from "../../services/Parser.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Tools } from "../../services/Tools.ts"
import { askForMore } from "./AskForMore.ts"
import { ask } from "./Ask.ts"
import { callModel, settleDraft } from "./CallModel.ts"
import { compactNow } from "./Compact.ts"
import { goBack } from "./GoBack.ts"
import { probe } from "./ProbeEdit.ts"
import { propose } from "./JudgeCalls.ts"
import { tellAbove } from "./BudgetReservation.ts"
import { runTools } from "./RunTools.ts"
import { saveCheckpoint } from "./Checkpointing.ts"
import * as Settle from "./ResolveSettings.ts"
import { askToWait } from "./AskToWait.ts"

type Needs = Approval | Approver | Budget | Checkpoints | Children | ContextWindow | Parser | Provider | Tools

/** Carries out one step; every step ends in an append, which the next step is decided from. */
const perform = (log: SessionLog, session: Session.Session) =>
  Step.Step.$match({
    Rest: () => Effect.void,
    CallModel: () => callModel(log, session),
    Compact: () => compactNow(log, session),
    Propose: ({ calls }) => propose(log, session, calls),
    Ask: ({ call }) => ask(log, session, call),
    Checkpoint: () => saveCheckpoint(log, session),
    Run: ({ calls }) => runTools(log, session, calls),
    Close: ({ call: { call }, outcome }) => log.append([{ _tag: "ToolFinished", call: call.id, outcome }], session.seq),
    Probe: ({ call }) => probe(log, session, call),
    AskForMore: ({ refusal }) => askForMore(log, session, refusal),
    Remind: ({ text }) => log.append([{ _tag: "Reminded", text }], session.seq),
    Finish: ({ result }) => log.append([{ _tag: "TaskFinished", result }], session.seq),
    FallBack: ({ to, why }) => log.append([{ _tag: "FallbackTaken", ...to, why }], session.seq),
    Wait: ({ delayMs, message }) => log.append([{ _tag: "ModelWaiting", message, delayMs }], session.seq),
    AskToWait: (wait) => askToWait(log, session, wait),
    Fail: ({ message, reason }) => log.append([{ _tag: "TaskFailed", reason, message }], session.seq)
  })

/** Runs until the task is over. A step that was decided from an old state is decided again. */
const loop = Effect.fn("Agent.loop")(function*(log: SessionLog) {
  while (true) {
    const session = yield* log.state
    const step = Step.next(session)
    if (step._tag === "Rest") return session
    yield* perform(log, session)(step).pipe(Effect.catchTag("Stale", () => Effect.void))
  }
})

/** Once nothing runs any more: a task that was in its middle is marked interrupted, once, and every open call has an outcome. */
const closeOpen = (log: SessionLog, why: string): Effect.Effect<void, LogError, Budget> =>
  Effect.gen(function*() {
    const session = yield* log.state
    if (session.task.state !== "running" && !session.gauge.asked) return
    const draft = yield* settleDraft(log, session)
    yield* log.append([{ _tag: "Interrupted", why }, ...Closing.interrupted(session, draft)], session.seq)
    if (draft !== null) yield* log.draft(null)
    yield* tellAbove(session)
  }).pipe(Effect.catchTag("Stale", () => closeOpen(log, why)))

/** A session that is open here: one task at a time, in order of asking. */
interface Running {
  readonly log: SessionLog
  readonly turn: Semaphore.Semaphore
  readonly fibers: FiberSet.FiberSet<unknown, LogError>
  /** Why its fibers are being interrupted. */
  why: string
  ended: Exit.Exit<unknown, LogError>
}

export const layer = Layer.effect(Agent, Effect.gen(function*() {
  const checkpoints = yield* Checkpoints
  const context = yield* Effect.context<Needs>()
  const environment = yield* Environment
  const eventLog = yield* EventLog
  const ids = yield* Ids
  const intake = yield* Intake
  const jobs = yield* Jobs
  const settle = yield* Settle.make
  const scope = yield* Effect.scope

  const sessions = yield* RcMap.make({
    lookup: Effect.fnUntraced(function*(id: string) {
      const log = yield* eventLog.open(id)
      const running: Running = {
        log,
        turn: yield* Semaphore.make(1),
        fibers: yield* FiberSet.make<unknown, LogError>(),
        why: "dacapo was stopped",
        ended: Exit.void
      }
      return running
    })
  })
  const opened = (id: string) => RcMap.get(sessions, id).pipe(Scope.provide(scope))

  const wake = (running: Running) =>
    loop(running.log).pipe(
      Effect.onInterrupt(() => Effect.ignore(closeOpen(running.log, running.why))),
      Effect.provide(Context.add(context, Agent, agent)),
      Effect.onExit((exit) => Effect.sync(() => void (running.ended = exit))),
      running.turn.withPermits(1),
      FiberSet.run(running.fibers)
    )

  const start = Effect.fn("Agent.start")(function*(wanted: Wanted) {
    const { id = yield* ids.session, name } = wanted
    const started = yield* settle(wanted)
    const { log } = yield* opened(id)
    yield* log.append([{
      _tag: "SessionStarted",
      id,
      dacapo: environment.version,
      cwd: wanted.cwd,
      home: environment.folders.home,
      seed: yield* ids.seed,
      ...(wanted.parent === undefined ? {} : { parent: wanted.parent }),
      settings: started
    }, ...(name === undefined ? [] : [{ _tag: "SessionNamed", name } as const])])
    return id
  })

  /** Settings of a session that goes on: what it had, and what is asked for. */
  const again = ({ cwd, settings: before }: Session.Session, wanted: Partial<Omit<Wanted, "cwd">>) =>
    settle({ cwd, ...Settle.asked(before, wanted) })

  const fork = Effect.fn("Agent.fork")(function*(origin: string, { at, wanted }: Parameters<Agent["Service"]["fork"]>[1]) {
    const events = yield* eventLog.read(origin)
    const seq = at ?? events.length - 1
    const session = Session.fold(events.slice(0, seq + 1))
    const started = yield* again(session, wanted)
    const id = yield* ids.session
    const hash = yield* eventLog.fork(origin, seq, id)
    // Without it a fork has no files to go back to before its first edit, and loses nothing else.
    if (session.checkpoint.id !== undefined) yield* Effect.ignore(checkpoints.adopt(id, session.checkpoint.id))
    const { log } = yield* opened(id)
    yield* log.append([{
      _tag: "SessionStarted",
      id,
      dacapo: environment.version,
      cwd: session.cwd,
      home: environment.folders.home,
      seed: yield* ids.seed,
      settings: started,
      origin: { id: origin, seq, hash }
    }])
    return id
  })

  const rewind = Effect.fn("Agent.rewind")(function*(id: string, back: Back) {
    const { log, turn } = yield* opened(id)
    return yield* turn.withPermits(1)(Effect.gen(function*() {
      const { seq } = yield* log.state
      const events = (yield* eventLog.read(id)).slice(0, seq + 1)
      if (back.to < 0 || back.to > seq) return yield* noEvent(id, back.to, events.length)
      return yield* Effect.provide(goBack(log, events, back), context)
    }))
  })

  const resume = Effect.fn("Agent.resume")(function*(id: string, { goOn, wanted }: Parameters<Agent["Service"]["resume"]>[1]) {
    const running = yield* opened(id)
    const session = yield* running.log.state
    if (session.seq < 0) return yield* notFound(id, [])
    const now = yield* again(session, wanted)
    const draft = yield* settleDraft(running.log, session)
    yield* running.log.append([
      { _tag: "Resumed", settings: now, dacapo: environment.version, goOn },
      ...Closing.crashed(session, draft)
    ])
    if (draft !== null) yield* running.log.draft(null)
    if (session.model === "requested") yield* Effect.provide(tellAbove(session), context)
    yield* wake(running)
  })

  const say: Agent["Service"]["say"] = Effect.fn("Agent.say")(function*(id, text, delivery = "task", from = "user") {
    const running = yield* opened(id)
    const { parts, text: told } = from === "agent" ? { parts: [], text }
      : yield* intake.read({ session: yield* running.log.state, putBlob: running.log.putBlob, getBlob: running.log.getBlob }, text)
    yield* running.log.append([{ _tag: "UserSaid", text: told, delivery, ...(parts.length === 0 ? {} : { parts }) }])
    yield* wake(running)
  })

  const agent = Agent.of({
    start,
    resume,
    rewind,
    fork,
    say,
    switchMode: Effect.fn("Agent.switchMode")(function*(id, mode) {
      const running = yield* opened(id)
      yield* running.log.append([{ _tag: "ModeSwitched", mode }])
      yield* wake(running)
    }),
    compact: Effect.fn("Agent.compact")(function*(id, words = "") {
      const running = yield* opened(id)
      yield* running.log.append([{ _tag: "CompactionAsked", ...(words === "" ? {} : { words }) }])
      yield* wake(running)
    }),
    interrupt: Effect.fn("Agent.interrupt")(function*(id, why) {
      const running = yield* Effect.orDie(opened(id))
      running.why = why
      yield* FiberSet.clear(running.fibers)
      yield* jobs.stop(id)
      // A fiber that had not begun has closed nothing.
      yield* Effect.orDie(Effect.provide(closeOpen(running.log, why), context))
    }),
    settled: Effect.fn("Agent.settled")(function*(id) {
      const running = yield* opened(id)
      yield* running.turn.withPermits(1)(Effect.void)
      if (Exit.isFailure(running.ended) && !Cause.hasInterruptsOnly(running.ended.cause)) return yield* Effect.failCause(running.ended.cause)
      return yield* running.log.state
    }),
    state: (id) => Effect.flatMap(opened(id), ({ log }) => log.state),
    follow: (id, from) => Stream.unwrap(Effect.map(opened(id), ({ log }) => log.follow(from)))
  })
  return agent
}))
