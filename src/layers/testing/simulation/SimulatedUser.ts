/** Who talks to a simulated session: answers its questions after a while, or not at all, and does one thing after another. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Cause from "effect/Cause"
import * as Layer from "effect/Layer"
import { LogError } from "../../../domain/session/LogError.ts"
import type { Delivery } from "../../../domain/session/SessionEvent.ts"
import type { SessionOptions } from "../../../services/Agent.ts"
import { Agent } from "../../../services/Agent.ts"
import { type Answer, Approver } from "../../../services/Approver.ts"
import type { Life } from "./Life.ts"
import * as Monitor from "./Monitor.ts"
import { modelName } from "./SimulatedModel.ts"
import type { World } from "./World.ts"

/** The session that the user talks to. */
export const rootSession = "00000000-0000-7000-8000-000000000000"

/** ms until the user answers. */
const maxAnswerMs = 60_000

/** How the answer to a repeat begins to be one: the question of a call that may have run already. */
export const repeatQuestion = /Run it again\?$/

export const approver = ({ dice, journal }: World, life: Life): Layer.Layer<Approver> => {
  const { below, chance, pick } = dice("approver")
  const wait = Effect.suspend(() => Effect.sleep(1 + below(maxAnswerMs)))
  return Layer.succeed(
    Approver,
    Approver.of({
      ask: ({ call, offer, reason }) =>
        Effect.andThen(
          wait,
          life.alive(Effect.sync((): Answer => {
            if (chance(0.1)) return { decision: "deny", scope: "once", by: "nobody" }
            if (chance(0.2)) return { decision: "deny", scope: "once", by: "user", words: "Not now." }
            const { command } = call.params as { readonly command?: unknown }
            if (repeatQuestion.test(reason) && typeof command === "string") journal.allowedAgain.add(command)
            return { decision: "allow", scope: offer.length > 0 ? pick(["once", "session", "always"]) : "once", by: "user" }
          }))
        ),
      question: (_, options) =>
        Effect.andThen(
          wait,
          life.alive(Effect.sync(() =>
            chance(0.2) ? { by: "nobody" as const } : { by: "user" as const, text: options.length === 0 ? "Yes." : pick(options) }
          ))
        )
    })
  )
}

/** The tools that the model calls: requests with more are no different, and larger. */
const tools = [
  "ask_user",
  "command_output",
  "delegate",
  "edit_file",
  "list_files",
  "read_file",
  "run_command",
  "stop_command",
  "update_todo",
  "write_file"
]

/** How a session begins, and what it may spend. */
export const sessionOptions = ({ dice }: World, cwd: string, ownTools: ReadonlyArray<string>): SessionOptions & { readonly id: string } => {
  const { chance, pick } = dice("session")
  const hook = (event: "PreToolUse" | "PostToolUse" | "Stop" | "UserPromptSubmit") =>
    ({
      event,
      run: { _tag: "Program", callback: event },
      timeoutMs: 20_000,
      failureMode: pick<"open" | "closed">(["open", "closed"])
    }) as const
  return {
    id: rootSession,
    cwd,
    model: modelName,
    mode: pick(["bypassPermissions", "bypassPermissions", "acceptEdits", "default"]),
    onlyTools: [...tools, ...ownTools],
    onAsk: pick(["ask", "ask", "deny"]),
    limits: {
      mistakes: 30,
      repeats: 30,
      waitMs: pick([0, 120_000]),
      ...pick([{}, { usd: 5 }, { usd: 0.4 }, { tokens: 60_000 }, { dayUsd: 2 }])
    },
    ...(chance(0.3) ? { hooks: [hook(pick(["PreToolUse", "PostToolUse"])), hook(pick(["Stop", "UserPromptSubmit"]))] } : {})
  }
}

/** How far the user has come; it outlives a process. */
export interface Progress {
  hasStarted: boolean
  actions: number
  isOver: boolean
}

export const newProgress = ({ dice }: World): Progress => ({ hasStarted: false, actions: 2 + dice("user").below(4), isOver: false })

/** ms after which an action of the user's has returned, or never will. */
const patienceMs = 24 * 3_600_000

interface VisitOptions {
  readonly cwd: string
  /** Whether the session is forked at each of its events, at the end. */
  readonly isForked: boolean
  /** The names of tools that the world does not have by itself. */
  readonly ownTools: ReadonlyArray<string>
}

