/** What the page of `dacapo serve` reads besides client events. */
import type { ContextReport } from "../context/ContextReport.ts"
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
  readonly phase: Phase
  readonly cost: number
  /** Some requests have no known price. */
  readonly isUnpriced: boolean
  readonly parent?: string
}

export interface SearchHit {
  readonly session: string
  readonly title: string
  readonly seq: number
  readonly text: string
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

/** What a folder's settings configure, each with the files that it comes from. */
export interface FolderSettings {
  readonly cwd: string
  readonly isTrusted: boolean
  readonly settings: ReadonlyArray<{ readonly name: string; readonly value: string; readonly source: string }>
  readonly rules: ReadonlyArray<{ readonly decision: "allow" | "ask" | "deny"; readonly rule: string; readonly source: string }>
  readonly servers: ReadonlyArray<{ readonly name: string; readonly transport: string; readonly source: string }>
  /** Installed plugins; `adds` are the names of their commands, tools and servers. */
  readonly plugins: ReadonlyArray<
    { readonly name: string; readonly state: string; readonly adds: ReadonlyArray<string>; readonly source: string }
  >
}

export type { Comparison, ContextReport, Request }
