/** A text as a person would read it, without what does not show, and where each of its characters stood. */

export interface Readable {
  readonly text: string
  /** The place in the original of a place in `text`. */
  readonly origin: (at: number) => number
}

/** Escape sequences of terminals, NULs (of text in UTF-16), characters without width. */
const unseen = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0\x1b\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

export const of = (original: string): Readable => {
  const starts: Array<readonly [at: number, origin: number]> = []
  const pieces: Array<string> = []
  let length = 0
  let from = 0
  const piece = (to: number) => {
    if (to > from) {
      starts.push([length, from])
      pieces.push(original.slice(from, to))
      length += to - from
    }
  }
  for (const { 0: whole, index } of original.matchAll(unseen)) {
    piece(index)
    from = index + whole.length
  }
  if (from === 0) return { text: original, origin: (at) => at }
  piece(original.length)
  return { text: pieces.join(""), origin: (at) => originOf(starts, at) }
}

const originOf = (starts: ReadonlyArray<readonly [number, number]>, at: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]![0] <= at) low = middle
    else high = middle - 1
  }
  const [start, origin] = starts[low] ?? [0, 0]
  return origin + at - start
}
