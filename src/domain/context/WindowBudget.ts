/** How much of a model's window a request may fill, and how long the response may be. */
import type { Model } from "../provider/Model.ts"

/** Common window sizes and how much of each stays free. A window within 5% of a size counts as that size. */
const windowReserves: ReadonlyArray<readonly [window: number, free: number]> = [
  [64_000, 27_000],
  [128_000, 30_000],
  [200_000, 40_000]
]

/** Tokens of prompt up to which nothing has to be left out, reduced by the model's own margin. */
export const usable = ({ margin = 1, window }: Pick<Model, "margin" | "window">): number => {
  const row = windowReserves.find(([size]) => Math.abs(window - size) <= size * 0.05)
  return Math.floor(margin * (row !== undefined ? window - row[1] : Math.max(window - 40_000, Math.floor(window * 0.8))))
}

/** A response limited to fewer tokens is not worth requesting; small models are asked for what they can produce. */
export const minResponseTokens = ({ maxOutput, window }: Pick<Model, "maxOutput" | "window">): number =>
  Math.min(4096, maxOutput, Math.floor(window / 8))

/** What the window leaves for a response after `prompt` tokens, less 2% for errors of the estimate. */
export const maxTokens = ({ maxOutput, window }: Pick<Model, "maxOutput" | "window">, prompt: number): number =>
  Math.max(0, Math.min(maxOutput, Math.floor(window * 0.98) - prompt))
