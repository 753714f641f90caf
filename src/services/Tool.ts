/** The plug-in contract of a tool: defined in one file, and it declares what it would touch before it does. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ServerTools } from "../domain/mcp/ServerTools.ts"
import type { BrowserReach } from "../domain/approval/BrowserReach.ts"
import type { Access, TerminalCommand } from "../domain/tool/Access.ts"
import type { EditIntent } from "../domain/tool/EditIntent.ts"
import type { Outcome } from "../domain/tool/Outcome.ts"
import type { SubagentTask } from "../domain/subagent/Subagent.ts"
import type { SearchSettings } from "../domain/search/SearchSettings.ts"
import type { Kind } from "../domain/session/SessionEvent.ts"

/** Where a call is made, and what the session knows of the files there. */
export interface AccessContext {
  readonly cwd: string
  /** SHA-256 of files as this session last saw them, null for a deleted one; a file that is missing here was not read. */
  readonly files: ReadonlyMap<string, string | null>
  /** The session's commands with a terminal, by the id of the call that started them. */
  readonly terminalCommands?: ReadonlyMap<string, TerminalCommand>
}

/** What every run may use besides its own services. */
export class ToolContext extends Context.Service<
  ToolContext,
  AccessContext & {
    readonly session: string
    readonly call: string
    /** What MCP servers offer the session. */
    readonly offer: ServerTools
    /** The searches that the session has. */
    readonly search?: SearchSettings
    /** The name of the session, if it is a subagent. */
    readonly from?: string
    /** Whether the call runs only because it reads: neither a rule nor a person has allowed it. */
    readonly isReadOnly: boolean
    /** Whether one of the user's allow rules names the host of a URL. */
    readonly isHostAllowed: (url: string) => boolean
    /** What the user's rules let a browser page reach. */
    readonly reach: BrowserReach
    /** Shows output as it arrives. */
    readonly output: (text: string) => void
  }
>()("dacapo/ToolContext") {}

/**
 * What decides whether a tool is offered: the MCP offer, whether it is too large to declare every tool
 * (`needsSearch`), whether there are skills, whether a browser is installed, whether the user has mentioned MCP, whether a
 * question has an effect (someone answers it, or it ends the task), and whether a command was started with a terminal.
 */
export interface OfferConditions {
  readonly offer: ServerTools
  readonly needsSearch: boolean
  readonly hasSkills: boolean
  readonly hasBrowser: boolean
  readonly mentionsMcp: boolean
  readonly canAsk: boolean
  readonly hasTerminalCommands: boolean
}

/**
 * - `params` is a Schema.Struct; the docs of each field are its `description` annotation. `schema` is what is advertised
 *   where others wrote it, as JSON Schema (ParamSchema.written); `params` then checks values against it and changes none.
 * - `aliases` are other names of the tool; `paramAliases` maps other names of params to ours.
 * - `raw` params hold text that may look like tags.
 * - `plain` params, also those of nested objects, have names that say enough to a model that knows such tools: it gets no description.
 * - `accept` converts other shapes that models write (a checklist for a list of items) to the shape of `params`.
 * - `requestsApproval`: whether the model itself requests approval of this call, whatever the rules allow.
 * - `kindOf` is the kind of one call, if its params make it more serious than `kind`.
 * - `tasks`: the work that a call delegates to subagents; if there is any, their reports are its outcome and `run` is not called.
 * - `hasNoOtherEffects`: besides its declared accesses it only talks to the user or the session, or acts where other calls need
 *   approval (an opened page, a subagent). Without it a call that names no file, command or address is a high risk.
 * - `access` is pure; `kind` orders the run and decides what happens after a crash; `destructive`, `openWorld`: MCP's annotations.
 */
export interface Tool<P = never, R = never> {
  readonly name: string
  readonly description: string
  readonly params: Schema.Codec<P, any>
  readonly schema?: Schema.JsonObject
  readonly aliases?: ReadonlyArray<string>
  readonly paramAliases?: Readonly<Record<string, string>>
  readonly raw?: ReadonlyArray<string>
  readonly plain?: ReadonlyArray<string>
  readonly accept?: (raw: Schema.JsonObject) => Schema.JsonObject
  readonly requestsApproval?: (params: P) => boolean
  readonly kind: Kind
  readonly kindOf?: (params: P) => Kind
  readonly tasks?: (params: P) => ReadonlyArray<SubagentTask>
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
  readonly hasNoOtherEffects?: boolean
  readonly tags: ReadonlyArray<string>
  /** Only in these modes; absent: always. */
  readonly modes?: "plan" | "act"
  /** It can change things, but plan mode has it too: Approval denies there what does more than read. */
  readonly readsInPlanMode?: boolean
  /** Whether the user's settings turn it on; for a session without it, the tool does not exist. Absent: always. */
  readonly isEnabled?: (search: SearchSettings) => boolean
  /** Whether there is any use for it now: a tool that can't be used is not offered. Absent: always. */
  readonly when?: (conditions: OfferConditions) => boolean
  readonly access: (params: P, context: AccessContext) => ReadonlyArray<Access>
  /** A unified diff of what the run would change, for the approval; absent if there is none. */
  readonly preview?: (params: P) => Effect.Effect<string, never, R | ToolContext>
  /** The outcome of an edit that can't be made of the files as they are: nobody is asked about it. Undefined if it can be made. */
  readonly failure?: (params: P) => Effect.Effect<Outcome | undefined, never, R | ToolContext>
  /** What the run would do to which files: after a crash this shows whether the edit was done. Only for edits of files. */
  readonly intends?: (params: P) => Effect.Effect<ReadonlyArray<EditIntent>, never, R | ToolContext>
  /** Never fails: errors are outcomes that tell the model what to do. */
  readonly run: (params: P) => Effect.Effect<Outcome, never, R | ToolContext>
}

/** Builds a tool's types from its parts. */
export const define = <P, R = never>(tool: Tool<P, R>): Tool<P, R> => tool

/** Any tool that needs services `R`: the element of a list of tools. */
export type Any<R = any> = Tool<any, R>

/** The services that a tool needs besides its context. */
export type Services<T> = T extends { readonly run: (params: never) => Effect.Effect<Outcome, never, infer R> } ? Exclude<R, ToolContext>
  : never
