/** The agent: fold, next, perform. Each session's tasks run in fibers of this layer's scope. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import * as Interruption from "../../domain/session/Interruption.ts"
import { alreadyExists, LogError, noEvent, notFound } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import * as Step from "../../domain/session/Step.ts"
import { Agent, type RewindOptions, type SessionOptions } from "../../services/Agent.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Budget } from "../../services/Budget.ts"
import { Checkpoints } from "../../services/Checkpoints.ts"
import type { Subagents } from "../../services/Subagents.ts"
import type { ContextWindow } from "../../services/ContextWindow.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog, type SessionLog } from "../../services/EventLog.ts"
import { Ids } from "../../services/Ids.ts"
import { Intake } from "../../services/Intake.ts"
import { BackgroundCommands } from "../../services/BackgroundCommands.ts"
import type { Hooks } from "../../services/extension/Hooks.ts"
import * as CrashReports from "../../services/process/CrashReports.ts"
import { HandOver } from "../../services/process/HandOver.ts"
import type { Parser } from "../../services/Parser.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Tools } from "../../services/Tools.ts"
import { ask, askAtLimit, askForMore, askToWait } from "./Ask.ts"
import { callModel, settleDraft } from "./CallModel.ts"
import { compactNow } from "./Compact.ts"
import { keepUnfinished } from "../subagent/RunTasks.ts"
import * as OpenSessions from "./OpenSessions.ts"
import { probe } from "./ProbeEdit.ts"
import { judgeCalls } from "./JudgeCalls.ts"
import { recover } from "./Recover.ts"
import { retryStale } from "./RetryStale.ts"
import { releaseFromParents, reportToParents } from "./BudgetReservation.ts"
import { runHooks } from "./RunHooks.ts"
import { closeCall, runTools } from "./RunTools.ts"
import { rewindSession, saveCheckpoint } from "./Checkpointing.ts"
import * as ResolveSettings from "./ResolveSettings.ts"

type Services = Approval | Approver | Budget | Checkpoints | Hooks | Subagents | ContextWindow | Environment | Parser | Provider | Tools

/** Performs one step; every step ends in an append, from which the next step is decided. */
const perform = (log: SessionLog, session: Session.Session) =>
  Step.Step.$match({
    Rest: () => Effect.void,
    Recover: () => recover(log, session, { settings: session.settings, shouldContinue: session.task.state === "running" }),
    CallModel: () => callModel(log, session),
    Compact: () => compactNow(log, session),
    RunHooks: ({ point }) => runHooks(log, session, point),
    Propose: ({ calls }) => judgeCalls(log, session, calls),
    Ask: ({ call }) => ask(log, session, call),
    Checkpoint: () => saveCheckpoint(log, session),
    Run: ({ calls }) => runTools(log, session, calls),
    Close: ({ call, outcome }) => closeCall(log, session, call, outcome),
    Probe: ({ call }) => probe(log, session, call),
    AskForMore: ({ refusal }) => askForMore(log, session, refusal),
    AskAtLimit: (reached) => askAtLimit(log, session, reached),
    Remind: ({ text }) => log.append([{ _tag: "Reminded", text }], session.seq),
    Finish: ({ result }) => log.append([{ _tag: "TaskFinished", result }], session.seq),
    FallBack: ({ event }) => log.append([event], session.seq),
    Wait: ({ delayMs, message }) => log.append([{ _tag: "ModelWaiting", message, delayMs }], session.seq),
    AskToWait: (wait) => askToWait(log, session, wait),
    Fail: ({ message, reason }) => log.append([{ _tag: "TaskFailed", reason, message }], session.seq)
  })

/** Runs until the task is over. A step decided from an outdated state is decided again. */
const loop = Effect.fn("Agent.loop")(function*(log: SessionLog) {
  while (true) {
    const session = yield* log.state
    const step = Step.next(session)
    if (step._tag === "Rest") return session
    yield* perform(log, session)(step).pipe(Effect.catchTag("Stale", () => Effect.void))
  }
})

/**
 * A fiber that runs what is no Effect, such as the promise of a replaced service, ends at once: none of its handlers run. In a fiber
 * of its own that is a defect like others.
 */
