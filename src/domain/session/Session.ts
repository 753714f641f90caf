/** A session is the fold of its settled events. */
import * as Compacted from "../context/compaction/ApplyCompaction.ts"
import * as FactsChange from "../context/FactsChange.ts"
import * as Gauge from "../context/WindowUsage.ts"
import * as Offer from "../mcp/ServerTools.ts"
import type { Content, Message } from "../message/Message.ts"
import type * as Outcome from "../tool/Outcome.ts"
import * as Model from "../provider/Model.ts"
import * as Budget from "./Budget.ts"
import * as Calls from "./ToolCalls.ts"
import * as Files from "./SessionFiles.ts"
import * as Limits from "./Limits.ts"
import * as Past from "./Rewind.ts"
import { patience } from "../provider/Retry.ts"
import type { ProviderReason } from "../provider/ProviderError.ts"
import type { Choice, Facts, SessionEvent, SessionSettings, Settled } from "./SessionEvent.ts"
import { idle, type Task } from "./Task.ts"
import * as Terminal from "./LastCommand.ts"
import * as Transcript from "./Transcript.ts"
import * as Usage from "./Usage.ts"
import type * as FileState from "../workspace/FileState.ts"

export { type Task } from "./Task.ts"
export { phase, type Phase } from "./Phase.ts"

export interface Session {
  /** Seq of the last event; −1 before the first. */
  readonly seq: number
  readonly time: number
  readonly id: string
  readonly cwd: string
  readonly home: string
  readonly seed: string
  /** The session that started this one. */
  readonly parent: string | undefined
  /** ms since the epoch. */
  readonly created: number
  /** The name that the user gave it, else the first line of what was said first. */
  readonly title: string
  readonly settings: SessionSettings
  /** Rules that the user allowed for this session. */
  readonly grants: ReadonlyArray<string>
  readonly facts: Facts | undefined
  /** What MCP servers give; `loaded` names those of their tools that are told where not all are. */
  readonly offer: Offer.Offer
  readonly loaded: ReadonlyArray<string>
  /** Blob of the system prompt. */
  readonly system: string | undefined
  /** What the model is shown of all turns so far. */
  readonly messages: ReadonlyArray<Message>
  readonly gauge: Gauge.Gauge
  /** Our count of the last request, in tokens. */
  readonly asked: number
  /** What the model was saying when the user stopped it: it goes before what the user says next. */
  readonly partial: string | undefined
  /** What was said and not yet sent. */
  readonly said: ReadonlyArray<Content>
  /** What waits for the end of the task. */
  readonly queue: ReadonlyArray<Content>
  /** Calls of the last response. */
  readonly calls: ReadonlyArray<Transcript.Call>
  /** What the model owes or has given: the loop's place in a turn. */
  readonly model: "awaited" | "requested" | "responded"
  /** Why the last request has no answer, until something follows from that. */
  readonly setback: { readonly reason: ProviderReason; readonly message: string } | undefined
  /** The provider is waited for: since when, and until when it is left alone; ms since the epoch. */
  readonly wait: { readonly since: number; readonly until: number } | undefined
  /** The model that took over in this task. */
  readonly standIn: Choice | undefined
  /** Why the last response ended, where it had no call. */
  readonly stop: string
  /** What to tell the model of its last response, which held no call but was meant to. */
  readonly nearMiss: string | undefined
  readonly task: Task
  /** Answers of all tasks, those that were cut short too. */
  readonly answers: number
  readonly usage: Usage.TokenUsage
  readonly cost: number
  readonly budget: Budget.State
  readonly todo: ReadonlyArray<Outcome.TodoItem>
  /** What the last commands said. */
  readonly terminal: Terminal.Terminal
  /**
   * `fresh`: saved since the turn began and since the last edit or command; `dirty`: something ran since it was saved;
   * `due`: the files after it are being taken beside the request that is out; `wanted`: the user turned from planning to
   * acting, or back.
   */
  readonly checkpoint: { readonly id?: string; readonly off?: string; readonly fresh: boolean; readonly dirty: boolean; readonly due: boolean; readonly wanted?: boolean }
  /** Hash of each file as last read or written by us; what differs on disk was changed by someone else. */
  readonly files: ReadonlyMap<string, string | null>
  /** When these files were touched, how often, and by whom. */
  readonly tracked: FileState.Tracked
  /** Responses so far, on every path: it names their calls. */
  readonly responses: number
  readonly past: Past.Past
}

