/** What is asked of a model, before any wire protocol shapes it. */
import type { Message } from "../message/Message.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

/**
 * - `tools` are told natively where the model's dialect is native; with XML tools they stand in `system` and are empty here.
 * - `maxTokens` bounds the answer.
 * - `blobs` maps the hashes that messages name to base64 bytes.
 * - `cacheKey` groups requests of one session for providers that route by it.
 * - `place` is how many answers the session had before, and `purpose` what is asked for beside a turn: for models whose
 *   answers are written down.
 */
export interface ModelRequest {
  readonly system: string
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolSpec>
  readonly maxTokens: number
  readonly effort?: Effort
  readonly temperature?: number
  readonly blobs?: ReadonlyMap<string, string>
  readonly cacheKey?: string
  readonly place?: number
  readonly purpose?: "summary" | "synthesis"
}

/** From least to most. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof efforts)[number]
