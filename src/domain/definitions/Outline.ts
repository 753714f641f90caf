/** A file's definitions as lines of its text: types with their members, functions without their bodies. */

/** One match of a language's query: offsets of the complete definition, and the row, from 0, of its name. */
export interface DefinitionMatch {
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

/** In the order of the text; definitions inside a function are left out, and of two on one line the outer one counts. */
export const of = (matches: ReadonlyArray<DefinitionMatch>): ReadonlyArray<Definition> => {
  const enclosing: Array<DefinitionMatch> = []
  const definitions: Array<Definition> = []
  for (const one of matches.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    while (enclosing.length > 0 && enclosing.at(-1)!.to <= one.from) enclosing.pop()
    const outer = enclosing.at(-1)
    if (outer?.kind === "function") continue
    if (outer?.row !== one.row) definitions.push({ line: one.row + 1, depth: enclosing.length })
    enclosing.push(one)
  }
  return definitions
}
