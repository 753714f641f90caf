/** White space as `String.prototype.trim` knows it, by UTF-16 unit. */

export const NEWLINE = 10

export const isWhitespace = (unit: number): boolean => unit === 32 || unit >= 9 && unit <= 13 || unit >= 160 && isRareWhitespace(unit)

const isRareWhitespace = (unit: number): boolean =>
  unit === 0xa0 || unit === 0x1680 || unit >= 0x2000 && unit <= 0x200a || unit === 0x2028 || unit === 0x2029 ||
  unit === 0x202f || unit === 0x205f || unit === 0x3000 || unit === 0xfeff

/** The position of the first unit from `from` on that is not white space. */
export const skip = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isWhitespace(text.charCodeAt(at))) at++
  return at
}

/** Where the trailing white space of `text` begins. */
export const trailingStart = (text: string): number => {
  let at = text.length
  while (at > 0 && isWhitespace(text.charCodeAt(at - 1))) at--
  return at
}

// The current line of the text, as far as it determines whether a code fence may begin here.

/** Lines that begin with more units of white space, quote marks and the like than this can't begin a fence. */
const maxLength = 40

/** The line so far, cut if it has grown too long to matter. O(piece). */
export const append = (line: string, piece: string): string => {
  const newline = piece.lastIndexOf("\n")
  if (newline >= 0) return piece.slice(newline + 1, newline + 2 + maxLength)
  return line.length > maxLength ? line : line + piece.slice(0, maxLength + 1 - line.length)
}

/** Only white space, block quote marks and a list item's bullet or number precede. */
export const isBlockStart = (line: string): boolean => line.length <= maxLength && /^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,9}[.)])\s+)?$/.test(line)

/** The line belongs to a block quote. */
export const isQuoted = (line: string): boolean => /^\s*>/.test(line)
