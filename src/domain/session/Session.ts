/** A session is the fold of its settled events. */
import { optional } from "../Optional.ts"
import * as ApplyCompaction from "../context/compaction/ApplyCompaction.ts"
import * as FactsChange from "../context/FactsChange.ts"
import * as WindowUsage from "../context/WindowUsage.ts"
import * as HookPoint from "../hook/HookPoint.ts"
import { afterHook } from "../hook/AfterHook.ts"
import type { Content } from "../message/Message.ts"
import * as Model from "../provider/Model.ts"
import * as Budget from "./Budget.ts"
import * as ToolCalls from "./ToolCalls.ts"
import * as SessionFiles from "./SessionFiles.ts"
import * as Limits from "./Limits.ts"
import * as Rewind from "./Rewind.ts"
import { maxServerPauseMs } from "../provider/Retry.ts"
import { type SessionEvent, type SessionSettings, Settled } from "./SessionEvent.ts"
import { empty, type Session } from "./SessionState.ts"
import { idleTask, type Task } from "./Task.ts"
import * as LastCommand from "./LastCommand.ts"
import * as TodoEdit from "../tool/TodoEdit.ts"
import * as Transcript from "./Transcript.ts"
import * as Usage from "./Usage.ts"

export { empty, type Session } from "./SessionState.ts"
export { type Task } from "./Task.ts"
export { phase, type Phase } from "./Phase.ts"

/**
 * The state after one more event. If a rewind goes back further than the state `reaches`, only `fold` can restore the conversation.
 */
export const apply = (session: Session, at: SessionEvent): Session => step(session, at, replayHistory)

/** The fold of a log from its first event on. */
export const fold = (events: ReadonlyArray<SessionEvent>): Session =>
  events.reduce(
    (session, at) => step(session, at, isInHistory(session, at) ? replayHistory : (_, to) => fold(events.slice(0, to + 1))),
    empty
  )

/** Whether a state remembers everything that an event depends on: a rewind may go back beyond the last compaction. */
export const isInHistory = ({ past: history }: Session, { event }: SessionEvent): boolean =>
  event._tag !== "Rewound" || !event.conversation || !Rewind.isBeforeHistory(history, event.to)

/** The state at an earlier moment. */
type RewindTarget = (session: Session, to: number) => Session
const replayHistory: RewindTarget = ({ past: history }, to) => Rewind.eventsUpTo(history, to).reduce(apply, history.base ?? empty)

const step = (session: Session, at: SessionEvent, rewindTarget: RewindTarget): Session => {
  const { event, seq, time } = at
  const base = event._tag === "Rewound" && event.conversation
    ? { ...session, ...Rewind.rewoundConversation(rewindTarget(session, event.to)) } : session
  const changed = { ...base, ...Settled.match(event, changes)(base, time), seq, time }
  const next = { ...changed, hooks: HookPoint.after(changed, event) }
  const startsHistory = event._tag === "ContextCompacted" || !isInHistory(session, at)
  return { ...next, past: startsHistory ? Rewind.startHistory(next) : Rewind.appendEvent(session.past, at) }
}

type Change = (s: Session, time: number) => Partial<Session>
type Changes = { readonly [Tag in Settled["_tag"]]: (event: Extract<Settled, { _tag: Tag }>) => Change }

