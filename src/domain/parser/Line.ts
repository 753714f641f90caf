/** The line that text has reached, as far as it says whether a code fence may begin here. */

/** Lines that begin with more than so many units of white space, quote marks and the like begin no fence. */
const longest = 40

/** The line so far, cut where it has grown too long to matter. O(piece). */
export const append = (line: string, piece: string): string => {
  const newline = piece.lastIndexOf("\n")
  if (newline >= 0) return piece.slice(newline + 1, newline + 2 + longest)
  return line.length > longest ? line : line + piece.slice(0, longest + 1 - line.length)
}

/** Only white space, the marks of a block quote and the bullet or number of a list's item stand before. */
export const beginsBlock = (line: string): boolean => line.length <= longest && /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?$/.test(line)

/** The line belongs to a block quote. */
export const isQuoted = (line: string): boolean => /^\s*>/.test(line)
