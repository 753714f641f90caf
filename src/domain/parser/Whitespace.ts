/** White space as `String.prototype.trim` knows it, by UTF-16 unit. */

export const NEWLINE = 10

export const isWhite = (unit: number): boolean =>
  unit === 32 || unit >= 9 && unit <= 13 || unit >= 160 && isRareWhite(unit)

const isRareWhite = (unit: number): boolean =>
  unit === 0xa0 || unit === 0x1680 || unit >= 0x2000 && unit <= 0x200a || unit === 0x2028 || unit === 0x2029 ||
  unit === 0x202f || unit === 0x205f || unit === 0x3000 || unit === 0xfeff

/** Where the first unit from `from` on stands that is no white space. */
export const skip = (text: string, from: number): number => {
  let at = from
  while (at < text.length && isWhite(text.charCodeAt(at))) at++
  return at
}

/** Where the trailing white space of `text` begins. */
export const trailing = (text: string): number => {
  let at = text.length
  while (at > 0 && isWhite(text.charCodeAt(at - 1))) at--
  return at
}
