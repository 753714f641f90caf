/** One piece of what the model is told beside the conversation: a pure rendering of facts. */
import type { Offer } from "../mcp/ServerTools.ts"
import type { Model, ToolFormat } from "../provider/Model.ts"
import type { Facts, SessionSettings } from "../session/SessionEvent.ts"
import type { Faults } from "../session/LastCommand.ts"
import type { TodoItem } from "../tool/Outcome.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

/** What a prompt is made for. `known` are the facts that earlier prompts of the session were made of. */
export interface About {
  readonly model: Model
  readonly mode: "plan" | "act"
  readonly toolFormat: ToolFormat
  readonly tools: ReadonlyArray<ToolSpec>
  readonly offer: Offer
  readonly cwd: string
  /** Folders that are open beside it. */
  readonly roots?: ReadonlyArray<string>
  /** The user's own words for the system prompt. */
  readonly prompt?: SessionSettings["prompt"]
  readonly facts: Facts
  readonly known: Facts | undefined
  readonly turns: number
  /** What the last check found. */
  readonly faults?: Faults
  readonly todo: ReadonlyArray<TodoItem>
}

/** A section in one form; undefined: it has nothing to say. */
export type Render = (about: About) => string | undefined

/**
 * - `order` is its place in the text, `priority` its right to be there (low number first).
 * - `place`: fixed sections make the system prompt and must not change from turn to turn; current ones stand once at
 *   the end of the newest message.
 * - `alternatives` are poorer forms, richest first; `summary` is the last resort.
 */
export interface Section {
  readonly name: string
  readonly place: "fixed" | "current"
  readonly order: number
  readonly priority: number
  readonly required?: boolean
  readonly when?: (about: About) => boolean
  readonly render: Render
  readonly alternatives?: ReadonlyArray<Render>
  readonly summary?: Render
}
