/** A session is the fold of its settled events. */
import * as Compacted from "../context/Compacted.ts"
import * as FactsChange from "../context/FactsChange.ts"
import * as Gauge from "../context/Gauge.ts"
import type { Content, Message } from "../message/Message.ts"
import * as Outcome from "../tool/Outcome.ts"
import * as Model from "../provider/Model.ts"
import * as Limits from "./Limits.ts"
import type { Facts, SessionEvent, SessionSettings, Settled } from "./SessionEvent.ts"
import * as Transcript from "./Transcript.ts"
import * as Usage from "./Usage.ts"

/** From UserSaid to TaskFinished or TaskFailed. */
export interface Task {
  readonly state: "idle" | "running" | "interrupted" | "finished" | "failed"
  /** Model responses so far. */
  readonly turns: number
  /** ms since the epoch of the UserSaid that began it. */
  readonly since: number
  readonly mistakes: number
  /** How often the last response's calls came in a row, and what they were. */
  readonly repeats: number
  readonly signature: string
  /** The result of a finished task, the message of a failed one. */
  readonly result: string
  readonly failure?: Extract<Settled, { _tag: "TaskFailed" }>["reason"]
}

export interface Session {
  /** Seq of the last event; −1 before the first. */
  readonly seq: number
  readonly time: number
  readonly id: string
  readonly cwd: string
  readonly home: string
  readonly seed: string
  /** ms since the epoch. */
  readonly created: number
  /** The first line of what was said first. */
  readonly title: string
  readonly settings: SessionSettings
  /** Rules that the user allowed for this session. */
  readonly grants: ReadonlyArray<string>
  readonly facts: Facts | undefined
  /** Blob of the system prompt. */
  readonly system: string | undefined
  /** What the model is shown of all turns so far. */
  readonly messages: ReadonlyArray<Message>
  readonly gauge: Gauge.Gauge
  /** What was said and not yet sent. */
  readonly said: ReadonlyArray<Content>
  /** What waits for the end of the task. */
  readonly queue: ReadonlyArray<Content>
  /** Calls of the last response. */
  readonly calls: ReadonlyArray<Transcript.Call>
  /** What the model owes or has given: the loop's place in a turn. */
  readonly model: "awaited" | "requested" | "responded"
  /** Why the last response ended, where it had no call. */
  readonly stop: string
  /** What to tell the model of its last response, which held no call but was meant to. */
  readonly nearMiss: string | undefined
  readonly task: Task
  /** Answers of all tasks. */
  readonly answers: number
  readonly usage: Usage.TokenUsage
  readonly cost: number
  readonly todo: ReadonlyArray<Outcome.TodoItem>
  /** `fresh`: saved since the turn began and since the last edit or command; `dirty`: something ran since it was saved. */
  readonly checkpoint: { readonly id?: string; readonly off?: string; readonly fresh: boolean; readonly dirty: boolean }
  /** Hash of each file as last read or written by us; what differs on disk was changed by someone else. */
  readonly files: ReadonlyMap<string, string | null>
}

const idle: Task = { state: "idle", turns: 0, since: 0, mistakes: 0, repeats: 0, signature: "", result: "" }

export const empty: Session = {
  seq: -1,
  time: 0,
  id: "",
  cwd: "",
  home: "",
  seed: "",
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
  system: undefined,
  messages: [],
  gauge: Gauge.initial,
  said: [],
  queue: [],
  calls: [],
  model: "awaited",
  stop: "",
  nearMiss: undefined,
  task: idle,
  answers: 0,
  usage: Usage.none,
  cost: 0,
  todo: [],
  checkpoint: { fresh: false, dirty: false },
  files: new Map()
}

/** The state after one more event. */
export const apply = (session: Session, at: SessionEvent): Session => ({
  ...session,
  ...change(session, at.event, at.time),
  seq: at.seq,
  time: at.time
})

type Changes = {
  readonly [Tag in Settled["_tag"]]: (s: Session, event: Extract<Settled, { _tag: Tag }>, time: number) => Partial<Session>
}

const change = (s: Session, event: Settled, time: number): Partial<Session> =>
  (changes[event._tag] as (s: Session, event: Settled, time: number) => Partial<Session>)(s, event, time)

