/** Delegates a call's tasks to subagents, side by side, and combines their reports into one outcome. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import { optional } from "../../domain/Optional.ts"
import type { SubagentReport, SubagentTask } from "../../domain/subagent/Subagent.ts"
import * as Subagent from "../../domain/subagent/Subagent.ts"
import * as MergedWork from "../../domain/subagent/MergedWork.ts"
import * as CombineReports from "../../domain/subagent/CombineReports.ts"
import * as Synthesis from "../../domain/subagent/Synthesis.ts"
import * as Model from "../../domain/provider/Model.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { SessionOptions } from "../../services/Agent.ts"
import { Subagents } from "../../services/Subagents.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { HandOver } from "../../services/process/HandOver.ts"
import { Tools } from "../../services/Tools.ts"
import { type SubagentWorktree, Worktrees } from "../../services/Worktrees.ts"
import { sideRequest } from "../agent/SideRequest.ts"
import { settlement, reportToParents } from "../agent/BudgetReservation.ts"
import { sessionOptions } from "../agent/ResolveSettings.ts"

/** The number of subagents that work concurrently. */
const maxConcurrency = 8

/** The default time limit of a subagent in ms. */
const defaultTimeoutMs = 600_000

/** The outcome, and the events that precede it. Subagents that an earlier process began continue, and their reports count. */
export const delegate = Effect.fn("Agent.delegate")(
  function*(
    log: SessionLog,
    session: Session.Session,
    { call, subagents: started = [], mergedWork: priorMerge }: Call,
    tasks: ReadonlyArray<SubagentTask>
  ) {
    const subagents = yield* Subagents
    const worktrees = yield* Worktrees
    const handOver = yield* HandOver
    const { cwd } = session
    const hasEdits = tasks.some(Subagent.canEdit)
    const sharingReason = hasEdits ? yield* worktrees.sharingReason(call.id, cwd) : undefined
    const slots = yield* Semaphore.make(maxConcurrency)
    const folderLock = yield* Semaphore.make(1)
    const runTask = Effect.fnUntraced(function*(task: SubagentTask, index: number) {
      const existing = started.find((subagent) => subagent.index === index)
      if (existing?.report !== undefined) return existing.report
      const name = Subagent.nameOf(task)
      const id = existing?.session ?? (yield* subagents.id(call.id, index))
      if (existing === undefined)
        yield* log.append([{ _tag: "ChildStarted", call: call.id, session: id, place: index, of: tasks.length, name }])
      const report = yield* subagents.run({
        session: id,
        call: call.id,
        index,
        task,
        prompt: Subagent.taskPrompt(task),
        options: subagentOptions(session, task, name),
        ...(sharingReason === undefined && Subagent.canEdit(task) ? { worktree: MergedWork.worktreeName(name, id) } : {}),
        timeoutMs: task.timeout === undefined ? defaultTimeoutMs : task.timeout * 1000
      })
      yield* log.append([{ _tag: "ChildFinished", call: call.id, session: id, report }])
      return report
    })
    // A subagent that edits a shared folder has it to itself, and occupies no slot while it waits for it.
    const serializeIfShared = (task: SubagentTask) =>
      sharingReason !== undefined && Subagent.canEdit(task) ? folderLock.withPermits(1) : <A>(run: A) => run
    const reports = yield* Effect.forEach(
      tasks,
      (task, index) => runTask(task, index).pipe(slots.withPermits(1), serializeIfShared(task)),
      { concurrency: "unbounded" }
    ).pipe(
      Effect.onInterrupt(() =>
        hasEdits && sharingReason === undefined && !handOver.isDue() ? Effect.flatMap(log.state, (current) =>
          keepWork(log, current, call.id, tasks))
          : Effect.void
      )
    )
    if (!hasEdits) return yield* combine(log, call.id, tasks, reports, MergedWork.noMergedWork)
    const merged = priorMerge ?? (yield* mergeWork(log, call.id, cwd, tasks, reports, sharingReason))
    yield* worktrees.cleanUp(cwd, merged.work)
    const separate = new Set(merged.work.map(({ place }) => place))
    return yield* combine(
      log,
      call.id,
      tasks,
      reports.map((report, index) => separate.has(index) ? { ...report, changed: [] } : report),
      merged
    )
  }
)

/** The folders of a call's subagents that edit, once they have begun. */
const worktreesOf = (
  { calls }: Session.Session,
  call: string,
  tasks: ReadonlyArray<SubagentTask>,
  shouldMerge: (index: number) => boolean
): ReadonlyArray<SubagentWorktree> =>
  (calls.find((one) => one.call.id === call)?.subagents ?? []).flatMap(({ index, session }) => {
    const task = tasks[index]
    if (task === undefined || !Subagent.canEdit(task)) return []
    const title = Subagent.nameOf(task)
    return [{ index, title, name: MergedWork.worktreeName(title, session), shouldMerge: shouldMerge(index) }]
  }).sort((a, b) => a.index - b.index)

