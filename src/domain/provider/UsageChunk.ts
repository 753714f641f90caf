/** A server's token counts, as a chunk. */
import type { Chunk } from "../message/Chunk.ts"
import type { TokenUsage } from "../session/Usage.ts"

/** The kind of the notice that holds implausible counts. */
export const implausible = "implausible_usage"

/**
 * The counts as `Usage`. If one of them is invalid (negative, a fraction, not a number), a notice holds them, and nobody sums or
 * prices them. Reasoning is part of the output and never exceeds it.
 */
export const make = (usage: TokenUsage, final: boolean): Chunk => {
  const { cacheRead, cacheWrite, input, output, reasoning } = usage
  return [cacheRead, cacheWrite, input, output, reasoning].every((count) => Number.isSafeInteger(count) && count >= 0)
    ? { _tag: "Usage", usage: { ...usage, reasoning: Math.min(reasoning, output) }, final }
    : { _tag: "Notice", kind: implausible, detail: Object.entries(usage).map(([name, count]) => `${name}: ${count}`).join(", ") }
}
