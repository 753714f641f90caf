/** Line numbers that a model copied with the lines it was shown: `12 | x`, `12→x`, `12<tab>x`, and `12: x`. */

const numbered = /^\s*(\d+)(?: ?\| ?|→|\t|: ?)(.*)$/s

/** The lines without their numbers and the first number, when every line has one and they count up by one. O(text). */
export const strip = (lines: ReadonlyArray<string>): { readonly lines: Array<string>; readonly first: number } | undefined => {
  const bare: Array<string> = []
  let first = 0
  for (const line of lines) {
    const found = numbered.exec(line)
    if (found === null) return undefined
    const number = Number(found[1])
    if (bare.length === 0) first = number
    else if (number !== first + bare.length) return undefined
    bare.push(found[2]!)
  }
  return bare.length === 0 ? undefined : { lines: bare, first }
}

/** The same where the numbers need not follow one another, as in a replacement with lines added or left out. */
export const stripAny = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = lines.map((line) => numbered.exec(line)?.[2])
  return found.every((line) => line !== undefined) ? found : lines
}