/** What the user does in one process, to the end of the session. */
export const visit = Effect.fnUntraced(function*(world: World, life: Life, progress: Progress, { cwd, isForked, ownTools }: VisitOptions) {
  const agent = yield* Agent
  const { below, chance, pick } = world.dice("user")
  const { actions, plan, violations } = world

  /** What fails because of a fault, the user tries again, or leaves. */
  const attempt = <A, E>(action: string, effect: Effect.Effect<A, E>) =>
    life.alive(Effect.gen(function*() {
      actions.push(`${life.number}: ${action}`)
      const exit = yield* Effect.exit(Effect.timeoutOption(effect, patienceMs))
      yield* life.alive(Effect.void)
      if (Exit.isSuccess(exit)) {
        if (exit.value._tag === "None") violations.push(`"${action}" does not return`)
        return exit.value._tag === "Some"
      }
      // An interrupt that the log can't take has no error for it in its type.
      if (Cause.hasDies(exit.cause) && !(Cause.squash(exit.cause) instanceof LogError))
        violations.push(`"${action}" dies: ${Cause.pretty(exit.cause)}`)
      actions.push(`   failed: ${Cause.pretty(exit.cause).split("\n", 1)[0]}`)
      return false
    }))
  const pause = Effect.suspend(() => Effect.sleep(1 + below(15_000)))
  /** Whether the process has been told to run the session, and nothing since then has ended its loop. */
  let isAwake = false
  const waking = <R>(action: Effect.Effect<boolean, never, R>) =>
    Effect.tap(action, (hasSucceeded) => Effect.sync(() => void (isAwake = hasSucceeded)))
  const settle = Effect.gen(function*() {
    isAwake = (yield* attempt("wait", agent.settled(rootSession))) && isAwake
    if (isAwake && world.monitors.get(rootSession)?.session().task.state === "running")
      violations.push("nothing runs any more, and the task has no end")
  })
  const say = (delivery: Delivery) => waking(attempt(`say as ${delivery}`, agent.say(rootSession, `Do more ${below(1_000)}.`, delivery)))
  const resume = (shouldContinue: boolean) =>
    waking(attempt(shouldContinue ? "resume and continue" : "resume", agent.resume(rootSession, { overrides: {}, shouldContinue })))
  const stop = attempt("interrupt", agent.interrupt(rootSession, "Stop."))
  /** When it returns, nothing is left of what ran. */
  const interrupt = Effect.gen(function*() {
    const monitor = world.monitors.get(rootSession)
    const wasRunning = monitor?.session().task.state === "running"
    if (!(yield* stop) || monitor === undefined) return
    violations.push(
      // What a task has left open that does not run any more waits for the next one.
      ...wasRunning ? Monitor.openAtEnd(monitor).map((text) => `after an interrupt: ${text}`) : [],
      ...world.journal.processes.flatMap(({ command, isRunning, session }) =>
        isRunning && session === rootSession ? [`after an interrupt: "${command}" still runs`] : []
      )
    )
  })
  /** Until one of the next events is stored: the user acts at the very moment at which something else happens. */
  const nextEvent = Effect.suspend(() => {
    let count = 1 + below(12)
    return Effect.callback<void>((resume) => {
      const listener = () => {
        if (--count > 0) return
        world.listeners.delete(listener)
        life.scheduler.schedule(() => resume(Effect.void))
      }
      world.listeners.add(listener)
      return Effect.sync(() => void world.listeners.delete(listener))
    }).pipe(Effect.timeoutOption(60_000))
  })
  const moment = Effect.suspend(() => chance(0.5) ? pause : nextEvent)
  const rewind = Effect.gen(function*() {
    const { seq } = yield* agent.state(rootSession)
    isAwake = false
    for (const edit of world.journal.effects.keys()) if (edit.startsWith("#")) world.journal.allowedAgain.add(edit)
    yield* attempt("rewind", agent.rewind(rootSession, { to: below(seq + 1), files: chance(0.5), conversation: true, remove: [] }))
  }).pipe(Effect.ignore)

  while (!progress.hasStarted) {
    const state = yield* Effect.exit(agent.state(rootSession))
    progress.hasStarted = Exit.isSuccess(state) && state.value.seq >= 0
    if (!progress.hasStarted) progress.hasStarted = yield* attempt("start", agent.start(sessionOptions(world, cwd, ownTools)))
    if (progress.hasStarted && life.number === 1) yield* say("task")
  }
  if (life.number > 1 && chance(0.4)) yield* pause
  if (life.number > 1) yield* pick([resume(true), resume(true), resume(false), Effect.void])
  while (progress.actions > 0 && violations.length === 0) {
    progress.actions--
    yield* pick([
      settle,
      settle,
      pause,
      say("task"),
      say(pick(["steer", "queue", "task"])),
      Effect.andThen(moment, interrupt),
      Effect.all([say("steer"), Effect.andThen(moment, stop)], { concurrency: 2 }),
      Effect.andThen(moment, say(pick(["steer", "task"]))),
      Effect.andThen(moment, say(pick(["steer", "queue"]))),
      Effect.andThen(moment, attempt("compact", agent.compact(rootSession))),
      attempt("switch mode", agent.switchMode(rootSession, pick(["plan", "acceptEdits", "bypassPermissions", "default"]))),
      rewind
    ])
  }
  plan.end()
  yield* resume(true)
  yield* settle
  yield* say("task")
  yield* settle
  const { seq } = yield* agent.state(rootSession)
  for (let at = 0; isForked && at <= seq; at++) yield* attempt(`fork at ${at}`, agent.fork(rootSession, { at, overrides: {} }))
  progress.isOver = true
})
