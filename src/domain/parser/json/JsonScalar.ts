/** Numbers and words of JSON, and of what is sloppily written in its place. */
import { isWhite } from "../Whitespace.ts"

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

/** The value of a whole token, as written or as meant (`+1`, `.5`, `1.`). `undefined`: a bare word. */
export const read = (token: string): Scalar | undefined => {
  if (wholeNumber.test(token)) return { value: Number(token) }
  const literal = literals.get(token)
  if (literal !== undefined) return { value: literal }
  const other = foreign.get(token)
  if (other !== undefined) return { value: other, repair: `${token} read as ${other}` }
  const meant = Number(token)
  return Number.isFinite(meant) ? { value: meant, repair: `${token} read as ${meant}` } : undefined
}

/** The value of a token that the end of the text cut off: a word is completed, a number keeps its longest valid prefix. */
export const readCut = (token: string): Scalar | undefined => {
  const whole = read(token)
  if (whole !== undefined || isSign(token)) return whole
  for (const [word, value] of [...literals, ...foreign]) {
    if (word.startsWith(token)) return { value, repair: `${token} completed to ${value}` }
  }
  const prefix = number.exec(token)?.[0]
  return prefix === undefined ? undefined : { value: Number(prefix), repair: `${token} cut to ${prefix}` }
}

/** The start of a number, and nothing of it yet. */
export const isSign = (token: string): boolean => token === "-" || token === "+"

/** May stand in a number or a bare word. */
export const isTokenUnit = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 122 || unit >= 65 && unit <= 90 ||
  unit === 45 || unit === 46 || unit === 43 || unit === 95 || unit === 36 || unit > 160 && !isWhite(unit)
