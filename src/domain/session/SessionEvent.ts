/**
 * The one union of all that happens in a session. Settled events are appended to the log, numbered, hashed and
 * folded; live events are followed while they happen and never change the fold.
 */
import * as Schema from "effect/Schema"
import { Report } from "../subagent/Subagent.ts"
import { Gathered } from "../subagent/MergedWork.ts"
import { Access } from "../tool/Access.ts"
import { AfterEdit } from "../tool/AfterEdit.ts"
import { StopReason } from "../message/Chunk.ts"
import { BlobHash, Content, Message } from "../message/Message.ts"
import type { Part } from "../message/Part.ts"
import { Offer } from "../mcp/ServerTools.ts"
import { Mode } from "../approval/Mode.ts"
import { Model, ToolFormat } from "../provider/Model.ts"
import { ProviderReason } from "../provider/ProviderError.ts"
import { Found, Intent } from "../tool/EditIntent.ts"
import { Outcome, TodoItem } from "../tool/Outcome.ts"
import { Amount, Level, LevelName, Refusal } from "./Budget.ts"
import { Limits } from "./Limits.ts"
import { Spent, TokenUsage } from "./Usage.ts"

/** Version of the event grammar; a log of a newer one is refused, an older one is read. */
export const version = 1

const CallId = Schema.String

/** Where what the user typed goes: a new task, the next request of the running one, or after it. */
export const Delivery = Schema.Literals(["task", "steer", "queue"])
export type Delivery = typeof Delivery.Type

/** A rule as the user wrote it, and the reason that is shown when it decides. */
const RuleText = Schema.Union([Schema.String, Schema.Struct({ rule: Schema.String, justification: Schema.String })])

/** Permission rules by decision (safety.md §1). */
export const Rules = Schema.Struct({
  allow: Schema.Array(RuleText),
  ask: Schema.Array(RuleText),
  deny: Schema.Array(RuleText)
}).annotate({ identifier: "Rules" })
export type Rules = typeof Rules.Type

/** A model, and how its tools are called. */
export const Choice = Schema.Struct({ model: Model, toolFormat: ToolFormat }).annotate({ identifier: "Choice" })
export type Choice = typeof Choice.Type

/**
 * What a task may do and with what: given by flags and settings, never read from anywhere but the log. `model` is
 * the whole description, so that windows and prices are the same when the session runs again; so are the others: `plan`
 * answers in plan mode, `fallback` when no try of the model succeeded, `cheap` writes summaries and titles. `onlyTools`
 * are those that it may use, with `readOnly` of them those that read; absent: all that its mode has. `roots` are folders that
 * are open beside the session's own; `agent` is the name of the custom agent that these settings are of; of `prompt`, `instead` stands in place of our own beginning of the system prompt and
 * `also` at its end. `afterEdit` runs after edits, where it is allowed. `autoFiles` are the tokens that files may take which go
 * along by themselves (context/Inclusion); 0: none do.
 */
export const SessionSettings = Schema.Struct({
  model: Model,
  mode: Mode,
  toolFormat: ToolFormat,
  plan: Schema.optionalKey(Choice),
  fallback: Schema.optionalKey(Choice),
  cheap: Schema.optionalKey(Model),
  limits: Limits,
  rules: Rules,
  onlyTools: Schema.optionalKey(Schema.Array(Schema.String)),
  readOnly: Schema.optionalKey(Schema.Boolean),
  roots: Schema.optionalKey(Schema.Array(Schema.String)),
  agent: Schema.optionalKey(Schema.String),
  prompt: Schema.optionalKey(Schema.Struct({ instead: Schema.optionalKey(Schema.String), also: Schema.optionalKey(Schema.String) })),
  afterEdit: Schema.optionalKey(Schema.Array(AfterEdit)),
  autoFiles: Schema.optionalKey(Schema.Int),
  onAsk: Schema.Literals(["ask", "deny", "exit"])
}).annotate({ identifier: "SessionSettings" })
export type SessionSettings = typeof SessionSettings.Type

