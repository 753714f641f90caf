/** Source files in chunks that are found and shown as one: definitions with what precedes them. Pure. */
import type { Definition } from "../definitions/Outline.ts"

/** Lines count from 1, both included. */
export interface Chunk {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Lines of a chunk: shorter ones are joined with the next, longer ones are cut. */
const limits = { min: 12, max: 80 }

/** Lines that belong to the definition below them: comments, decorators, attributes. */
const belongsToNext = /^\s*(?:\/\/|\/\*|\*|#|--|@|\[|"""|''')/

/** A chunk begins where a definition does, with the comment above it; a text without definitions is cut by length. */
export const split = (text: string, definitions: ReadonlyArray<Definition>): ReadonlyArray<Chunk> => {
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  const starts = definitions.map(({ line }) => {
    let start = line
    while (start > 1 && belongsToNext.test(lines[start - 2] ?? "")) start--
    return start
  })
  const borders = [...new Set([1, ...starts])].sort((a, b) => a - b)
  const chunks: Array<{ start: number; end: number }> = []
  for (const [i, start] of borders.entries()) {
    const end = (borders[i + 1] ?? lines.length + 1) - 1
    const last = chunks.at(-1)
    if (last !== undefined && last.end - last.start + 1 < limits.min) last.end = end
    else if (end >= start) chunks.push({ start, end })
  }
  return chunks.flatMap(({ end, start }) => {
    const pieces: Array<Chunk> = []
    for (let from = start; from <= end; from += limits.max) {
      const to = Math.min(end, from + limits.max - 1)
      const content = lines.slice(from - 1, to).join("\n")
      if (content.trim() !== "") pieces.push({ start: from, end: to, text: content })
    }
    return pieces
  })
}

/** Words that say nothing about code, in a question or a commit message. */
const stopWords = new Set(
  ("a about after all also an and any are as at be been before but by can do does for from had has have how i if in into is it its more no not of on "
    + "only or out over so than that the their them then there these they this to up use used uses using was we what when where which who why will with you")
    .split(" ")
)

/** The words of a text in lower case, and those inside of identifiers: `readFileSync` is itself, and `read`, `file`, `sync`. */
export const words = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\p{N}_$]+/gu) ?? []).flatMap((word) => {
    const parts = word.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2").split(/[\s_$]+/)
    const complete = word.toLowerCase()
    return parts.length < 2 ? [complete] : [complete, ...parts.map((part) => part.toLowerCase()).filter((part) => part.length > 1)]
  })

/** The words to look for; at most so many. */
export const queryWords = (query: string, maxWords = 40): ReadonlyArray<string> =>
  [...new Set(words(query).filter((word) => word.length > 1 && !stopWords.has(word)))].slice(0, maxWords)

/** Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): the sum of 1 / (60 + rank) over the lists that an item is in. */
export const fuse = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const scores = new Map<A, number>()
  for (const list of lists) for (const [i, item] of list.entries()) scores.set(item, (scores.get(item) ?? 0) + 1 / (60 + i + 1))
  return [...scores].sort(([, a], [, b]) => b - a).map(([item]) => item)
}
