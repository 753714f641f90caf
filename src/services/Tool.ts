/** The plug-in contract of a tool: told in one file, and it says what it would touch before it touches it. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Offer } from "../domain/mcp/ServerTools.ts"
import type { Reach } from "../domain/approval/BrowserReach.ts"
import type { Access } from "../domain/tool/Access.ts"
import type { Intent } from "../domain/tool/EditIntent.ts"
import type { Outcome } from "../domain/tool/Outcome.ts"
import type { Task } from "../domain/subagent/Subagent.ts"
import type { Kind } from "../domain/session/SessionEvent.ts"

/** Where a call is made, and what the session knows of the files there. */
export interface At {
  readonly cwd: string
  /** SHA-256 of files as this session last saw them, null for one that was deleted; a file that is not here was not read. */
  readonly files: ReadonlyMap<string, string | null>
}

/** What every run may use beside its own services. */
export class ToolContext extends Context.Service<ToolContext, At & {
  readonly session: string
  readonly call: string
  /** What MCP servers give the session. */
  readonly offer: Offer
  /** The name of the session, where another one gave it its work. */
  readonly from?: string
  /** Whether an allow rule of the user names the host of a URL. */
  readonly named: (url: string) => boolean
  /** What the user's rules let a page of the browser reach. */
  readonly reach: Reach
  /** Shows output while it comes. */
  readonly output: (text: string) => void
}>()("dacapo/ToolContext") {}

/**
 * - `params` is a Schema.Struct; the docs of each field are its `description` annotation. `schema` is what is advertised
 *   where others wrote it, as JSON Schema (ParamSchema.written); `params` then checks values against it and changes none.
 * - `aliases` are other names of the tool; `paramAliases` maps other names of params to ours.
 * - `raw` params hold text that may look like tags.
 * - `accept` brings other shapes that models write (a checklist for a list of items) into the shape of `params`.
 * - `asks`: whether the model itself wants this call to be asked about, whatever the rules allow.
 * - `kindOf` is the kind of one call, where its params make it graver than `kind`.
 * - `tasks`: what a call gives to child sessions; where there are any, their reports are its outcome and `run` is not asked.
 * - `quiet`: beside what its accesses name it only speaks with the user or the session, or acts where other calls are asked
 *   about (a page that was opened, a child session). Without it a call that names no file, command or address is a high risk.
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
  readonly accept?: (raw: Schema.JsonObject) => Schema.JsonObject
  readonly asks?: (params: P) => boolean
  readonly kind: Kind
  readonly kindOf?: (params: P) => Kind
  readonly tasks?: (params: P) => ReadonlyArray<Task>
  readonly destructive?: boolean
  readonly idempotent?: boolean
  readonly openWorld?: boolean
  readonly quiet?: boolean
  readonly tags: ReadonlyArray<string>
  /** Only in these modes; absent: always. */
  readonly modes?: "plan" | "act"
  /** Only where servers give what it is for; `crowded`: they have so many tools that these are looked for. Absent: always. */
  readonly when?: (at: { readonly offer: Offer; readonly crowded: boolean }) => boolean
  readonly access: (params: P, at: At) => ReadonlyArray<Access>
  /** A unified diff of what the run would change, for the approval; absent where there is none. */
  readonly preview?: (params: P) => Effect.Effect<string, never, R | ToolContext>
  /** What the run would make of which files: it lets a crash be told from an edit that was done. For edits of files alone. */
  readonly intends?: (params: P) => Effect.Effect<ReadonlyArray<Intent>, never, R | ToolContext>
  /** Never fails: what goes wrong is an outcome that tells the model what to do. */
  readonly run: (params: P) => Effect.Effect<Outcome, never, R | ToolContext>
}

/** Names a tool's types from its parts. */
export const define = <P, R = never>(tool: Tool<P, R>): Tool<P, R> => tool

/** Any tool that needs services `R`: what a list of tools holds. */
export type Any<R = any> = Tool<any, R>

/** The services that a tool needs beside its context. */
export type Services<T> = T extends { readonly run: (params: never) => Effect.Effect<Outcome, never, infer R> }
  ? Exclude<R, ToolContext>
  : never
