/** What the page of `dacapo serve` reads besides client events. */
import * as Schema from "effect/Schema"
import type { ContextReport } from "../context/ContextReport.ts"
import type { PendingRequest } from "./PendingRequest.ts"
import type { Phase } from "../session/Phase.ts"
import type { SessionEvent } from "../session/SessionEvent.ts"
import type { Request } from "../session/UsageReport.ts"
import type { Comparison } from "../workspace/Checkpoint.ts"

/** A stored session; times in ms since the epoch, cost in USD. `isOpen`: this server runs it. */
export interface SessionRow {
  readonly id: string
  readonly cwd: string
  readonly title: string
  readonly model: string
  readonly created: number
  readonly updated: number
  readonly events: number
  readonly isOpen: boolean
  readonly isFavourite: boolean
  readonly phase: Phase
  readonly cost: number
  /** Some requests have no known price. */
  readonly isUnpriced: boolean
  readonly parent?: string
  /** The session and the event that a fork continues. */
  readonly origin?: { readonly id: string; readonly seq: number }
}

export interface SearchHit {
  readonly session: string
  readonly title: string
  readonly seq: number
  readonly text: string
}

/**
 * A request of one of the open sessions that waits for an answer: `session` is the one that asks; if that is a subagent, `root` is the
 * session that it works for.
 */
export interface WaitingRequest {
  readonly session: string
  readonly root: string
  readonly request: PendingRequest
}

/** Events of a log from a sequence number on. */
export interface LogPage {
  readonly events: ReadonlyArray<SessionEvent>
  readonly isOpen: boolean
}

/** Whether a session replays exactly; else where it first differs. */
export type Verification =
  | { readonly isExact: true; readonly events: number }
  | { readonly isExact: false; readonly seq: number | null; readonly message: string }

/** What a rule decides. */
export type Decision = "allow" | "ask" | "deny"

export const decisions: ReadonlyArray<Decision> = ["deny", "ask", "allow"]

/** An action of recorded sessions under other rules: how often it occurred, what was decided then, and what would be decided now. */
export interface TrialFinding {
  readonly action: string
  readonly decision: Decision
  readonly was: Decision
  readonly reason: string
  readonly rule?: string
  readonly times: number
}

/** What permission rules would have decided in recorded sessions; `now` and `before` count calls by decision. */
export interface TrialReport {
  readonly sessions: number
  readonly calls: number
  readonly now: Readonly<Record<Decision, number>>
  readonly before: Readonly<Record<Decision, number>>
  readonly findings: ReadonlyArray<TrialFinding>
}

/** Settings that the page may change, in the user's own file: none of them runs a program, and none lifts a guard. */
export const changeableSettings: ReadonlyArray<string> = [
  "autoFiles",
  "cheapModel",
  "fallbackModel",
  "maxBudgetUsd",
  "maxDailyUsd",
  "maxTaskUsd",
  "maxTokensTotal",
  "maxTurns",
  "maxWait",
  "model",
  "planModel",
  "timeout",
  "toolFormat"
]

const RuleLists = Schema.Record(Schema.Literals(["allow", "ask", "deny"]), Schema.Array(Schema.String))

/** What the page asks to change: a setting (`value` as people write it; absent removes it), or a rule of the user's own file. */
export const SettingsChange = Schema.TaggedUnion({
  Setting: { cwd: Schema.String, name: Schema.Literals(changeableSettings), value: Schema.optionalKey(Schema.String) },
  AddRule: { cwd: Schema.String, decision: Schema.Literals(["allow", "ask", "deny"]), rule: Schema.String },
  RemoveRule: { cwd: Schema.String, decision: Schema.Literals(["allow", "ask", "deny"]), rule: Schema.String }
})
export type SettingsChange = typeof SettingsChange.Type

/** Rules to try on the newest `sessions` sessions of all folders. */
export const TrialRequest = Schema.Struct({
  rules: RuleLists,
  sessions: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 100 })))
})
export type TrialRequest = typeof TrialRequest.Type

/**
 * An MCP server of a folder. `details` say what would start and what would be sent where, `start` is the hash of all that: an approval
 * names it. `isOwn`: the user's own file names it, which needs no approval.
 */
export interface FolderServer {
  readonly name: string
  readonly transport: string
  readonly source: string
  readonly state: "approved" | "disabled" | "needs approval"
  readonly isOwn: boolean
  readonly details: ReadonlyArray<string>
  readonly start: string
}

/** What the page asks of an MCP server: to approve it as it was shown, or to connect to it. */
export const ServerRequest = Schema.TaggedUnion({
  Allow: { cwd: Schema.String, name: Schema.String, start: Schema.String },
  Test: { cwd: Schema.String, name: Schema.String }
})
export type ServerRequest = typeof ServerRequest.Type

/** What a server offered when it was connected to. */
export interface ServerTest {
  readonly name: string
  readonly version: string
  readonly protocol: string
  readonly resources: boolean
  readonly prompts: boolean
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

/** What a folder's settings configure, each with the files that it comes from. `isOwn`: the page may change it. */
export interface FolderSettings {
  readonly cwd: string
  readonly isTrusted: boolean
  readonly settings: ReadonlyArray<{ readonly name: string; readonly value: string; readonly source: string }>
  readonly rules: ReadonlyArray<
    { readonly decision: Decision; readonly rule: string; readonly source: string; readonly isOwn: boolean }
  >
  readonly servers: ReadonlyArray<FolderServer>
  /** Definitions of servers that can't be used, or wait for trust. */
  readonly serverNotes: ReadonlyArray<string>
  /** Installed plugins; `adds` are the names of their commands, tools and servers. */
  readonly plugins: ReadonlyArray<
    { readonly name: string; readonly state: string; readonly adds: ReadonlyArray<string>; readonly source: string }
  >
}

export type { Comparison, ContextReport, Request }
