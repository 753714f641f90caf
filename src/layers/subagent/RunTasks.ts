/** Gives a call's tasks to sessions of their own, side by side, and makes one outcome of their reports. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Report, Task } from "../../domain/subagent/Subagent.ts"
import * as Child from "../../domain/subagent/Subagent.ts"
import * as Gathered from "../../domain/subagent/MergedWork.ts"
import * as Combined from "../../domain/subagent/CombineReports.ts"
import * as Synthesis from "../../domain/subagent/Synthesis.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { Wanted } from "../../services/Agent.ts"
import { Children } from "../../services/Subagents.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { type Part, Worktrees } from "../../services/Worktrees.ts"
import { aside } from "../agent/SideRequest.ts"
import { settlement, tellAbove } from "../agent/BudgetReservation.ts"
import { asked } from "../agent/ResolveSettings.ts"

/** Children that work at once. */
const most = 8

/** ms that a child may take, where nobody says. */
const patience = 600_000

/** The outcome, and the events that go before it. Children that an earlier process began go on, and their reports count. */
export const delegate = Effect.fn("Agent.delegate")(function*(log: SessionLog, session: Session.Session, { call, children: begun = [], gathered: before }: Call, tasks: ReadonlyArray<Task>) {
  const children = yield* Children
  const worktrees = yield* Worktrees
  const { cwd } = session
  const editing = tasks.some(Child.edits)
  const shared = editing ? yield* worktrees.sharing(call.id, cwd) : undefined
  const room = yield* Semaphore.make(most)
  const folder = yield* Semaphore.make(1)
  const one = Effect.fnUntraced(function*(task: Task, place: number) {
    const known = begun.find((child) => child.place === place)
    if (known?.report !== undefined) return known.report
    const name = Child.nameOf(task)
    const id = known?.session ?? (yield* children.id(call.id, place))
    if (known === undefined) yield* log.append([{ _tag: "ChildStarted", call: call.id, session: id, place, of: tasks.length, name }])
    const report = yield* children.run({
      session: id,
      call: call.id,
      place,
      task,
      prompt: Child.words(task),
      wanted: wanted(session, task, name),
      ...(shared === undefined && Child.edits(task) ? { apart: Gathered.folder(name, id) } : {}),
      timeoutMs: task.timeout === undefined ? patience : task.timeout * 1000
    })
    yield* log.append([{ _tag: "ChildFinished", call: call.id, session: id, report }])
    return report
  })
  // Who edits where others do has the folder to itself, and takes no other's place while it waits for it.
  const inTurn = (task: Task) => shared !== undefined && Child.edits(task) ? folder.withPermits(1) : <A>(run: A) => run
  const reports = yield* Effect.forEach(tasks, (task, place) => one(task, place).pipe(room.withPermits(1), inTurn(task)), { concurrency: "unbounded" }).pipe(
    Effect.onInterrupt(() => editing && shared === undefined ? kept(log, call.id, cwd, tasks) : Effect.void)
  )
  if (!editing) return yield* combine(log, call.id, tasks, reports, Gathered.nothing)
  const gathered = before ?? (yield* gather(log, call.id, cwd, tasks, reports, shared))
  yield* worktrees.tidy(cwd, gathered.work)
  const apart = new Set(gathered.work.map(({ place }) => place))
  return yield* combine(log, call.id, tasks, reports.map((report, place) => apart.has(place) ? { ...report, changed: [] } : report), gathered)
})

/** The folders of a call's children that edit, as far as they have begun. */
const parts = ({ calls }: Session.Session, call: string, tasks: ReadonlyArray<Task>, merges: (place: number) => boolean): ReadonlyArray<Part> =>
  (calls.find((one) => one.call.id === call)?.children ?? []).flatMap(({ place, session }) => {
    const task = tasks[place]
    if (task === undefined || !Child.edits(task)) return []
    const title = Child.nameOf(task)
    return [{ place, title, name: Gathered.folder(title, session), merges: merges(place) }]
  }).sort((a, b) => a.place - b.place)

/** The work of those that finished becomes that of their parent. */
const gather = Effect.fnUntraced(function*(log: SessionLog, call: string, cwd: string, tasks: ReadonlyArray<Task>, reports: ReadonlyArray<Report>, shared: string | undefined) {
  const { gather } = yield* Worktrees
  const all = parts(yield* log.state, call, tasks, (place) => reports[place]?.status === "finished")
  const gathered = shared === undefined ? { work: yield* gather(call, cwd, all) } : { shared, work: [] }
  yield* log.append([{ _tag: "ChildrenGathered", call, ...gathered }])
  return gathered satisfies Gathered.Gathered
})

/** Nothing is lost of those that were stopped: who watches is told where it is. */
const kept = Effect.fnUntraced(function*(log: SessionLog, call: string, cwd: string, tasks: ReadonlyArray<Task>) {
  const { keep } = yield* Worktrees
  const work = yield* keep(cwd, parts(yield* log.state, call, tasks, () => false))
  const text = Gathered.told({ work })
  if (text !== "") log.emit({ _tag: "Notice", text })
})

/** What a child may: no more than its parent, and only to look unless its task says otherwise. */
const wanted = (session: Session.Session, task: Task, name: string): Wanted => {
  const { grants, settings } = session
  const { dayUsd, mistakes, repeats } = settings.limits
  return {
    ...asked(settings, { model: task.model ?? Model.spelled(Session.speaker(session).model) }),
    cwd: session.cwd,
    parent: session.id,
    name,
    mode: settings.mode === "plan" ? "default" : settings.mode,
    rules: { ...settings.rules, allow: [...settings.rules.allow, ...grants] },
    limits: { mistakes, repeats, depth: Child.depth(settings.limits, session.parent) - 1, ...(dayUsd === undefined ? {} : { dayUsd }), ...(task.budget === undefined ? {} : { usd: task.budget }) },
    readOnly: settings.mode === "plan" || settings.readOnly === true || !Child.edits(task),
    ...(task.tools === undefined ? {} : { onlyTools: task.tools.filter((tool) => settings.onlyTools?.includes(tool) ?? true) })
  }
}

/** One report passes; of several a model writes one text, and where it can't, their combination stands for it. */
const combine = Effect.fnUntraced(function*(log: SessionLog, call: string, tasks: ReadonlyArray<Task>, reports: ReadonlyArray<Report>, gathered: Gathered.Gathered) {
  const combined = Combined.of(tasks, reports)
  const outcome = (written?: string) => Synthesis.outcome(combined, written, Gathered.told(gathered))
  if (!Synthesis.isDue(combined)) return settled([], outcome())
  const { id, settings } = yield* log.state
  const model = settings.cheap ?? settings.model
  const written = yield* Effect.result(aside(log, {
    model,
    request: Synthesis.request(combined, model, id),
    asked: (asked) => ({ _tag: "SynthesisRequested", call, ...asked })
  }))
  const now = yield* log.state
  if (Result.isFailure(written)) {
    if (written.failure._tag !== "ProviderError") return yield* written.failure
    yield* tellAbove(now)
    return settled([{ _tag: "SynthesisEnded", call, failed: written.failure.message }, ...settlement(now)], outcome())
  }
  const { recording, spent, text, used } = written.success
  yield* tellAbove(now, used)
  return settled([{ _tag: "SynthesisEnded", call, spent, recording }, ...settlement(now, used)], outcome(text))
})

const settled = (before: ReadonlyArray<Settled>, outcome: Outcome) => ({ before, outcome })
