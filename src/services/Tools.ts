/** The tools of a session: what the model is offered, what a call means, and running it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { SubagentTask } from "../domain/subagent/Subagent.ts"
import type { ServerToolsUpdate } from "../domain/mcp/ServerTools.ts"
import type { ToolCall } from "../domain/message/Message.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Kind } from "../domain/session/SessionEvent.ts"
import type { Access } from "../domain/tool/Access.ts"
import type { IntentState, EditIntent } from "../domain/tool/EditIntent.ts"
import type { Outcome } from "../domain/tool/Outcome.ts"
import type { ToolSpec } from "../domain/tool/ToolSpec.ts"

/** A call with decoded params; `name` is the tool's own, whatever alias was called. */
export interface ResolvedCall {
  readonly name: string
  readonly kind: Kind
  readonly tags: ReadonlyArray<string>
  readonly access: ReadonlyArray<Access>
  /** The model itself requests approval of this call: raises a decision, lowers none. */
  readonly requestsApproval: boolean
  /** It does nothing beyond what its accesses say. */
  readonly hasNoOtherEffects?: boolean
}

export class Tools extends Context.Service<Tools, {
  /** The tools that the next request declares; pure, and the same list for the same session. */
  readonly specs: (session: Session) => ReadonlyArray<ToolSpec>
  /** What MCP servers offer now, if that differs from what the session knows. */
  readonly refresh: (session: Session) => Effect.Effect<ServerToolsUpdate | undefined>
  /** Pure: which tool, with which params, touching what; a failure is the report for the model. */
  readonly resolve: (call: ToolCall, session: Session) => Result.Result<ResolvedCall, string>
  /** The same accesses with the real target of their paths, if different: a link does not hide its target. */
  readonly locate: (call: ToolCall, access: ReadonlyArray<Access>, session: Session) => Effect.Effect<ReadonlyArray<Access>>
  /** What the call would change, as a unified diff; null if there is nothing to show. */
  readonly preview: (call: ToolCall, session: Session) => Effect.Effect<string | null>
  /** The outcome of an edit that can't be made, before anyone is asked about it; undefined if it can, or if that is not known. */
  readonly failure: (call: ToolCall, session: Session) => Effect.Effect<Outcome | undefined>
  /** What an edit would make of its files; empty if that is not known in advance. */
  readonly editIntents: (call: ToolCall, session: Session) => Effect.Effect<ReadonlyArray<EditIntent>>
  /** Whether an edit was done, judging by the current files. */
  readonly probe: (call: ToolCall, intents: ReadonlyArray<EditIntent>) => Effect.Effect<IntentState>
  /**
   * Whether calls of this name, a tool's own or another, may change files: known before their params arrive, and true
   * for an unknown name.
   */
  readonly changes: (name: string, session: Session) => boolean
  /** What the call delegates to subagents; empty for one that runs by itself. */
  readonly tasks: (call: ToolCall, session: Session) => ReadonlyArray<SubagentTask>
  /** Runs a decoded and allowed call to its outcome. */
  readonly run: (call: ToolCall, session: Session, output: (text: string) => void) => Effect.Effect<Outcome>
}>()("dacapo/Tools") {}
