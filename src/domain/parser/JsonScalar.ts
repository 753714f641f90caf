/** Numbers and words of JSON, and of what is sloppily written in its place. */

/** A value and, if it is not JSON as written, what was done to it. */
export interface Scalar {
  readonly value: string | number | boolean | null
  readonly repair?: string
}

const literals: ReadonlyMap<string, boolean | null> = new Map([["true", true], ["false", false], ["null", null]])

const foreign: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
  ["undefined", null],
  ["NaN", null],
  ["Infinity", null],
  ["-Infinity", null],
  ["+Infinity", null]
])

/** The grammar of RFC 8259; without `$` it finds the longest valid prefix. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/
const wholeNumber = new RegExp(`${number.source}$`)

/** The value of a whole token. `undefined`: a bare word, or nothing of it is valid. */
export const read = (token: string): Scalar | undefined => {
  const literal = literals.get(token)
  if (literal !== undefined) return { value: literal }
  if (wholeNumber.test(token)) return { value: Number(token) }
  const other = foreign.get(token)
  if (other !== undefined) return { value: other, repair: `${token} read as ${other}` }
  return startsNumber(token) ? sloppyNumber(token) : undefined
}

/** The value of a token that the end of the text cut off: a word is completed, a number keeps its longest valid prefix. */
export const readCut = (token: string): Scalar | undefined => {
  const whole = read(token)
  if (whole !== undefined || token === "-" || token === "+") return whole
  for (const [word, value] of [...literals, ...foreign]) {
    if (word.startsWith(token)) return { value, repair: `${token} completed to ${value}` }
  }
  return undefined
}

export const startsNumber = (token: string): boolean => /^[-+.\d]/.test(token)

/** `+1`, `.5` and `1.` are read as meant; of anything else the longest valid prefix is. */
const sloppyNumber = (token: string): Scalar | undefined => {
  const meant = Number(token)
  if (Number.isFinite(meant)) return { value: meant, repair: `${token} read as ${meant}` }
  const prefix = number.exec(token)?.[0]
  return prefix === undefined ? undefined : { value: Number(prefix), repair: `${token} cut to ${prefix}` }
}

/** May stand in a number or a bare word. */
export const isTokenUnit = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 122 || unit >= 65 && unit <= 90 ||
  unit === 45 || unit === 46 || unit === 43 || unit === 95 || unit === 36 || unit > 160
