/** How much a model is told to think, in the terms that it understands. */
import type { Model } from "./Model.ts"
import { efforts, type Effort } from "./ModelRequest.ts"

/** The model's own named effort that is nearest to what is asked; undefined where it has none. */
export const named = (model: Model, effort: Effort): string | undefined => {
  if (model.effort?.kind !== "named") return undefined
  const wanted = efforts.indexOf(effort)
  const known = model.effort.values.filter((value) => efforts.includes(value as Effort))
  return known.toSorted((a, b) => distance(a, wanted) - distance(b, wanted))[0]
}

const distance = (value: string, wanted: number): number => Math.abs(efforts.indexOf(value as Effort) - wanted)

const shares: Readonly<Record<Effort, number>> = { none: 0, minimal: 0.05, low: 0.15, medium: 0.35, high: 0.6, xhigh: 0.8, max: 1 }
const ceiling = 64_000

/** Tokens for thinking, at most one less than the whole answer may have; 0 where that leaves less than the model's least. */
export const budget = (model: Model, effort: Effort, maxTokens: number): number => {
  if (model.effort?.kind !== "budget" || effort === "none") return 0
  const most = Math.min(maxTokens - 1, model.effort.max ?? ceiling)
  const tokens = Math.max(model.effort.min, Math.floor(Math.min(ceiling, model.maxOutput) * shares[effort]))
  return Math.min(tokens, most) < model.effort.min ? 0 : Math.min(tokens, most)
}
