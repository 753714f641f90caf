/** What a file defines, as lines of it: types with what they hold, functions without what is inside them. */

/** One match of a language's query: offsets of the whole definition, and the row, from 0, on which its name stands. */
export interface Found {
  readonly kind: "type" | "function"
  readonly from: number
  readonly to: number
  readonly row: number
}

/** `line` is from 1, `depth` counts the types around it. */
export interface Definition {
  readonly line: number
  readonly depth: number
}

/** In the order of the text; one that stands inside a function is the function's own affair, and of two on one line the outer counts. */
export const of = (found: ReadonlyArray<Found>): ReadonlyArray<Definition> => {
  const around: Array<Found> = []
  const definitions: Array<Definition> = []
  for (const one of found.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    while (around.length > 0 && around.at(-1)!.to <= one.from) around.pop()
    const outer = around.at(-1)
    if (outer?.kind === "function") continue
    if (outer?.row !== one.row) definitions.push({ line: one.row + 1, depth: around.length })
    around.push(one)
  }
  return definitions
}
