/** How much of a model's window a request may fill, and how long its answer may be. */
import type { Model } from "../provider/Model.ts"

/** Sizes that models are sold in, and what is kept free of each. A window counts as one within 5% of its number. */
const sold: ReadonlyArray<readonly [window: number, free: number]> = [
  [64_000, 27_000],
  [128_000, 30_000],
  [200_000, 40_000]
]

/** Tokens of prompt up to which nothing has to be left out; less by the model's own margin. */
export const usable = ({ margin = 1, window }: Pick<Model, "margin" | "window">): number => {
  const row = sold.find(([size]) => Math.abs(window - size) <= size * 0.05)
  return Math.floor(margin * (row !== undefined ? window - row[1] : Math.max(window - 40_000, Math.floor(window * 0.8))))
}

/** An answer that may be no longer than this is not worth asking for; small models are asked for what they can give. */
export const leastAnswer = ({ maxOutput, window }: Pick<Model, "maxOutput" | "window">): number =>
  Math.min(4096, maxOutput, Math.floor(window / 8))

/** What the window leaves for an answer after `prompt` tokens, less 2% for what the estimate misses. */
export const maxTokens = ({ maxOutput, window }: Pick<Model, "maxOutput" | "window">, prompt: number): number =>
  Math.max(0, Math.min(maxOutput, Math.floor(window * 0.98) - prompt))
