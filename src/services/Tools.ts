/** The tools of a session: what the model is told, what a call means, and running it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type { Task } from "../domain/subagent/Subagent.ts"
import type { Renewed } from "../domain/mcp/ServerTools.ts"
import type { ToolCall } from "../domain/message/Message.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Kind } from "../domain/session/SessionEvent.ts"
import type { Access } from "../domain/tool/Access.ts"
import type { Found, Intent } from "../domain/tool/EditIntent.ts"
import type { Outcome } from "../domain/tool/Outcome.ts"
import type { ToolSpec } from "../domain/tool/ToolSpec.ts"

/** A call whose params are understood; `name` is the tool's own, whatever alias was called. */
export interface Understood {
  readonly name: string
  readonly kind: Kind
  readonly tags: ReadonlyArray<string>
  readonly access: ReadonlyArray<Access>
  /** The model itself wants this call to be asked about: raises a decision, lowers none. */
  readonly asks: boolean
  /** It does nothing beside what its accesses say. */
  readonly quiet?: boolean
}

export class Tools extends Context.Service<Tools, {
  /** What the next request tells of tools; pure, and the same list for the same session. */
  readonly specs: (session: Session) => ReadonlyArray<ToolSpec>
  /** What MCP servers give now, where that is not what the session knows. */
  readonly renewed: (session: Session) => Effect.Effect<Renewed | undefined>
  /** Pure: which tool, with which params, touching what; a failure is the report for the model. */
  readonly understand: (call: ToolCall, session: Session) => Result.Result<Understood, string>
  /** The same accesses with where their paths really lead, where that is elsewhere: a link does not hide what it names. */
  readonly locate: (call: ToolCall, access: ReadonlyArray<Access>) => Effect.Effect<ReadonlyArray<Access>>
  /** What the call would change, as a unified diff; null where nothing can be shown. */
  readonly preview: (call: ToolCall, session: Session) => Effect.Effect<string | null>
  /** What an edit would make of its files; empty where that can't be told before. */
  readonly intend: (call: ToolCall, session: Session) => Effect.Effect<ReadonlyArray<Intent>>
  /** Whether an edit was done, by its files as they are now. */
  readonly probe: (call: ToolCall, intends: ReadonlyArray<Intent>) => Effect.Effect<Found>
  /** Whether calls of this name, a tool's own or another, may change files: told before their params are there, and true of a name that nobody knows. */
  readonly changes: (name: string, session: Session) => boolean
  /** What the call gives to child sessions; empty for one that runs by itself. */
  readonly tasks: (call: ToolCall, session: Session) => ReadonlyArray<Task>
  /** Runs an understood and allowed call to its outcome. */
  readonly run: (call: ToolCall, session: Session, output: (text: string) => void) => Effect.Effect<Outcome>
}>()("dacapo/Tools") {}