/** A file that someone else changed or deleted since the session saw it; `hash` is what it is now. */
export const Changed = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["modified", "deleted"]),
  hash: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Changed" })
export type Changed = typeof Changed.Type

const Page = Schema.Struct({ path: Schema.String, text: Schema.String })

const factFields = {
  platform: Schema.String,
  shell: Schema.String,
  /** The day on which the session began, and the day of the request. */
  date: Schema.String,
  today: Schema.optionalKey(Schema.String),
  git: Schema.NullOr(Schema.Struct({ branch: Schema.String, head: Schema.String })),
  /** Rules files, the farthest first; `notes` say what of them was cut, hidden or not read. */
  rules: Schema.Array(Page),
  notes: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Entries of the working folder, breadth first, folders with a slash. */
  tree: Schema.optionalKey(Schema.Array(Schema.String)),
  memory: Schema.optionalKey(Schema.Array(Page)),
  skills: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))),
  agents: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))),
  changed: Schema.optionalKey(Schema.Array(Changed))
}

/** Facts of the world outside that went into a prompt: gathered by effects, rendered by pure sections. */
export const Facts = Schema.Struct(factFields).annotate({ identifier: "Facts" })
export type Facts = typeof Facts.Type

/** Facts as far as they differ from those before. */
export const FactsChange = Schema.Struct({
  ...factFields,
  platform: Schema.optionalKey(factFields.platform),
  shell: Schema.optionalKey(factFields.shell),
  date: Schema.optionalKey(factFields.date),
  git: Schema.optionalKey(factFields.git),
  rules: Schema.optionalKey(factFields.rules)
}).annotate({ identifier: "FactsChange" })
export type FactsChange = typeof FactsChange.Type

/** A file that a request shows though nobody asked for it: its text as it was then with its hash, what it scored, and why. */
export const Included = Schema.Struct({
  path: Schema.String,
  hash: Schema.String,
  text: Schema.String,
  score: Schema.Int,
  why: Schema.String
}).annotate({ identifier: "Included" })
export type Included = typeof Included.Type

/** A part of a message shown shorter: its text, or with `param` one of a call's params. Places count from 0. */
export const Shortened = Schema.Struct({
  message: Schema.Int,
  part: Schema.Int,
  param: Schema.optionalKey(Schema.String),
  text: Schema.String
}).annotate({ identifier: "Shortened" })
export type Shortened = typeof Shortened.Type

/** What a call does to the world: reads run side by side, edits and commands in order and after a checkpoint. */
export const Kind = Schema.Literals(["read", "edit", "command"])
export type Kind = typeof Kind.Type

/** Counts of what a checkpoint differs by from the one before. */
export const Counts = Schema.Struct({ files: Schema.Int, added: Schema.Int, removed: Schema.Int })
export type Counts = typeof Counts.Type

/** Why a request has no answer: the provider failed for good, we were told to stop, or we died. */
export const FailReason = Schema.Union([
  ProviderReason,
  Schema.TaggedStruct("Interrupted", {}),
  Schema.TaggedStruct("Crashed", {})
])
export type FailReason = typeof FailReason.Type