/** Before the first event. */
export const empty: Session = {
  seq: -1,
  time: 0,
  id: "",
  cwd: "",
  home: "",
  seed: "",
  parent: undefined,
  created: 0,
  title: "",
  settings: {
    model: Model.unknown,
    mode: "default",
    toolFormat: "native",
    limits: Limits.defaults,
    rules: { allow: [], ask: [], deny: [] },
    onAsk: "deny"
  },
  grants: [],
  facts: undefined,
  offer: Offer.nothing,
  loaded: [],
  system: undefined,
  messages: [],
  gauge: Gauge.initial,
  asked: 0,
  partial: undefined,
  said: [],
  queue: [],
  calls: [],
  model: "awaited",
  setback: undefined,
  wait: undefined,
  standIn: undefined,
  stop: "",
  nearMiss: undefined,
  task: idle,
  answers: 0,
  usage: Usage.none,
  cost: 0,
  budget: Budget.initial,
  todo: [],
  terminal: Terminal.initial,
  checkpoint: { fresh: false, dirty: false, due: false },
  files: new Map(),
  tracked: new Map(),
  responses: 0,
  past: Past.none
}

/** The state after one more event. Where a rewind leads further back than the state `reaches`, only `fold` knows what was said. */
export const apply = (session: Session, at: SessionEvent): Session => step(session, at, remembered)

/** The fold of a log from its first event on. */
export const fold = (events: ReadonlyArray<SessionEvent>): Session =>
  events.reduce((session, at) => step(session, at, reaches(session, at) ? remembered : (_, to) => fold(events.slice(0, to + 1))), empty)

/** Whether a state remembers all that an event depends on: a rewind may lead behind the last compaction. */
export const reaches = ({ past }: Session, { event }: SessionEvent): boolean =>
  event._tag !== "Rewound" || !event.conversation || !Past.isBefore(past, event.to)

/** The state at an earlier moment. */
type Earlier = (session: Session, to: number) => Session
const remembered: Earlier = ({ past }, to) => Past.upTo(past, to).reduce(apply, past.from ?? empty)

const step = (session: Session, at: SessionEvent, earlier: Earlier): Session => {
  const { event, seq, time } = at
  const back = event._tag === "Rewound" && event.conversation ? { ...session, ...Past.conversation(earlier(session, event.to)) } : session
  const next = { ...back, ...change(back, event, time), seq, time }
  const begins = event._tag === "ContextCompacted" || !reaches(session, at)
  return { ...next, past: begins ? Past.begin(next) : Past.add(session.past, at) }
}

type Changes = {
  readonly [Tag in Settled["_tag"]]: (s: Session, event: Extract<Settled, { _tag: Tag }>, time: number) => Partial<Session>
}

const change = (s: Session, event: Settled, time: number): Partial<Session> =>
  (changes[event._tag] as (s: Session, event: Settled, time: number) => Partial<Session>)(s, event, time)

