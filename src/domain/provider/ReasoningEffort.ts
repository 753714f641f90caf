/** The amount of thinking, in the terms of a model. */
import type { Model } from "./Model.ts"
import { efforts, type Effort } from "./ModelRequest.ts"

/** The efforts that can be set for a model, from the least to the most; none if it has no effort to set. */
export const levels = ({ effort }: Pick<Model, "effort">): ReadonlyArray<Effort> =>
  effort === undefined ? [] : effort.kind === "budget" ? efforts : efforts.filter((one) => effort.values.includes(one))

/** The model's named effort that is nearest to the requested one; undefined if it has none. */
export const nearestEffort = (model: Model, effort: Effort): string | undefined => {
  if (model.effort?.kind !== "named") return undefined
  const target = efforts.indexOf(effort)
  const values = model.effort.values.filter((value) => efforts.includes(value as Effort))
  return values.toSorted((a, b) => distance(a, target) - distance(b, target))[0]
}

const distance = (value: string, target: number): number => Math.abs(efforts.indexOf(value as Effort) - target)

const budgetShares: Readonly<Record<Effort, number>> = { none: 0, minimal: 0.05, low: 0.15, medium: 0.35, high: 0.6, xhigh: 0.8, max: 1 }
const maxThinkingTokens = 64_000

/** Tokens for thinking, less than the limit of the response; 0 if that is below the model's minimum. */
export const thinkingBudget = (model: Model, effort: Effort, maxTokens: number): number => {
  if (model.effort?.kind !== "budget" || effort === "none") return 0
  const maxBudget = Math.min(maxTokens - 1, model.effort.max ?? maxThinkingTokens)
  const tokens = Math.max(model.effort.min, Math.floor(Math.min(maxThinkingTokens, model.maxOutput) * budgetShares[effort]))
  return Math.min(tokens, maxBudget) < model.effort.min ? 0 : Math.min(tokens, maxBudget)
}