const inOwnFiber = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.forkChild(effect, { startImmediately: true }),
    (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Fiber.interrupt(fiber))
  )

/** When nothing runs any more: a task in progress is marked interrupted, once, and every open call gets an outcome. */
const interruptOpen = (log: SessionLog, why: string, savesFiles: boolean): Effect.Effect<void, LogError, Budget> =>
  Effect.gen(function*() {
    const session = yield* log.state
    if (session.task.state !== "running" && !session.windowUsage.isRequested && !Interruption.isOpen(session)) return
    const draft = yield* settleDraft(log, session)
    const interrupted = {
      _tag: "Interrupted",
      why,
      ...(savesFiles && Interruption.hasUnsavedFiles(session) ? { savesFiles } : {})
    } as const
    yield* log.append([interrupted, ...Interruption.afterInterrupt(session, draft)], session.seq)
    if (draft !== null) yield* log.saveDraft(null)
    yield* reportToParents(session, draft?.used)
  }).pipe(retryStale)

/** A loop that died of a defect has ended its task: the failure is logged, and what was left open is closed. */
const failTask = Effect.fn("Agent.failTask")(function*(log: SessionLog, defect: unknown) {
  const message = yield* CrashReports.report(defect)
  yield* retryStale(Effect.gen(function*() {
    const session = yield* log.state
    if (session.task.state !== "running" && !session.windowUsage.isRequested && !Interruption.isOpen(session)) return
    const draft = yield* settleDraft(log, session)
    yield* log.append(
      [{ _tag: "TaskFailed", reason: "defect", message }, ...Interruption.afterDefect(session, draft)],
      session.seq
    )
    if (draft !== null) yield* log.saveDraft(null)
    yield* reportToParents(session, draft?.used)
  }))
})

/**
 * A loop that can't write its log ends with that error, and the log shows where; any other defect fails its task, also an error that
 * the type of a plug-in rules out.
 */
const failTaskOfDefect = (log: SessionLog) => <E>(cause: Cause.Cause<E>): Effect.Effect<void, E, Budget> =>
  Cause.hasDies(cause) || (Cause.hasFails(cause) && !(Cause.squash(cause) instanceof LogError))
    ? failTask(log, Cause.squash(cause)).pipe(Effect.catchCause(() => Effect.failCause(cause)))
    : Effect.failCause(cause)

/** An open session: one task at a time, in the order requested. */
interface RunningSession {
  readonly log: SessionLog
  readonly turn: Semaphore.Semaphore
  readonly fibers: FiberSet.FiberSet<unknown, LogError>
  /** Why its fibers are being interrupted, and whether to save what they changed. */
  why: string
  savesFiles: boolean
  lastExit: Exit.Exit<unknown, LogError>
}

/** Runs an effect while no loop runs: one that began since the fibers were interrupted is interrupted too. */
const whenIdle = <E, R>(
  { fibers, turn }: Pick<RunningSession, "fibers" | "turn">,
  effect: Effect.Effect<void, E, R>
): Effect.Effect<void, E, R> =>
  Effect.flatMap(
    turn.withPermitsIfAvailable(1)(effect),
    Option.match({
      onNone: () =>
        Effect.suspend(() =>
          FiberSet.clear(fibers).pipe(Effect.andThen(Effect.sleep(retryMs)), Effect.andThen(whenIdle({ fibers, turn }, effect)))
        ),
      onSome: () => Effect.void
    })
  )

/** ms between two tries to be the only one at work. */
const retryMs = 5

