/** A request to a model, before a wire protocol encodes it. */
import type { Message } from "../message/Message.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

/**
 * - `tools` are described natively if the model's tool format is native; XML tools are in `system`, and this list is empty.
 * - `maxTokens` limits the response.
 * - `blobs` maps the hashes in messages to base64 data.
 * - `cacheKey` groups requests of one session for providers that route by it.
 * - `place` is the number of previous responses in the session, and `purpose` the reason for a request outside of a turn: for
 *   scripted models.
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

/** From least to most thinking. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof efforts)[number]
