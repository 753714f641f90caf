/**
 * How similar two runs of lines are: the mean over their lines, weighted by the longer line's length, of one minus the
 * Levenshtein distance over that length, on trimmed lines.
 */
import { distance, type Span } from "./Levenshtein.ts"
import { unitsOf } from "./Lines.ts"

/** From 0 to 1; two runs of blank lines are equal. Both have the same number of lines, and all are trimmed. */
export const similarity = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  let weight = 0
  let total = 0
  for (let i = 0; i < a.length; i++) {
    weight += Math.max(a[i]!.length, b[i]!.length)
    total += a[i] === b[i] ? 0 : distance(span(a[i]!), span(b[i]!))
  }
  return weight === 0 ? 1 : 1 - total / weight
}

const span = (text: string): Span => ({ units: unitsOf(text), from: 0, to: text.length })