export const layer = Layer.effect(
  Agent,
  Effect.gen(function*() {
    const checkpoints = yield* Checkpoints
    const context = yield* Effect.context<Services>()
    const environment = yield* Environment
    const handOver = yield* HandOver
    const eventLog = yield* EventLog
    const ids = yield* Ids
    const intake = yield* Intake
    const commands = yield* BackgroundCommands
    const resolveSettings = yield* ResolveSettings.make

    const { get: openSession } = yield* OpenSessions.make(Effect.fnUntraced(function*(id: string) {
      const log = yield* eventLog.open(id)
      const running: RunningSession = {
        log,
        turn: yield* Semaphore.make(1),
        fibers: yield* FiberSet.make<unknown, LogError>(),
        why: "dacapo was stopped",
        savesFiles: false,
        lastExit: Exit.void
      }
      return running
    }))

    /** The session stays open while its loop runs. */
    const wake = (id: string, running: RunningSession) =>
      Effect.andThen(openSession(id), inOwnFiber(loop(running.log))).pipe(
        Effect.scoped,
        Effect.onInterrupt(() =>
          handOver.isDue() ? Effect.void : Effect.ignore(interruptOpen(running.log, running.why, running.savesFiles))
        ),
        Effect.catchCause(failTaskOfDefect(running.log)),
        Effect.ensuring(Effect.suspend(() => handOver.isDue() ? Effect.void : Effect.ignore(releaseFromParents(running.log)))),
        Effect.provide(Context.add(context, Agent, agent)),
        Effect.onExit((exit) => Effect.sync(() => void (running.lastExit = exit))),
        running.turn.withPermits(1),
        FiberSet.run(running.fibers)
      )

    const start = Effect.fn("Agent.start")(function*(options: SessionOptions) {
      const { id = yield* ids.session, name } = options
      const settings = yield* resolveSettings(options)
      const { log } = yield* openSession(id)
      if ((yield* log.state).seq >= 0) return yield* alreadyExists(id)
      yield* log.append([{
        _tag: "SessionStarted",
        id,
        version: environment.version,
        cwd: options.cwd,
        home: environment.folders.home,
        seed: yield* ids.seed,
        ...optional({ parent: options.parent }),
        settings
      }, ...(name === undefined ? [] : [{ _tag: "SessionNamed", name } as const])])
      return id
    }, Effect.scoped)

    /** Settings of a resumed session: its own, changed by the given overrides. */
    const resolveOverrides = ({ cwd, settings }: Session.Session, overrides: Partial<Omit<SessionOptions, "cwd">>) =>
      resolveSettings({ cwd, ...ResolveSettings.sessionOptions(settings, overrides) })

    const fork = Effect.fn("Agent.fork")(function*(origin: string, options: Parameters<Agent["Service"]["fork"]>[1]) {
      const { at, overrides } = options
      const events = yield* eventLog.read(origin)
      const seq = at ?? events.length - 1
      const session = Session.fold(events.slice(0, seq + 1))
      const settings = yield* resolveOverrides(session, overrides)
      const id = options.id ?? (yield* ids.session)
      const hash = yield* eventLog.fork(origin, seq, id)
      // Without it a fork has no files to rewind to before its first edit, but loses nothing else.
      if (session.checkpoint.id !== undefined) yield* Effect.ignore(checkpoints.adopt(id, session.checkpoint.id))
      const { log } = yield* openSession(id)
      yield* log.append([{
        _tag: "SessionStarted",
        id,
        version: environment.version,
        cwd: session.cwd,
        home: environment.folders.home,
        seed: yield* ids.seed,
        settings,
        origin: { id: origin, seq, hash }
      }, ...Interruption.unfinishedCalls(session)])
      return id
    }, Effect.scoped)

    const rewind = Effect.fn("Agent.rewind")(function*(id: string, options: RewindOptions) {
      const { log, turn } = yield* openSession(id)
      return yield* turn.withPermits(1)(Effect.gen(function*() {
        yield* retryStale(Effect.gen(function*() {
          const session = yield* log.state
          if (Interruption.isOpen(session))
            yield* Effect.provide(recover(log, session, { settings: session.settings, shouldContinue: false }), context)
        }))
        const { seq } = yield* log.state
        const events = (yield* eventLog.read(id)).slice(0, seq + 1)
        if (options.to < 0 || options.to > seq) return yield* noEvent(id, options.to, events.length)
        return yield* Effect.provide(rewindSession(log, events, options), context)
      }))
    }, Effect.scoped)

    const resume = Effect.fn("Agent.resume")(
      function*(id: string, { shouldContinue, overrides }: Parameters<Agent["Service"]["resume"]>[1]) {
        const running = yield* openSession(id)
        const previous = yield* running.turn.withPermits(1)(retryStale(Effect.gen(function*() {
          const session = yield* running.log.state
          if (session.seq < 0) return yield* notFound(id, [])
          yield* Effect.provide(
            recover(running.log, session, { settings: yield* resolveOverrides(session, overrides), shouldContinue }),
            context
          )
          return session
        })))
        if (!shouldContinue) yield* Effect.provide(keepUnfinished(running.log, previous), context)
        yield* wake(id, running)
      },
      Effect.scoped
    )

    const say: Agent["Service"]["say"] = Effect.fn("Agent.say")(function*(id, text, delivery = "task", from = "user", key) {
      const running = yield* openSession(id)
      if (key !== undefined && (yield* running.log.state).messageKeys.has(key)) return yield* wake(id, running)
      const { parts, text: message } = from === "agent" ? { parts: [], text }
        : yield* intake.read({ session: yield* running.log.state, putBlob: running.log.putBlob, getBlob: running.log.getBlob }, text)
      yield* retryStale(Effect.gen(function*() {
        const session = yield* running.log.state
        if (key !== undefined && session.messageKeys.has(key)) return
        const unfinished = session.task.state === "running" ? [] : Interruption.unfinishedCalls(session)
        yield* running.log.append(
          [{ _tag: "UserSaid", text: message, delivery, ...(parts.length === 0 ? {} : { parts }), ...optional({ key }) }, ...unfinished],
          session.seq
        )
      }))
      yield* wake(id, running)
    }, Effect.scoped)

    const agent = Agent.of({
      start,
      resume,
      rewind,
      fork,
      say,
      switchMode: Effect.fn("Agent.switchMode")(function*(id, mode) {
        const running = yield* openSession(id)
        yield* running.log.append([{ _tag: "ModeSwitched", mode }])
        yield* wake(id, running)
      }, Effect.scoped),
      switchModel: Effect.fn("Agent.switchModel")(function*(id, name) {
        const running = yield* openSession(id)
        const { model, toolFormat } = yield* resolveOverrides(yield* running.log.state, { model: name })
        yield* running.log.append([{ _tag: "ModelSwitched", model, toolFormat }])
        yield* wake(id, running)
      }, Effect.scoped),
      setTodo: Effect.fn("Agent.setTodo")(function*(id, items) {
        const { log } = yield* openSession(id)
        yield* log.append([{ _tag: "TodoUpdated", items, by: "user" }])
      }, Effect.scoped),
      compact: Effect.fn("Agent.compact")(function*(id, instructions = "") {
        const running = yield* openSession(id)
        yield* running.log.append([{ _tag: "CompactionAsked", ...(instructions === "" ? {} : { words: instructions }) }])
        yield* wake(id, running)
      }, Effect.scoped),
      interrupt: Effect.fn("Agent.interrupt")(function*(id, why, savesFiles = true) {
        if (handOver.isDue()) return
        const running = yield* openSession(id)
        running.why = why
        running.savesFiles = savesFiles
        yield* FiberSet.clear(running.fibers)
        yield* commands.stop(id)
        // A fiber that never started has closed nothing.
        yield* Effect.provide(whenIdle(running, interruptOpen(running.log, why, savesFiles)), context)
        if ((yield* running.log.state).checkpoint.isRequested === true) yield* wake(id, running)
      }, Effect.scoped),
      settled: Effect.fn("Agent.settled")(function*(id) {
        const running = yield* openSession(id)
        yield* running.turn.withPermits(1)(Effect.void)
        if (Exit.isFailure(running.lastExit) && !Cause.hasInterruptsOnly(running.lastExit.cause))
          return yield* Effect.failCause(running.lastExit.cause)
        return yield* running.log.state
      }, Effect.scoped),
      state: (id) => Effect.scoped(Effect.flatMap(openSession(id), ({ log }) => log.state)),
      follow: (id, from) => Stream.unwrap(Effect.map(openSession(id), ({ log }) => log.follow(from)))
    })
    return agent
  })
)