const changes: Changes = {
  SessionStarted: (s, { cwd, home, id, origin, parent, seed, settings }, created) => ({
    ...(origin === undefined ? empty : { ...Past.stopped(s), usage: Usage.none, cost: 0, budget: { ...Budget.initial, scale: s.budget.scale } }),
    id,
    cwd,
    home,
    seed,
    parent,
    created,
    settings
  }),
  UserSaid: (s, { delivery, parts = [], text }, time) => {
    const words: ReadonlyArray<Content> = [{ _tag: "Text", text }, ...parts]
    return {
      ...Files.told(s, parts, time),
      ...s.task.state !== "running" ? { ...begin(s, words, time), title: s.title === "" ? firstLine(text) : s.title }
        : delivery === "queue" ? { queue: [...s.queue, ...words] }
        : { said: [...s.said, ...words] }
    }
  },
  SessionNamed: (_, { name }) => ({ title: name }),
  Resumed: (s, { goOn, settings }) => ({
    settings,
    ...unhindered,
    gauge: recounted(s, settings.model),
    budget: { ...s.budget, exhausted: undefined },
    partial: goOn ? undefined : s.partial,
    calls: s.calls.map(Calls.lost),
    checkpoint: s.calls.some(({ state }) => state === "running") ? { ...s.checkpoint, fresh: false } : s.checkpoint,
    task: unfinished.has(s.task.state) ? { ...s.task, state: goOn ? "running" : "interrupted" }
      : goOn && resumable(s) ? { ...s.task, state: "running" }
      : s.task
  }),
  ModeSwitched: (s, { mode }) => ({
    checkpoint: (mode === "plan") === (s.settings.mode === "plan") ? s.checkpoint : { ...s.checkpoint, wanted: true },
    settings: { ...s.settings, mode },
    gauge: recounted(s, speaker({ ...s, settings: { ...s.settings, mode } }).model)
  }),
  ModelSwitched: (s, { model, toolFormat }) => ({ settings: { ...s.settings, model, toolFormat }, gauge: recounted(s, model), ...unhindered }),
  ToolsChanged: (_, { offer }) => ({ offer }),
  ContextPlanned: (s, { current, facts, included = [], system, tokens }, time) => ({
    ...Files.shown(s, included, facts?.changed ?? [], time),
    asked: tokens,
    facts: FactsChange.merge(s.facts, facts),
    gauge: Gauge.planned(s.gauge, tokens),
    ...(system === undefined ? {} : { system }),
    messages: s.calls.length + s.said.length === 0 && current === undefined
      ? s.messages
      : [...s.messages, Transcript.userMessage(s.calls, s.said, included, current)],
    calls: [],
    said: []
  }),
  CompactionAsked: (s, { words = "" }) => ({ gauge: { ...s.gauge, asked: true, wish: words } }),
  SummaryRequested: () => ({}),
  ContextCompacted: (s, event) => ({
    ...Compacted.apply(s, event),
    gauge: Gauge.compacted(s.gauge, event),
    ...paid(s, event.spent)
  }),
  ModelRequested: (s) => ({ model: "requested", checkpoint: { ...s.checkpoint, fresh: false, due: s.checkpoint.dirty } }),
  ModelResponded: (s, { content, cost, malformed, nearMiss, stop, usage }) => {
    const calls = Transcript.calls(content, malformed)
    const gauge = Gauge.reported(s.gauge, usage)
    const signature = JSON.stringify(calls.map(({ call }) => [call.name, call.params]))
    return {
      messages: [...s.messages, { role: "assistant", content }],
      calls,
      answers: s.answers + 1,
      model: "responded",
      setback: undefined,
      wait: undefined,
      stop,
      nearMiss,
      task: {
        ...s.task,
        turns: s.task.turns + 1,
        signature,
        repeats: calls.length > 0 && signature === s.task.signature ? s.task.repeats + 1 : 1
      },
      responses: s.responses + 1,
      usage: Usage.add(s.usage, usage),
      cost: s.cost + (cost ?? 0),
      gauge,
      budget: { ...Budget.paid(s.budget, cost, usage), scale: Budget.rescaled(s.budget, s.asked * gauge.factor / s.gauge.factor, usage) }
    }
  },
  ModelRetrying: (s, { spent }) => paid(s, spent),
  ModelFailed: (s, { message, reason, said, spent }) => ({
    ...paid(s, spent),
    model: "awaited",
    partial: said,
    ...(reason._tag === "ContextOverflow" ? { gauge: Gauge.refused(s.gauge, speaker(s).model) } : {}),
    setback: reason._tag === "Interrupted" || reason._tag === "Crashed" || (reason._tag === "ContextOverflow" && Gauge.isMendable(s.gauge)) ? undefined : { reason, message }
  }),
  FallbackTaken: (s, { model, toolFormat }) => ({ ...unhindered, gauge: recounted(s, model), standIn: { model, toolFormat } }),
  // A pause that only the user can grant does not count against the limit of waiting.
  ModelWaiting: ({ wait }, { delayMs }, time) => ({
    setback: undefined,
    wait: { since: delayMs > patience ? time + delayMs : wait?.since ?? time, until: time + delayMs }
  }),
  ToolProposed: (s, event) => ({ calls: Calls.propose(s.calls, event) }),
  ApprovalAsked: (s, { call }) => ({
    calls: Calls.update(s.calls, call, ({ again, state }) => ({ state: "asked", again: again === true || state === "lost" }))
  }),
  ApprovalDecided: (s, { call, decision, params, rules, words }) => ({
    calls: decision === "deny" ? Calls.refuse(s.calls, call, words)
      : Calls.update(s.calls, call, params === undefined ? () => ({ state: "allowed", again: false }) : Calls.edited(params)),
    ...(rules === undefined ? {} : { grants: [...s.grants, ...rules] })
  }),
  CheckpointSaved: (_, { id }) => ({ checkpoint: { id, fresh: true, dirty: false, due: false } }),
  CheckpointsOff: (s, { why }) => ({
    checkpoint: { off: why, fresh: true, dirty: false, due: false },
    calls: s.checkpoint.off !== undefined || s.settings.mode === "bypassPermissions" ? s.calls : s.calls.map(Calls.askAgain)
  }),
  ToolStarted: (s, { call, intends }) => ({
    calls: Calls.update(s.calls, call, () => ({ state: "running", ...(intends === undefined ? {} : { intends }) }))
  }),
  ToolProbed: (s, { call, found }) => ({
    calls: found === "untouched" ? Calls.update(s.calls, call, () => ({ state: "allowed" })) : s.calls
  }),
  ToolFinished: (s, { call, outcome }) => ({
    calls: Calls.update(s.calls, call, () => ({ state: "done", outcome })),
    ...(outcome.loads === undefined ? {} : { loaded: [...new Set([...s.loaded, ...outcome.loads])] }),
    terminal: Terminal.after(s.terminal, s.calls.find((one) => one.call.id === call)?.proposed?.access ?? [], outcome),
    checkpoint: Calls.ran(s.calls, call) ? { ...s.checkpoint, fresh: false, dirty: true } : s.checkpoint,
    task: { ...s.task, mistakes: Calls.mistakes(s.calls, s.task.mistakes, outcome) }
  }),
  FileTouched: Files.touched,
  TodoUpdated: (_, { items }) => ({ todo: items }),
  Reminded: (s, { text }) => ({
    said: [...s.said, { _tag: "Text", text, origin: "reminder" }],
    model: "awaited",
    task: { ...s.task, mistakes: s.task.mistakes + 1 }
  }),
  ChildStarted: (s, { call, place, session }) => ({ calls: Calls.update(s.calls, call, Calls.begun({ place, session })) }),
  ChildFinished: (s, { call, report, session }) => ({ calls: Calls.update(s.calls, call, Calls.reported(session, report)) }),
  ChildrenGathered: (s, { _tag, call, ...gathered }) => ({ calls: Calls.update(s.calls, call, () => ({ gathered })) }),
  SynthesisRequested: () => ({}),
  SynthesisEnded: (s, { spent }) => paid(s, spent),
  BudgetReserved: ({ budget }, { child = "", tokens, usd }) => ({
    budget: { ...budget, held: new Map(budget.held).set(child, { usd, tokens }) }
  }),
  BudgetSettled: ({ budget }, { child = "", tokens, usd, warning }) => ({
    budget: {
      ...budget,
      held: new Map([...budget.held].filter(([by]) => by !== child)),
      spent: Budget.plus(budget.spent, { usd, tokens }),
      warned: warning ?? budget.warned
    }
  }),
  BudgetExhausted: ({ budget }, { level, left, limit, needs, unit }) => ({
    budget: { ...budget, exhausted: { level, unit, limit, left, needs } },
    model: "awaited"
  }),
  BudgetRaised: ({ budget, settings }, { level, limit, unit }) => ({
    budget: { ...budget, exhausted: undefined, warned: 0 },
    settings: { ...settings, limits: Limits.raised(settings.limits, level, unit, limit) }
  }),
  HookRan: () => ({}),
  Interrupted: (s) => ({ gauge: { ...s.gauge, asked: false, wish: "" }, task: { ...s.task, state: s.task.state === "running" ? "interrupted" : s.task.state } }),
  Rewound: (s, { conversation, files }) => ({
    checkpoint: files ? { ...s.checkpoint, fresh: false, dirty: false, due: false } : s.checkpoint,
    said: [...s.said, ...Past.told(conversation, files)]
  }),
  TaskFinished: (s, { result }, time) =>
    s.queue.length > 0
      ? begin(s, s.queue, time)
      : { task: { ...s.task, state: "finished", result }, model: "awaited" },
  TaskFailed: (s, { message, reason }) => ({
    task: { ...s.task, state: "failed", result: message, failure: reason },
    model: "awaited"
  })
}