const changes: Changes = {
  SessionStarted: ({ cwd, home, id, origin, parent, seed, settings }) => (s, created) => ({
    ...(origin === undefined ? empty
      : { ...Rewind.withoutOpenWork(s), usage: Usage.zero, cost: 0, budget: { ...Budget.initial, scale: s.budget.scale } }),
    checkpoint: withFirstStored(origin === undefined ? empty.checkpoint : s.checkpoint, settings),
    id,
    cwd,
    home,
    seed,
    parent,
    createdAt: created,
    settings
  }),
  UserSaid: ({ delivery, key, parts = [], text }) => (s, time) => {
    const content: ReadonlyArray<Content> = [{ _tag: "Text", text }, ...parts]
    return {
      ...(key === undefined ? {} : { messageKeys: new Set(s.messageKeys).add(key) }),
      ...SessionFiles.afterUserInput(s, parts, time),
      ...s.task.state !== "running" ? { ...startTask(s, content, time), title: s.title === "" ? firstLine(text) : s.title }
        : delivery === "queue" ? { queue: [...s.queue, ...content] }
        : { pendingContent: [...s.pendingContent, ...content] }
    }
  },
  SessionNamed: ({ name }) => () => ({ title: name }),
  Resumed: ({ goOn, settings }) => (s) => ({
    settings,
    ...noFailure,
    windowUsage: windowUsageFor(s, settings.model),
    budget: { ...s.budget, refusal: undefined },
    partialText: goOn ? undefined : s.partialText,
    calls: s.calls.map(ToolCalls.markLost),
    checkpoint: withFirstStored(
      s.calls.some(({ state }) => state === "running") ? { ...s.checkpoint, isFresh: false } : s.checkpoint,
      settings
    ),
    task: openStates.has(s.task.state) ? { ...s.task, state: goOn ? "running" : "interrupted" }
      : goOn && canResume(s) ? { ...s.task, state: "running" }
      : s.task
  }),
  ModeSwitched: ({ mode }) => (s) => ({
    checkpoint: (mode === "plan") === (s.settings.mode === "plan") ? s.checkpoint : { ...s.checkpoint, isRequested: true },
    settings: { ...s.settings, mode },
    windowUsage: windowUsageFor(s, activeModel({ ...s, settings: { ...s.settings, mode } }).model)
  }),
  ModelSwitched: ({ model, toolFormat }) => (s) => ({
    settings: { ...s.settings, model, toolFormat },
    windowUsage: windowUsageFor(s, model),
    ...noFailure
  }),
  ToolsChanged: ({ offer }) => () => ({ offer }),
  ContextPlanned: ({ current, facts, included = [], system, tokens, tools }) => (s, time) => ({
    ...SessionFiles.afterRequest(s, included, facts?.changed ?? [], time),
    requestTokens: tokens,
    facts: FactsChange.merge(s.facts, facts),
    windowUsage: WindowUsage.afterPlan(s.windowUsage, tokens),
    ...optional({ system, tools }),
    messages: s.calls.length + s.pendingContent.length === 0 && current === undefined
      ? s.messages
      : [...s.messages, Transcript.userMessage(s.calls, s.pendingContent, included, current)],
    calls: [],
    pendingContent: []
  }),
  CompactionAsked: ({ words = "" }) => (s) => ({ windowUsage: { ...s.windowUsage, isRequested: true, instructions: words } }),
  SummaryRequested: () => () => ({}),
  ContextCompacted: (event) => (s) => ({
    ...ApplyCompaction.apply(s, event),
    windowUsage: WindowUsage.afterCompaction(s.windowUsage, event),
    ...withCost(s, event.spent)
  }),
  ModelRequested: () => (s) => ({ model: "requested", checkpoint: { ...s.checkpoint, isFresh: false, isDue: s.checkpoint.isDirty } }),
  ModelResponded: ({ content, cost, malformed, nearMiss, stop, usage }) => (s) => {
    const calls = Transcript.newCalls(content, malformed)
    const windowUsage = WindowUsage.afterResponse(s.windowUsage, usage)
    const signature = JSON.stringify(calls.map(({ call }) => [call.name, call.params]))
    return {
      messages: [...s.messages, { role: "assistant", content }],
      calls,
      assistantMessageCount: s.assistantMessageCount + 1,
      model: "responded",
      requestFailure: undefined,
      wait: undefined,
      stop,
      nearMiss,
      task: {
        ...s.task,
        turns: s.task.turns + 1,
        signature,
        repeats: calls.length > 0 && signature === s.task.signature ? s.task.repeats + 1 : 1
      },
      responseCount: s.responseCount + 1,
      usage: Usage.add(s.usage, usage),
      cost: s.cost + (cost ?? 0),
      windowUsage,
      budget: {
        ...Budget.afterPayment(s.budget, cost, usage),
        scale: Budget.nextScale(s.budget, s.requestTokens * windowUsage.factor / s.windowUsage.factor, usage)
      }
    }
  },
  ModelRetrying: ({ spent }) => (s) => withCost(s, spent),
  ModelFailed: ({ message, reason, said, spent }) => (s) => ({
    ...withCost(s, spent),
    model: "awaited",
    partialText: said,
    ...(reason._tag === "ContextOverflow" ? { windowUsage: WindowUsage.afterOverflow(s.windowUsage, activeModel(s).model) } : {}),
    requestFailure: reason._tag === "Interrupted" || reason._tag === "Crashed" ||
        (reason._tag === "ContextOverflow" && WindowUsage.canCompact(s.windowUsage)) ? undefined : { reason, message }
  }),
  // The same model with other tool calls: its server accepts no others, and will not in the next task either.
  FallbackTaken: ({ model, place = 1, toolFormat, until }) => (s) =>
    Model.title(model) === Model.title(s.settings.model) && toolFormat !== s.settings.toolFormat
      ? { ...noFailure, settings: { ...s.settings, model, toolFormat } }
      : {
        ...noFailure,
        windowUsage: {
          ...windowUsageFor(s, model),
          ...(s.requestFailure?.reason._tag === "ContextOverflow" ? { overflows: 0, isDue: false } : {})
        },
        activeFallback: place === 0 ? undefined : { model, toolFormat, place, until }
      },
  // A pause that only the user can grant does not count against the waiting limit.
  ModelWaiting: ({ delayMs }) => ({ wait }, time) => ({
    requestFailure: undefined,
    wait: { since: delayMs > maxServerPauseMs ? time + delayMs : wait?.since ?? time, until: time + delayMs }
  }),
  ToolProposed: (event) => (s) => ({
    calls: ToolCalls.propose(s.calls, event),
    terminalCommands: ToolCalls.withTerminalCommand(s.terminalCommands, event)
  }),
  ApprovalAsked: ({ call }) => (s) => ({
    calls: ToolCalls.update(s.calls, call, ({ isRetry, state }) => ({ state: "asked", isRetry: isRetry === true || state === "lost" }))
  }),
  ApprovalDecided: ({ call, decision, params, rules, words }) => (s) => ({
    calls: decision === "deny" ? ToolCalls.denyCall(s.calls, call, words)
      : ToolCalls.update(s.calls, call, params === undefined ? () => ({ state: "allowed", isRetry: false }) : ToolCalls.withParams(params)),
    ...(rules === undefined ? {} : { grants: [...s.grants, ...rules] })
  }),
  CheckpointSaved: ({ id, pack, repository }) => ({ checkpoint: { stored } }) => ({
    checkpoint: {
      id,
      isFresh: true,
      isDirty: false,
      isDue: false,
      ...optional({
        stored: pack === undefined ? stored : { checkpoint: id, ...optional({ repository: repository ?? stored?.repository }) }
      })
    }
  }),
  CheckpointsOff: ({ why }) => (s) => ({
    checkpoint: { disabledReason: why, isFresh: true, isDirty: false, isDue: false, ...optional({ stored: s.checkpoint.stored }) },
    calls: s.checkpoint.disabledReason !== undefined || s.settings.mode === "bypassPermissions" ? s.calls
      : s.calls.map(ToolCalls.requireApproval)
  }),
  ToolStarted: ({ call, intends }) => (s) => ({
    calls: ToolCalls.update(s.calls, call, () => ({ state: "running", ...optional({ intents: intends }) }))
  }),
  ToolProbed: ({ call, found }) => (s) => ({
    calls: found === "untouched" ? ToolCalls.update(s.calls, call, () => ({ state: "allowed" })) : s.calls
  }),
  ToolFinished: ({ call, outcome }) => (s) => ({
    ...withCost(s, outcome.spent),
    calls: ToolCalls.update(s.calls, call, () => ({ state: "done", outcome })),
    ...(outcome.loads === undefined ? {} : { loadedTools: [...new Set([...s.loadedTools, ...outcome.loads])] }),
    terminal: LastCommand.afterCommand(s.terminal, s.calls.find((one) => one.call.id === call)?.proposal?.access ?? [], outcome),
    checkpoint: ToolCalls.hasRun(s.calls, call) ? { ...s.checkpoint, isFresh: false, isDirty: true } : s.checkpoint,
    task: { ...s.task, mistakes: ToolCalls.countMistakes(s.calls, s.task.mistakes, outcome) }
  }),
  FileTouched: (event) => (s, time) => SessionFiles.afterTouch(s, event, time),
  TodoUpdated: ({ by, items }) => (s) => ({
    todo: items,
    ...(by === undefined ? {} : { pendingContent: [...s.pendingContent.filter((part) => !TodoEdit.isNote(part)), TodoEdit.note(items)] })
  }),
  Reminded: ({ text }) => (s) => ({
    pendingContent: [...s.pendingContent, { _tag: "Text", text, origin: "reminder" }],
    model: "awaited",
    task: { ...s.task, mistakes: s.task.mistakes + 1 }
  }),
  ChildStarted: ({ call, place, session }) => (s) => ({
    calls: ToolCalls.update(s.calls, call, ToolCalls.withSubagent({ index: place, session }))
  }),
  ChildFinished: ({ call, report, session }) => (s) => ({ calls: ToolCalls.update(s.calls, call, ToolCalls.withReport(session, report)) }),
  ChildrenGathered: ({ _tag, call, ...mergedWork }) => (s) => ({ calls: ToolCalls.update(s.calls, call, () => ({ mergedWork })) }),
  SynthesisRequested: () => () => ({}),
  SynthesisEnded: ({ spent }) => (s) => withCost(s, spent),
  BudgetReserved: ({ child = "", tokens, usd }) => ({ budget }) => ({ budget: Budget.reserveAmount(budget, child, { usd, tokens }) }),
  BudgetSettled: ({ child = "", tokens, usd, warning }) => ({ budget }) => ({
    budget: {
      ...budget,
      reservations: new Map([...budget.reservations].filter(([by]) => by !== child)),
      spent: Budget.add(budget.spent, { usd, tokens }),
      warnedPercent: warning ?? budget.warnedPercent
    }
  }),
  BudgetExhausted: ({ level, left, limit, needs, unit }) => ({ budget }) => ({
    budget: { ...budget, refusal: { level, unit, limit, left, needs } },
    model: "awaited"
  }),
  BudgetRaised: ({ level, limit, unit }) => ({ budget, settings }) => ({
    budget: { ...budget, refusal: undefined, warnedPercent: 0 },
    settings: { ...settings, limits: Limits.withLimit(settings.limits, level, unit, limit) }
  }),
  LimitRaised: ({ limit, more, words }) => (s) => ({
    task: {
      ...s.task,
      // What counts in a row is set back by as much.
      ...(limit === "mistakes" ? { mistakes: s.settings.limits.mistakes - more } :
        limit === "repeats" ? { repeats: s.settings.limits.repeats + 1 - more } : {
          raised: {
            turns: (s.task.raised?.turns ?? 0) + (limit === "turns" ? more : 0),
            ms: (s.task.raised?.ms ?? 0) + (limit === "time" ? more : 0)
          }
        })
    },
    ...(words === undefined ? {}
      : { pendingContent: [...s.pendingContent, { _tag: "Text" as const, text: words }], model: "awaited" as const })
  }),
  HookRan: (event) => (s) => afterHook(s, event),
  Interrupted: ({ savesFiles }) => (s) => ({
    ...(savesFiles === undefined ? {} : { checkpoint: { ...s.checkpoint, isRequested: true } }),
    windowUsage: { ...s.windowUsage, isRequested: false, instructions: "" },
    task: { ...s.task, state: s.task.state === "running" ? "interrupted" : s.task.state }
  }),
  Rewound: ({ conversation, files }) => (s) => ({
    checkpoint: files ? { ...s.checkpoint, isFresh: false, isDirty: false, isDue: false } : s.checkpoint,
    pendingContent: [...s.pendingContent, ...Rewind.mismatchReminder(conversation, files)]
  }),
  TaskFinished: ({ result }) => (s, time) =>
    s.queue.length > 0
      ? startTask(s, s.queue, time)
      : { task: { ...s.task, state: "finished", result }, model: "awaited" },
  TaskFailed: ({ message, reason }) => (s) => ({
    task: { ...s.task, state: "failed", result: message, failure: reason },
    ...(reason === "defect" ? { windowUsage: { ...s.windowUsage, isRequested: false, instructions: "" } } : {}),
    model: "awaited"
  })
}