/** The work of those that finished becomes that of their parent. */
const mergeWork = Effect.fnUntraced(
  function*(
    log: SessionLog,
    call: string,
    cwd: string,
    tasks: ReadonlyArray<SubagentTask>,
    reports: ReadonlyArray<SubagentReport>,
    sharingReason: string | undefined
  ) {
    const { merge } = yield* Worktrees
    const worktrees = worktreesOf(yield* log.state, call, tasks, (index) => reports[index]?.status === "finished")
    const merged = sharingReason === undefined ? { work: yield* merge(call, cwd, worktrees) } : { shared: sharingReason, work: [] }
    yield* log.append([{ _tag: "ChildrenGathered", call, ...merged }])
    return merged satisfies MergedWork.MergedWork
  }
)

/** Nothing is lost of those that were stopped: observers learn where it is. */
const keepWork = Effect.fnUntraced(function*(log: SessionLog, session: Session.Session, call: string, tasks: ReadonlyArray<SubagentTask>) {
  const { keepBranches } = yield* Worktrees
  const work = yield* keepBranches(session.cwd, worktreesOf(session, call, tasks, () => false))
  const text = MergedWork.describeMergedWork({ work })
  if (text !== "") log.emit({ _tag: "Notice", text })
})

/** The folders of subagents whose call does not continue after their process died: none of their work is lost, and no folder stays. */
export const keepUnfinished = Effect.fn("Agent.keepLeft")(function*(log: SessionLog, session: Session.Session) {
  const tools = yield* Tools
  const { cleanUp } = yield* Worktrees
  for (const { call, subagents, mergedWork, state } of session.calls) {
    if (state === "done" || subagents === undefined) continue
    if (mergedWork === undefined) yield* keepWork(log, session, call.id, tools.tasks(call, session))
    else yield* cleanUp(session.cwd, mergedWork.work)
  }
})

/** A subagent's permissions: no more than its parent's, and read-only unless its task says otherwise. */
const subagentOptions = (session: Session.Session, task: SubagentTask, name: string): SessionOptions => {
  const { grants, settings } = session
  const { dayUsd, mistakes, repeats } = settings.limits
  return {
    ...sessionOptions(settings, { model: task.model ?? Model.nameWithEffort(Session.activeModel(session).model) }),
    cwd: session.cwd,
    parent: session.id,
    name,
    mode: settings.mode === "plan" ? "default" : settings.mode,
    rules: { ...settings.rules, allow: [...settings.rules.allow, ...grants] },
    limits: {
      mistakes,
      repeats,
      depth: Subagent.depth(settings.limits, session.parent) - 1,
      ...optional({ dayUsd, usd: task.budget })
    },
    readOnly: settings.mode === "plan" || settings.readOnly === true || !Subagent.canEdit(task),
    ...(task.tools === undefined ? {} : { onlyTools: task.tools.filter((tool) => settings.onlyTools?.includes(tool) ?? true) })
  }
}

/** A single report is passed on; of several a model writes one text, and if that fails, their plain combination is used. */
const combine = Effect.fnUntraced(
  function*(
    log: SessionLog,
    call: string,
    tasks: ReadonlyArray<SubagentTask>,
    reports: ReadonlyArray<SubagentReport>,
    merged: MergedWork.MergedWork
  ) {
    const combined = CombineReports.of(tasks, reports)
    const outcome = (synthesis?: string) => Synthesis.outcome(combined, synthesis, MergedWork.describeMergedWork(merged))
    if (!Synthesis.isDue(combined)) return result([], outcome())
    const { id, settings } = yield* log.state
    const model = settings.cheap ?? settings.model
    const synthesis = yield* Effect.result(sideRequest(log, {
      model,
      call,
      request: Synthesis.request(combined, model, id),
      toRequestEvent: (request) => ({ _tag: "SynthesisRequested", call, ...request })
    }))
    const current = yield* log.state
    if (Result.isFailure(synthesis)) {
      if (synthesis.failure._tag !== "ProviderError") return yield* synthesis.failure
      yield* reportToParents(current)
      return result([{ _tag: "SynthesisEnded", call, failed: synthesis.failure.message }, ...settlement(current)], outcome())
    }
    const { recording, spent, text, used } = synthesis.success
    yield* reportToParents(current, used)
    return result([{ _tag: "SynthesisEnded", call, spent, recording }, ...settlement(current, used)], outcome(text))
  }
)

const result = (events: ReadonlyArray<Settled>, outcome: Outcome) => ({ before: events, outcome })
