/** One section of a prompt: a pure rendering of what the session knows. */
import type { ServerTools } from "../mcp/ServerTools.ts"
import type { Model, ToolFormat } from "../provider/Model.ts"
import type { Facts, SessionSettings } from "../session/SessionEvent.ts"
import type { CheckProblems } from "../session/LastCommand.ts"
import type { TodoItem } from "../tool/Outcome.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

/** Everything a prompt can be rendered from. */
export interface PromptInput {
  readonly model: Model
  readonly mode: "plan" | "act"
  readonly toolFormat: ToolFormat
  readonly tools: ReadonlyArray<ToolSpec>
  readonly offer: ServerTools
  readonly cwd: string
  /** Additional workspace folders. */
  readonly roots?: ReadonlyArray<string>
  /** The user's replacement for, or addition to, the system prompt. */
  readonly prompt?: SessionSettings["prompt"]
  readonly facts: Facts
  /** The facts of the session's earlier prompts; undefined before the first request. */
  readonly previousFacts: Facts | undefined
  /** Turns of the current task so far. */
  readonly turns: number
  /** What the last check reported. */
  readonly failures?: CheckProblems
  readonly todo: ReadonlyArray<TodoItem>
}

/** A section in one form; undefined where it has nothing to say. */
export type Render = (input: PromptInput) => string | undefined

/**
 * - `priority` decides which sections get room first: 1 is the highest, and no two sections share one.
 * - A `required` section is never left out.
 * - `alternatives` are shorter forms, richest first; `summary` is the last resort.
 */
export interface Section {
  readonly name: string
  readonly priority: number
  readonly required?: boolean
  readonly when?: (input: PromptInput) => boolean
  readonly render: Render
  readonly alternatives?: ReadonlyArray<Render>
  readonly summary?: Render
}