const changes: Changes = {
  SessionStarted: (_, { cwd, home, id, seed, settings }, created) => ({
    ...empty,
    id,
    cwd,
    home,
    seed,
    created,
    settings
  }),
  UserSaid: (s, { delivery, parts = [], text }, time) => {
    const words: ReadonlyArray<Content> = [{ _tag: "Text", text }, ...parts]
    return s.task.state !== "running" ? { ...begin(s, words, time), title: s.title === "" ? firstLine(text) : s.title }
      : delivery === "queue" ? { queue: [...s.queue, ...words] }
      : { said: [...s.said, ...words] }
  },
  Resumed: (s, { goOn, settings }) => ({
    settings,
    gauge: recounted(s, settings.model),
    task: unfinished.has(s.task.state) ? { ...s.task, state: goOn ? "running" : "interrupted" } : s.task
  }),
  ModeSwitched: (s, { mode }) => ({ settings: { ...s.settings, mode } }),
  ModelSwitched: (s, { model, toolFormat }) => ({ settings: { ...s.settings, model, toolFormat }, gauge: recounted(s, model) }),
  ToolsChanged: () => ({}),
  ContextPlanned: (s, { current, facts, system, tokens }) => ({
    facts: FactsChange.merge(s.facts, facts),
    gauge: Gauge.planned(s.gauge, tokens),
    ...(system === undefined ? {} : { system }),
    messages: s.calls.length + s.said.length === 0 && current === undefined
      ? s.messages
      : [...s.messages, Transcript.userMessage(s.calls, s.said, current)],
    calls: [],
    said: []
  }),
  CompactionAsked: (s) => ({ gauge: { ...s.gauge, asked: true } }),
  SummaryRequested: () => ({}),
  ContextCompacted: (s, event) => ({
    ...Compacted.apply(s, event),
    gauge: Gauge.compacted(s.gauge, event),
    ...(event.usage === undefined ? {} : { usage: Usage.add(s.usage, event.usage) }),
    cost: s.cost + (event.cost ?? 0)
  }),
  ModelRequested: (s) => ({ model: "requested", checkpoint: { ...s.checkpoint, fresh: false } }),
  ModelResponded: (s, { content, cost, malformed, nearMiss, stop, usage }) => {
    const calls = Transcript.calls(content, malformed)
    const signature = JSON.stringify(calls.map(({ call }) => [call.name, call.params]))
    return {
      messages: [...s.messages, { role: "assistant", content }],
      calls,
      answers: s.answers + 1,
      model: "responded",
      stop,
      nearMiss,
      task: {
        ...s.task,
        turns: s.task.turns + 1,
        signature,
        repeats: calls.length > 0 && signature === s.task.signature ? s.task.repeats + 1 : 1
      },
      usage: Usage.add(s.usage, usage),
      cost: s.cost + (cost ?? 0),
      gauge: Gauge.reported(s.gauge, usage)
    }
  },
  ModelRetrying: () => ({}),
  ModelFailed: (s, { reason }) => ({
    model: "awaited",
    ...(reason._tag === "ContextOverflow" ? { gauge: Gauge.refused(s.gauge, s.settings.model) } : {})
  }),
  ToolProposed: (s, { call, ...proposed }) => ({
    calls: update(s.calls, call, () => ({
      proposed,
      state: proposed.decision === "allow" ? "allowed" : proposed.decision === "deny" ? "denied" : "proposed",
      ...(proposed.decision === "deny" ? { words: proposed.reason } : {})
    }))
  }),
  ApprovalAsked: (s, { call }) => ({ calls: update(s.calls, call, () => ({ state: "asked" })) }),
  ApprovalDecided: (s, { call, decision, rules, words }) => ({
    calls: decision === "allow" ? update(s.calls, call, () => ({ state: "allowed" })) : refuse(s.calls, call, words),
    ...(rules === undefined ? {} : { grants: [...s.grants, ...rules] })
  }),
  CheckpointSaved: (_, { id }) => ({ checkpoint: { id, fresh: true, dirty: false } }),
  CheckpointsOff: (s, { why }) => ({
    checkpoint: { off: why, fresh: true, dirty: false },
    calls: s.checkpoint.off !== undefined || s.settings.mode === "bypassPermissions" ? s.calls : s.calls.map(askAgain)
  }),
  ToolStarted: (s, { call }) => ({ calls: update(s.calls, call, () => ({ state: "running" })) }),
  ToolFinished: (s, { call, outcome }) => ({
    calls: update(s.calls, call, () => ({ state: "done", outcome })),
    checkpoint: ran(s.calls, call) ? { ...s.checkpoint, fresh: false, dirty: true } : s.checkpoint,
    task: { ...s.task, mistakes: mistakes(s, outcome) }
  }),
  FileTouched: (s, { by, hash, path }) => by === "agent" ? { files: new Map(s.files).set(path, hash) } : {},
  TodoUpdated: (_, { items }) => ({ todo: items }),
  Reminded: (s, { text }) => ({
    said: [...s.said, { _tag: "Text", text, origin: "reminder" }],
    model: "awaited",
    task: { ...s.task, mistakes: s.task.mistakes + 1 }
  }),
  ChildStarted: () => ({}),
  ChildFinished: () => ({}),
  BudgetReserved: () => ({}),
  BudgetSettled: () => ({}),
  BudgetExhausted: () => ({}),
  HookRan: () => ({}),
  Interrupted: (s) => ({ gauge: { ...s.gauge, asked: false }, task: { ...s.task, state: s.task.state === "running" ? "interrupted" : s.task.state } }),
  Rewound: () => ({}),
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

/** A task begins with what the user said; results of the task before stay in front of it. */
const begin = (s: Session, words: ReadonlyArray<Content>, time: number): Partial<Session> => ({
  said: [...s.said, ...words],
  queue: [],
  model: "awaited",
  task: { ...idle, state: "running", since: time }
})

/** Another model counts in other tokens. */
const recounted = ({ gauge, settings }: Session, model: Model.Model): Gauge.Gauge =>
  Model.title(model) === Model.title(settings.model) ? gauge : { ...gauge, factor: 1, planned: 0 }

const firstLine = (text: string): string => text.trimStart().split("\n", 1)[0]!.slice(0, 100)

/** Whether a call that ends now was an edit or a command that had started. */
const ran = (calls: ReadonlyArray<Transcript.Call>, id: string): boolean =>
  calls.some(({ call, proposed, state }) => call.id === id && state === "running" && proposed?.kind !== "read")

/** Responses in a row in which a call was a mistake and none succeeded: several mistakes of one response are one. */
const mistakes = ({ calls, task }: Session, { mistake, status }: Outcome.Outcome): number =>
  status === "succeeded" ? 0
  : mistake === true && !calls.some(({ outcome }) => outcome?.mistake === true || outcome?.status === "succeeded") ? task.mistakes + 1
  : task.mistakes

/** Without checkpoints, what a rule allowed is asked about once. */
const askAgain = (call: Transcript.Call): Transcript.Call =>
  call.state === "allowed" && call.proposed?.decision === "allow" && call.proposed.kind !== "read"
    ? { ...call, state: "proposed" }
    : call

const update = (
  calls: ReadonlyArray<Transcript.Call>,
  id: string,
  f: (call: Transcript.Call) => Partial<Transcript.Call>
): ReadonlyArray<Transcript.Call> => calls.map((call) => call.call.id === id ? { ...call, ...f(call) } : call)

/** A refusal takes with it the edits and commands behind it; reads still run, and the user's words are said once. */
const refuse = (
  calls: ReadonlyArray<Transcript.Call>,
  id: string,
  words: string | undefined
): ReadonlyArray<Transcript.Call> => {
  const place = calls.findIndex(({ call }) => call.id === id)
  return calls.map((call, i) =>
    i === place ? { ...call, state: "denied", ...(words === undefined ? {} : { words }) }
    : i > place && call.state !== "done" && call.proposed !== undefined && call.proposed.kind !== "read"
    ? { ...call, state: "denied", words: "Not asked: the user refused a call before it." }
    : call
  )
}

/** What every front end shows, derived: the first that holds. */
export const phase = ({ calls, model, task }: Session): Phase =>
  task.state !== "running" ? (task.state === "failed" || task.state === "finished" ? task.state : "idle")
  : calls.some(({ state }) => state === "asked") ? "waiting for approval"
  : calls.some(({ state }) => state === "running") ? "running tools"
  : model === "requested" ? "streaming"
  : "idle"
export type Phase = "idle" | "streaming" | "waiting for approval" | "running tools" | "finished" | "failed"

/** What closes a task that was told to stop: the open request, and every call without an outcome. */
export const interrupted = (session: Session, draft: string | null): ReadonlyArray<Settled> => [
  ...unanswered(session, "Interrupted", draft),
  ...session.calls.filter(({ state }) => state !== "done").map(({ call }) =>
    finished(call.id, Outcome.interrupted("Interrupted by the user before it was done."))
  )
]

/** What closes a task whose process died: the open request, and every edit or command that may or may not have run. Reads run again. */
export const crashed = (session: Session, draft: string | null): ReadonlyArray<Settled> => [
  ...unanswered(session, "Crashed", draft),
  ...session.calls.filter(({ proposed, state }) => state === "running" && proposed?.kind !== "read").map(({ call }) =>
    finished(call.id, Outcome.unknown("efferent died while this ran: it may have happened in part, whole, or not at all. Look before you repeat it."))
  )
]

const unanswered = (session: Session, why: "Interrupted" | "Crashed", draft: string | null): ReadonlyArray<Settled> =>
  session.model === "requested"
    ? [{ _tag: "ModelFailed", reason: { _tag: why }, provider: session.settings.model.provider, message: `${why} in the middle of an answer.`, draft }]
    : []

const finished = (call: string, outcome: Outcome.Outcome): Settled => ({ _tag: "ToolFinished", call, outcome })