const openStates: ReadonlySet<Task["state"]> = new Set(["running", "interrupted"])

/** Files that the log is to carry are stored before anything else happens, so that they are there wherever it continues. */
const withFirstStored = (checkpoint: Session["checkpoint"], { storeFiles }: SessionSettings): Session["checkpoint"] =>
  storeFiles === true && checkpoint.stored === undefined ? { ...checkpoint, isRequested: true } : checkpoint

/** Failed attempts of the last request no longer count: the next request has all its attempts. */
const noFailure = { requestFailure: undefined, wait: undefined, activeFallback: undefined } satisfies Partial<Session>

/** Whether a task can be continued: one in progress, or one that only its provider ended. */
export const canResume = ({ task }: Session): boolean => openStates.has(task.state) || task.failure === "provider"

/** The model for the next request: the fallback, the plan model in plan mode, or else the session's own. */
export const activeModel = ({ settings: { mode, model, plan, toolFormat }, activeFallback }: Session): Model.ModelChoice =>
  activeFallback ?? (mode === "plan" ? plan : undefined) ?? { model, toolFormat }

/** A task begins with the user's message; results of the previous task stay in front of it. */
const startTask = (s: Session, content: ReadonlyArray<Content>, time: number): Partial<Session> => ({
  ...(s.partialText === undefined ? {}
    : {
      messages: [...s.messages, Transcript.interruptedMessage(s.partialText)],
      assistantMessageCount: s.assistantMessageCount + 1,
      partialText: undefined
    }),
  pendingContent: [...s.pendingContent, ...content],
  queue: [],
  ...noFailure,
  activeFallback: s.activeFallback?.until === undefined || s.task.state === "failed" ? undefined : s.activeFallback,
  budget: { ...s.budget, beforeTask: s.budget.spent, refusal: undefined },
  model: "awaited",
  task: { ...idleTask, state: "running", startedAt: time }
})

/** Another model counts tokens differently. */
const windowUsageFor = (s: Session, model: Model.Model): WindowUsage.WindowUsage =>
  Model.title(model) === Model.title(activeModel(s).model) ? s.windowUsage : { ...s.windowUsage, factor: 1, plannedTokens: 0 }

const withCost = (s: Session, spent: Usage.Spending | undefined): Partial<Pick<Session, "budget" | "cost" | "usage">> =>
  spent === undefined ? {} : {
    usage: Usage.add(s.usage, spent.usage),
    cost: s.cost + (spent.cost ?? 0),
    budget: Budget.afterPayment(s.budget, spent.cost, spent.usage)
  }

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0]!.slice(0, 100)