const unfinished: ReadonlySet<Task["state"]> = new Set(["running", "interrupted"])

/** What a request went through counts no more: the next has all its tries. */
const unhindered = { setback: undefined, wait: undefined, standIn: undefined } satisfies Partial<Session>

/** Whether a task can be gone on with: one in its middle, or one that only its provider brought down. */
export const resumable = ({ task }: Session): boolean => unfinished.has(task.state) || task.failure === "provider"

/** Who is asked next: the stand-in, the model for plans while planning, else the session's own. */
export const speaker = ({ settings: { mode, model, plan, toolFormat }, standIn }: Session): Choice =>
  standIn ?? (mode === "plan" ? plan : undefined) ?? { model, toolFormat }

/** A task begins with what the user said; results of the task before stay in front of it. */
const begin = (s: Session, words: ReadonlyArray<Content>, time: number): Partial<Session> => ({
  ...(s.partial === undefined ? {} : { messages: [...s.messages, Transcript.cutShort(s.partial)], answers: s.answers + 1, partial: undefined }),
  said: [...s.said, ...words],
  queue: [],
  ...unhindered,
  budget: { ...s.budget, before: s.budget.spent, exhausted: undefined },
  model: "awaited",
  task: { ...idle, state: "running", since: time },
  calls: s.calls.map(Calls.givenUp)
})

/** Another model counts in other tokens. */
const recounted = (s: Session, model: Model.Model): Gauge.Gauge =>
  Model.title(model) === Model.title(speaker(s).model) ? s.gauge : { ...s.gauge, factor: 1, planned: 0 }

const paid = (s: Session, spent: Usage.Spent | undefined): Partial<Pick<Session, "budget" | "cost" | "usage">> =>
  spent === undefined ? {} : {
    usage: Usage.add(s.usage, spent.usage),
    cost: s.cost + (spent.cost ?? 0),
    budget: Budget.paid(s.budget, spent.cost, spent.usage)
  }

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0]!.slice(0, 100)