/** What happened, as the log keeps it: one case for each kind of event. */
export const Settled = Schema.TaggedUnion({
  /**
   * `seed` feeds every random number of the session. `parent` is the session that started this one and whose budget it
   * spends. A fork's log begins with the events of its origin; this is its first own one, and `origin` names the session,
   * seq and hash of the event before it.
   */
  SessionStarted: {
    id: Schema.String,
    dacapo: Schema.String,
    cwd: Schema.String,
    home: Schema.String,
    seed: Schema.String,
    settings: SessionSettings,
    parent: Schema.optionalKey(Schema.String),
    origin: Schema.optionalKey(Schema.Struct({ id: Schema.String, seq: Schema.Int, hash: Schema.String }))
  },
  /** The user gave it a name. */
  SessionNamed: { name: Schema.String },
  /** `parts` are what the text mentions or attaches, as it was read, in the order of the text. */
  UserSaid: { text: Schema.String, delivery: Delivery, parts: Schema.optionalKey(Schema.Array(Content)) },
  /** Taken up again under these settings by this version; `goOn`: an unfinished task runs on. */
  Resumed: { settings: SessionSettings, dacapo: Schema.String, goOn: Schema.Boolean },
  ModeSwitched: { mode: Mode },
  ModelSwitched: { model: Model, toolFormat: ToolFormat },
  /** What MCP servers give from the next request on; `notes` tell people of those that do not answer, and why. */
  ToolsChanged: { offer: Offer, notes: Schema.Array(Schema.String) },
  /**
   * What the next request shows, as far as it differs from the plan before. `system` is the blob of the system
   * prompt; `included` are files that go along with the newest message, `current` is what stands at its end, once. `tokens` is the estimate by which it was
   * planned; `left` names what is not shown or poorer.
   */
  ContextPlanned: {
    facts: Schema.optionalKey(FactsChange),
    system: Schema.optionalKey(BlobHash),
    included: Schema.optionalKey(Schema.Array(Included)),
    current: Schema.optionalKey(Schema.String),
    tokens: Schema.Int,
    left: Schema.Array(Schema.String)
  },
  /** The user wants the conversation to be made smaller, now; `words`: what of it matters to them. */
  CompactionAsked: { words: Schema.optionalKey(Schema.String) },
  /** A summary is asked of a model; `request` is the hash of the encoded request. */
  SummaryRequested: { model: Schema.String, request: Schema.String, maxTokens: Schema.Int, facts: Schema.optionalKey(FactsChange) },
  /**
   * What the model sees of earlier turns from now on, exactly: parts shown shorter, and messages `from` up to, not
   * including, `to` replaced by others. `why`: the window was full, the provider refused, or the user asked. `left` names
   * what went. `facts` are those that it was decided by, as far as the session does not know them yet. A summary has
   * what it used and the blob of its recording; `failed` says why there is none.
   */
  ContextCompacted: {
    kind: Schema.Literals(["duplicates", "shorten", "summary", "truncate"]),
    why: Schema.Literals(["full", "refused", "asked"]),
    shortened: Schema.Array(Shortened),
    replaced: Schema.optionalKey(Schema.Struct({ from: Schema.Int, to: Schema.Int, by: Schema.Array(Message) })),
    before: Schema.Int,
    after: Schema.Int,
    left: Schema.Array(Schema.String),
    facts: Schema.optionalKey(FactsChange),
    spent: Schema.optionalKey(Spent),
    recording: Schema.optionalKey(BlobHash),
    failed: Schema.optionalKey(Schema.String)
  },
  /** `request` is the hash of the encoded request; `maxTokens` bounds its answer; `adapted` says what was asked and left out. */
  ModelRequested: { model: Schema.String, request: Schema.String, maxTokens: Schema.Int, adapted: Schema.optionalKey(Schema.Array(Schema.String)) },
  /** `recording` is the blob of every chunk with its time; `nearMiss` is what to tell a model that meant to make a call and made none. */
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
  /** An attempt failed and does not count; the next goes out after `delayMs`. `draft` is the blob of what had come and `spent` what it cost, where something had. */
  ModelRetrying: {
    reason: ProviderReason,
    message: Schema.String,
    attempt: Schema.Int,
    delayMs: Schema.Finite,
    draft: Schema.optionalKey(BlobHash),
    spent: Schema.optionalKey(Spent)
  },
  /** The request is over without an answer; `draft` is the blob of what had come, `spent` what it cost, `said` its words where the user stopped it. */
  ModelFailed: {
    reason: FailReason,
    provider: Schema.String,
    message: Schema.String,
    status: Schema.optionalKey(Schema.Int),
    requestId: Schema.optionalKey(Schema.String),
    draft: Schema.NullOr(BlobHash),
    spent: Schema.optionalKey(Spent),
    said: Schema.optionalKey(Schema.String)
  },
  /** All tries failed: from here on this model answers, until the task ends. */
  FallbackTaken: { model: Model, toolFormat: ToolFormat, why: Schema.String },
  /** All tries failed: the task waits for its provider and asks once more after `delayMs`. */
  ModelWaiting: { message: Schema.String, delayMs: Schema.Finite },
  /** A call of the last response, understood: what it would touch and what the rules say. `action` is the hash of exactly that, `offer` the rules that "always" would write. */
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
   * `rules` are what the answer adds to this session's rules, and to the settings with scope `always`. `params`: the user
   * changed the call, which is proposed anew with these.
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
  CheckpointSaved: { id: Schema.String, why: Schema.String, counts: Counts },
  /** Checkpoints are not to be had; the first edit asks. */
  CheckpointsOff: { why: Schema.String },
  /** `intends`: what an edit will make of its files. */
  ToolStarted: { call: CallId, intends: Schema.optionalKey(Schema.Array(Intent)) },
  /** We died while it ran: what its files tell. */
  ToolProbed: { call: CallId, found: Found },
  ToolFinished: { call: CallId, outcome: Outcome },
  /** A tracked file changed. By `agent`: a tool of ours; by `user`: anyone else. */
  FileTouched: {
    path: Schema.String,
    kind: Schema.Literals(["read", "created", "modified", "deleted"]),
    hash: Schema.NullOr(Schema.String),
    by: Schema.Literals(["agent", "user"])
  },
  TodoUpdated: { items: Schema.Array(TodoItem) },
  /** Words of ours to the model: a near miss of a tool call, a response that was cut. */
  Reminded: { text: Schema.String },
  /** A call gives its task number `place` (from 0) `of` so many to a session of its own. */
  ChildStarted: { call: CallId, session: Schema.String, place: Schema.Int, of: Schema.Int, name: Schema.String },
  ChildFinished: { call: CallId, session: Schema.String, report: Report },
  /** All children of a call that edits have ended: what became of their work. */
  ChildrenGathered: { call: CallId, ...Gathered.fields },
  /** One text of several reports is asked of a model; `request` is the hash of the encoded request. */
  SynthesisRequested: { call: CallId, model: Schema.String, request: Schema.String, maxTokens: Schema.Int },
  /** What came of it: what it used and the blob of its recording; `failed` says why there is none. */
  SynthesisEnded: { call: CallId, spent: Schema.optionalKey(Spent), recording: Schema.optionalKey(BlobHash), failed: Schema.optionalKey(Schema.String) },
  /** Before a request, the most that it can cost; `child`: the session that makes it. `above`: what the levels above left. */
  BudgetReserved: { ...Amount.fields, child: Schema.optionalKey(Schema.String), above: Schema.optionalKey(Schema.Array(Level)) },
  /** What a reservation came to. `warning`: so many percent of a limit are used, said once. */
  BudgetSettled: { ...Amount.fields, child: Schema.optionalKey(Schema.String), warning: Schema.optionalKey(Schema.Int) },
  /** The next request could pass a limit: it is not sent. */
  BudgetExhausted: { ...Refusal.fields, above: Schema.optionalKey(Schema.Array(Level)) },
  /** The user allows more: the limit of that level is now this. */
  BudgetRaised: { level: LevelName, unit: Refusal.fields.unit, limit: Schema.Finite },
  HookRan: { hook: Schema.String, result: Schema.Json },
  Interrupted: { why: Schema.String },
  /**
   * Back to the moment after the event `to`: the files, the conversation, or both. `before` is the checkpoint of the
   * files as they were, so that going back can be undone.
   */
  Rewound: { to: Schema.Int, files: Schema.Boolean, conversation: Schema.Boolean, before: Schema.optionalKey(Schema.String) },
  TaskFinished: { result: Schema.String },
  TaskFailed: {
    reason: Schema.Literals(["provider", "turns", "time", "mistakes", "repeats", "budget", "approval", "context", "interrupted"]),
    message: Schema.String
  }
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

/** What a follower of a session sees, in order. */
export type Followed = { readonly _tag: "Settled"; readonly at: SessionEvent } | Live
