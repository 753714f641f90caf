/** Everything that happens in a session: settled events are logged, hashed and folded; live ones never change the fold. */
import * as Schema from "effect/Schema"
import { SubagentReport } from "../subagent/Subagent.ts"
import { MergedWork } from "../subagent/MergedWork.ts"
import { Access } from "../tool/Access.ts"
import { StopReason } from "../message/Chunk.ts"
import { BlobHash, Content, Message } from "../message/Message.ts"
import type { Part } from "../message/Part.ts"
import { ServerTools } from "../mcp/ServerTools.ts"
import { Mode } from "../approval/Mode.ts"
import { Model, ModelChoice, ToolFormat } from "../provider/Model.ts"
import { ProviderReason } from "../provider/ProviderError.ts"
import { IntentState, EditIntent } from "../tool/EditIntent.ts"
import { Outcome, TodoItem } from "../tool/Outcome.ts"
import { HookRecord } from "../hook/HookAnswer.ts"
import { RepositoryState } from "../workspace/RepositoryState.ts"
import { StoredRepository } from "../workspace/StoredFiles.ts"
import { Amount, Level, LevelName, Refusal } from "./Amount.ts"
import { SessionSettings } from "./SessionSettings.ts"
import { RaisableLimit, TaskFailure } from "./Task.ts"
import { Spending, TokenUsage } from "./Usage.ts"

export { Rules, SessionSettings } from "./SessionSettings.ts"

/** Version of the event grammar; logs of a newer version are rejected, older ones are read. */
export const version = 1
const CallId = Schema.String

/** Where the user's input goes: a new task, the next request of the running one, or after it. */
export const Delivery = Schema.Literals(["task", "steer", "queue"])
export type Delivery = typeof Delivery.Type

/** A file that someone else changed or deleted since the session saw it; `hash` is its current one. */
export const ChangedFile = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["modified", "deleted"]),
  hash: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Changed" })
export type ChangedFile = typeof ChangedFile.Type

/** A command in the background that has ended: `code` is null if a signal ended it. `lines` are the last ones of its output. */
export const EndedCommand = Schema.Struct({
  id: CallId,
  command: Schema.String,
  code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  durationMs: Schema.Int,
  lines: Schema.Array(Schema.String)
}).annotate({ identifier: "EndedCommand" })
export type EndedCommand = typeof EndedCommand.Type

const Page = Schema.Struct({ path: Schema.String, text: Schema.String })

const factFields = {
  platform: Schema.String,
  shell: Schema.String,
  /** The day on which the session began, and the day of the request. */
  date: Schema.String,
  today: Schema.optionalKey(Schema.String),
  git: Schema.NullOr(Schema.Struct({ branch: Schema.String, head: Schema.String })),
  repository: Schema.optionalKey(RepositoryState),
  /** Rules files, the farthest first; `notes` describe what was cut, overridden or not read. */
  rules: Schema.Array(Page),
  notes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Entries of the working folder, breadth first, folders with a slash. */
  tree: Schema.optionalKey(Schema.Array(Schema.String)),
  memory: Schema.optionalKey(Schema.Array(Page)),
  skills: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))),
  agents: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))),
  changed: Schema.optionalKey(Schema.Array(ChangedFile)),
  ended: Schema.optionalKey(Schema.Array(EndedCommand)),
  plugins: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, text: Schema.String })))
}

/** Facts about the environment that went into a prompt: gathered by effects, rendered by pure sections. */
export const Facts = Schema.Struct(factFields).annotate({ identifier: "Facts" })
export type Facts = typeof Facts.Type

/** The facts that differ from the previous ones. */
export const FactsChange = Schema.Struct({
  ...factFields,
  platform: Schema.optionalKey(factFields.platform),
  shell: Schema.optionalKey(factFields.shell),
  date: Schema.optionalKey(factFields.date),
  git: Schema.optionalKey(factFields.git),
  rules: Schema.optionalKey(factFields.rules)
}).annotate({ identifier: "FactsChange" })
export type FactsChange = typeof FactsChange.Type

/** A file that a request includes automatically: its text at the time with its hash, its score, and the reason. */
export const IncludedFile = Schema.Struct({
  path: Schema.String,
  hash: Schema.String,
  text: Schema.String,
  score: Schema.Int,
  why: Schema.String
}).annotate({ identifier: "Included" })
export type IncludedFile = typeof IncludedFile.Type

/** A part of a message in shortened form: its text, or with `param` one of a call's params. Indexes count from 0. */
export const ShortenedPart = Schema.Struct({
  message: Schema.Int,
  part: Schema.Int,
  param: Schema.optionalKey(Schema.String),
  text: Schema.String
}).annotate({ identifier: "Shortened" })
export type ShortenedPart = typeof ShortenedPart.Type

