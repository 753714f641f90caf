/**
 * How full the window is, as far as a session knows. The provider's reports correct our estimates, so that the next
 * plan is right where the last one was off.
 */
import type { Model } from "../provider/Model.ts"
import { inputTotal, type TokenUsage } from "../session/Usage.ts"

/**
 * - `factor` is what the provider counted divided by what we counted. `plannedTokens` is the last request in our own count.
 * - `overflows`: how many times in a row the provider rejected a request as too long; `isDue`: nothing was made smaller since.
 * - `isRequested`: the user wants it smaller, and `instructions` is what matters to them; "" for nothing in particular. `hasFailed`: a
 *   summary failed since the last response, and is not retried before the next.
 * - `omissions`: what was removed since the last plan, by name.
 */
export interface WindowUsage {
  readonly factor: number
  readonly plannedTokens: number
  readonly overflows: number
  readonly isDue: boolean
  readonly isRequested: boolean
  readonly instructions: string
  readonly hasFailed: boolean
  readonly omissions: ReadonlyArray<string>
}

export const initial: WindowUsage = {
  factor: 1,
  plannedTokens: 0,
  overflows: 0,
  isDue: false,
  isRequested: false,
  instructions: "",
  hasFailed: false,
  omissions: []
}

/** A report beyond this ratio does not count the same request: some servers report nothing, or only uncached tokens. */
const factorBounds = { min: 0.4, max: 3 }

/** Our count in the provider's tokens. */
export const tokens = ({ factor }: WindowUsage, estimate: number): number => Math.ceil(estimate * factor)

/** After a plan of `estimate` tokens. */
export const afterPlan = (windowUsage: WindowUsage, estimate: number): WindowUsage => ({
  ...windowUsage,
  plannedTokens: estimate / windowUsage.factor,
  omissions: []
})

/** After a response: its request was not too long, and this is what it weighed. */
export const afterResponse = (windowUsage: WindowUsage, usage: TokenUsage): WindowUsage => {
  const ratio = windowUsage.plannedTokens > 0 && usage.estimated !== true ? inputTotal(usage) / windowUsage.plannedTokens : 0
  const factor = ratio < factorBounds.min ? windowUsage.factor : Math.min(ratio, factorBounds.max)
  return { ...windowUsage, factor, overflows: 0, isDue: false, hasFailed: false }
}

/** After a rejection: the request weighed at least as much as the window holds. */
export const afterOverflow = (windowUsage: WindowUsage, { window }: Pick<Model, "window">): WindowUsage => ({
  ...windowUsage,
  overflows: windowUsage.overflows + 1,
  isDue: true,
  factor: windowUsage.plannedTokens === 0 ? windowUsage.factor
    : Math.min(factorBounds.max, Math.max(windowUsage.factor, window / windowUsage.plannedTokens))
})

/** A request that was too long is made smaller and sent once more. */
export const canCompact = ({ overflows }: WindowUsage): boolean => overflows === 0

/** After a compaction. */
export const afterCompaction = (
  windowUsage: WindowUsage,
  { failed, left }: { readonly failed?: string; readonly left: ReadonlyArray<string> }
): WindowUsage => ({
  ...windowUsage,
  isDue: false,
  isRequested: false,
  instructions: "",
  hasFailed: windowUsage.hasFailed || failed !== undefined,
  omissions: [...windowUsage.omissions, ...left]
})