/** What a call does to its environment: reads run side by side, edits and commands in order and after a checkpoint. */
export const Kind = Schema.Literals(["read", "edit", "command"])
export type Kind = typeof Kind.Type

/** How many files differ from the previous checkpoint. */
export const Counts = Schema.Struct({ files: Schema.Int, added: Schema.Int, removed: Schema.Int })
export type Counts = typeof Counts.Type

/** Why a request has no response: the provider failed for good, the user interrupted, or the process died. */
export const FailReason = Schema.Union([
  ProviderReason,
  Schema.TaggedStruct("Interrupted", {}),
  Schema.TaggedStruct("Crashed", {})
])
export type FailReason = typeof FailReason.Type

/** What happened, as the log stores it: one case for each kind of event. */
export const Settled = Schema.TaggedUnion({
  /**
   * `seed` feeds every random number of the session. `parent` is the session that started this one and whose budget it
   * spends. A fork's log begins with the events of its origin; this is the first event of its own, and `origin` names
   * the session, seq and hash of the event before it.
   */
  SessionStarted: {
    id: Schema.String,
    version: Schema.String,
    cwd: Schema.String,
    home: Schema.String,
    seed: Schema.String,
    settings: SessionSettings,
    parent: Schema.optionalKey(Schema.String),
    origin: Schema.optionalKey(Schema.Struct({ id: Schema.String, seq: Schema.Int, hash: Schema.String }))
  },
  SessionNamed: { name: Schema.String },
  /**
   * `parts` are what the text mentions or attaches, as read, in the order of the text. `key` is what the sender calls the message:
   * sent again under the same key, it is not recorded again.
   */
  UserSaid: {
    text: Schema.String,
    delivery: Delivery,
    parts: Schema.optionalKey(Schema.Array(Content)),
    key: Schema.optionalKey(Schema.String)
  },
  /** Resumed under these settings by this version; `goOn`: an unfinished task continues. */
  Resumed: { settings: SessionSettings, version: Schema.String, goOn: Schema.Boolean },
  ModeSwitched: { mode: Mode },
  ModelSwitched: { model: Model, toolFormat: ToolFormat },
  /** What MCP servers offer from the next request on; `notes` report the ones that failed, and why. */
  ToolsChanged: { offer: ServerTools, notes: Schema.Array(Schema.String) },
  /**
   * What the next request shows, where it differs from the previous plan. `system` is the blob of the system prompt and
   * `tools` that of the tools on offer: a replay sends these texts again. `included` are automatically included files
   * for the newest message, `current` is the text at its end, once. `tokens` is the estimate used for planning; `left`
   * names what is missing or reduced.
   */
  ContextPlanned: {
    facts: Schema.optionalKey(FactsChange),
    system: Schema.optionalKey(BlobHash),
    tools: Schema.optionalKey(BlobHash),
    included: Schema.optionalKey(Schema.Array(IncludedFile)),
    current: Schema.optionalKey(Schema.String),
    tokens: Schema.Int,
    left: Schema.Array(Schema.String)
  },
  /** The user asks for a smaller conversation, now; `words`: what matters to them. */
  CompactionAsked: { words: Schema.optionalKey(Schema.String) },
  /** A summary is requested from a model: `request` is the hash of the encoded request, `prompt` the blob of its texts. */
  SummaryRequested: {
    model: Schema.String,
    request: Schema.String,
    maxTokens: Schema.Int,
    prompt: Schema.optionalKey(BlobHash),
    facts: Schema.optionalKey(FactsChange)
  },
  /**
   * Exactly what the model sees of earlier turns from now on: shortened parts, and messages `from` up to, not
   * including, `to` replaced by others. `why`: the window was full, the provider rejected the request, or the user
   * asked. `left` names what was removed. `facts` are the ones it was decided by, unless the session knows them
   * already. A summary has its usage and the blob of its recording; `failed` says why there is none.
   */
  ContextCompacted: {
    kind: Schema.Literals(["duplicates", "shorten", "summary", "truncate"]),
    why: Schema.Literals(["full", "refused", "asked"]),
    shortened: Schema.Array(ShortenedPart),
    replaced: Schema.optionalKey(Schema.Struct({ from: Schema.Int, to: Schema.Int, by: Schema.Array(Message) })),
    before: Schema.Int,
    after: Schema.Int,
    left: Schema.Array(Schema.String),
    facts: Schema.optionalKey(FactsChange),
    spent: Schema.optionalKey(Spending),
    recording: Schema.optionalKey(BlobHash),
    failed: Schema.optionalKey(Schema.String)
  },
  /** `request` is the hash of the encoded request; `maxTokens` limits its response; `adapted` lists what was requested but left out. */
  ModelRequested: {
    model: Schema.String,
    request: Schema.String,
    maxTokens: Schema.Int,
    adapted: Schema.optionalKey(Schema.Array(Schema.String))
  },
  /** `recording` is the blob of every chunk with its time; `nearMiss` is what to tell a model that meant to make a call but did not. */
  ModelResponded: {
    content: Schema.Array(Content),
    usage: TokenUsage,
    cost: Schema.NullOr(Schema.Finite),
    stop: StopReason,
    recording: BlobHash,
    malformed: Schema.Array(Schema.Struct({ call: CallId, why: Schema.String })),
    warnings: Schema.Array(Schema.String),
    nearMiss: Schema.optionalKey(Schema.String)
  },
  /**
   * An attempt failed and does not count; the next one is sent after `delayMs`. `draft` is the blob of the partial
   * response and `spent` its cost, if anything arrived.
   */
  ModelRetrying: {
    reason: ProviderReason,
    message: Schema.String,
    attempt: Schema.Int,
    delayMs: Schema.Finite,
    draft: Schema.optionalKey(BlobHash),
    spent: Schema.optionalKey(Spending)
  },
  /**
   * The request ended without a response; `draft` is the blob of what had arrived, `spent` its cost, `said` its text if
   * the user stopped it.
   */
  ModelFailed: {
    reason: FailReason,
    provider: Schema.String,
    message: Schema.String,
    status: Schema.optionalKey(Schema.Int),
    requestId: Schema.optionalKey(Schema.String),
    draft: Schema.NullOr(BlobHash),
    spent: Schema.optionalKey(Spending),
    said: Schema.optionalKey(Schema.String)
  },
  /** The model of this `place` in the chain takes over until the task ends, or `until`; place 0 is the session's own model again. */
  FallbackTaken: {
    ...ModelChoice.fields,
    why: Schema.String,
    place: Schema.optionalKey(Schema.Int),
    until: Schema.optionalKey(Schema.Finite)
  },
  /** All attempts failed: the task waits for its provider and tries once more after `delayMs`. */
  ModelWaiting: { message: Schema.String, delayMs: Schema.Finite },
  /**
   * A decoded call of the last response: what it would touch and what the rules decide. `action` is the hash of exactly
   * that, `offer` the rules that "always" would add.
   */
  ToolProposed: {
    call: CallId,
    access: Schema.Array(Access),
    kind: Kind,
    action: Schema.String,
    decision: Schema.Literals(["allow", "ask", "deny"]),
    risk: Schema.Literals(["low", "medium", "high"]),
    reason: Schema.String,
    rule: Schema.optionalKey(Schema.String),
    offer: Schema.Array(Schema.String)
  },
  ApprovalAsked: { call: CallId, action: Schema.String },
  /**
   * `rules` are what the decision adds to this session's rules, and to the settings with scope `always`. `params`: the
   * user changed the call, which is proposed again with these.
   */
  ApprovalDecided: {
    call: CallId,
    decision: Schema.Literals(["allow", "deny"]),
    scope: Schema.Literals(["once", "session", "always"]),
    words: Schema.optionalKey(Schema.String),
    rules: Schema.optionalKey(Schema.Array(Schema.String)),
    params: Schema.optionalKey(Schema.Json),
    by: Schema.Literals(["user", "nobody"])
  },
  /**
   * `pack` is the blob of what it adds to the checkpoints that earlier events carry (setting `storeFiles`); `repository`: the user's
   * own commits, where they changed since.
   */
  CheckpointSaved: {
    id: Schema.String,
    why: Schema.String,
    counts: Counts,
    pack: Schema.optionalKey(BlobHash),
    repository: Schema.optionalKey(StoredRepository)
  },
  /** Checkpoints are unavailable; the first edit asks. */
  CheckpointsOff: { why: Schema.String },
  /** `intends`: what an edit will do to its files. */
  ToolStarted: { call: CallId, intends: Schema.optionalKey(Schema.Array(EditIntent)) },
  /** The process died while it ran: what the state of its files shows. */
  ToolProbed: { call: CallId, found: IntentState },
  ToolFinished: { call: CallId, outcome: Outcome },
  /** A tracked file changed. By `agent`: a tool of ours; by `user`: anyone else. */
  FileTouched: {
    path: Schema.String,
    kind: Schema.Literals(["read", "created", "modified", "deleted"]),
    hash: Schema.NullOr(Schema.String),
    by: Schema.Literals(["agent", "user"])
  },
  /** By a tool of the model, or `by` the user. */
  TodoUpdated: { items: Schema.Array(TodoItem), by: Schema.optionalKey(Schema.Literal("user")) },
  /** A note from us to the model: a near miss of a tool call, a response that was cut off. */
  Reminded: { text: Schema.String },
  /** A call delegates its task number `place` (from 0) `of` so many to a session of its own. */
  ChildStarted: { call: CallId, session: Schema.String, place: Schema.Int, of: Schema.Int, name: Schema.String },
  ChildFinished: { call: CallId, session: Schema.String, report: SubagentReport },
  /** All subagents of a call that edits have ended: what became of their work. */
  ChildrenGathered: { call: CallId, ...MergedWork.fields },
  /** One text of several reports is requested from a model; `request` and `prompt` as for a summary. */
  SynthesisRequested: {
    call: CallId,
    model: Schema.String,
    request: Schema.String,
    maxTokens: Schema.Int,
    prompt: Schema.optionalKey(BlobHash)
  },
  /** The result: its usage and the blob of its recording; `failed` says why there is none. */
  SynthesisEnded: {
    call: CallId,
    spent: Schema.optionalKey(Spending),
    recording: Schema.optionalKey(BlobHash),
    failed: Schema.optionalKey(Schema.String)
  },
  /** Before a request: its maximum cost; `child`: the session that makes it. `above`: what the higher levels had left. */
  BudgetReserved: { ...Amount.fields, child: Schema.optionalKey(Schema.String), above: Schema.optionalKey(Schema.Array(Level)) },
  /**
   * The final cost of a reservation. `warning`: this percentage of a limit is used, reported once. `isUpperBound`: the
   * usage was not reported, and everything reserved counts.
   */
  BudgetSettled: {
    ...Amount.fields,
    child: Schema.optionalKey(Schema.String),
    warning: Schema.optionalKey(Schema.Int),
    isUpperBound: Schema.optionalKey(Schema.Boolean)
  },
  /** The next request could exceed a limit: it is not sent. */
  BudgetExhausted: { ...Refusal.fields, above: Schema.optionalKey(Schema.Array(Level)) },
  BudgetRaised: { level: LevelName, unit: Refusal.fields.unit, limit: Schema.Finite },
  /** The user lets a task continue at a limit: `more` responses, or ms; mistakes are counted anew. `words` are for the model. */
  LimitRaised: { limit: RaisableLimit, more: Schema.Finite, words: Schema.optionalKey(Schema.String) },
  HookRan: HookRecord.fields,
  /** `savesFiles`: an edit or a command may have changed files, so a checkpoint follows. */
  Interrupted: { why: Schema.String, savesFiles: Schema.optionalKey(Schema.Literal(true)) },
  /**
   * Back to the moment after the event `to`: the files, the conversation, or both. `before` is the checkpoint of the
   * files before the rewind, so that it can be undone.
   */
  Rewound: { to: Schema.Int, files: Schema.Boolean, conversation: Schema.Boolean, before: Schema.optionalKey(Schema.String) },
  TaskFinished: { result: Schema.String },
  /** `facts`: those of a request that could not be planned or prepared, as far as the session did not know them. */
  TaskFailed: { reason: TaskFailure, message: Schema.String, facts: Schema.optionalKey(FactsChange) }
}).annotate({ identifier: "Settled" })
export type Settled = typeof Settled.Type

/**
 * A settled event in its place in the log. `time` is in ms since the epoch, stamped once at append. `hash` is SHA-256
 * in hex over `prev`, a newline, and the JSON text of `{ v, seq, time, event }`; `prev` of the first is "".
 */
export const SessionEvent = Schema.Struct({
  v: Schema.Int,
  seq: Schema.Int,
  time: Schema.Finite,
  prev: Schema.String,
  hash: Schema.String,
  event: Settled
}).annotate({ identifier: "SessionEvent" })
export type SessionEvent = typeof SessionEvent.Type

/** What happens between settled events; plain data, never logged, never folded. */
export type Live =
  | { readonly _tag: "Parsed"; readonly part: Part }
  | { readonly _tag: "Discarded"; readonly why: string }
  | { readonly _tag: "Output"; readonly call: string; readonly text: string }
  | { readonly _tag: "Notice"; readonly text: string }
  /** A checkpoint is being saved; `total` files are new or changed, 0 before they are counted. */
  | { readonly _tag: "Saving"; readonly saved: number; readonly total: number }

/** What a session's follower sees, in order. */
export type Followed = { readonly _tag: "Settled"; readonly at: SessionEvent } | Live
