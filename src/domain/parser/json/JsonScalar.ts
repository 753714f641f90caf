/** Numbers and words of JSON, and of sloppy substitutes for it. */
import { isWhitespace } from "../Whitespace.ts"

/** A value and, if it is not JSON as written, the repair. */
export interface Scalar {
  readonly value: string | number | boolean | null
  readonly repair?: string
}

const literals: ReadonlyMap<string, boolean | null> = new Map([["true", true], ["false", false], ["null", null]])

const foreignLiterals: ReadonlyMap<string, boolean | null> = new Map([
  ["True", true],
  ["False", false],
  ["None", null],
  ["undefined", null],
  ["NaN", null],
  ["Infinity", null],
  ["-Infinity", null],
  ["+Infinity", null]
])

/** The grammar of RFC 8259; without `$` it matches the longest valid prefix. */
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/
const wholeNumber = new RegExp(`${number.source}$`)

/** The value of a complete token, as written or as meant (`+1`, `.5`, `1.`). `undefined`: a bare word. */
export const read = (token: string): Scalar | undefined => {
  if (wholeNumber.test(token)) return { value: Number(token) }
  const literal = literals.get(token)
  if (literal !== undefined) return { value: literal }
  const foreignValue = foreignLiterals.get(token)
  if (foreignValue !== undefined) return { value: foreignValue, repair: `${token} read as ${foreignValue}` }
  const parsedNumber = Number(token)
  return Number.isFinite(parsedNumber) ? { value: parsedNumber, repair: `${token} read as ${parsedNumber}` } : undefined
}

/** The value of a token that the end of the text cut off: a word is completed, a number keeps its longest valid prefix. */
export const readTruncated = (token: string): Scalar | undefined => {
  const scalar = read(token)
  if (scalar !== undefined || isSign(token)) return scalar
  for (const [word, value] of [...literals, ...foreignLiterals]) {
    if (word.startsWith(token)) return { value, repair: `${token} completed to ${value}` }
  }
  const prefix = number.exec(token)?.[0]
  return prefix === undefined ? undefined : { value: Number(prefix), repair: `${token} cut to ${prefix}` }
}

/** The start of a number without any digits yet. */
export const isSign = (token: string): boolean => token === "-" || token === "+"

/** May stand in a number or a bare word. */
export const isTokenUnit = (unit: number): boolean =>
  unit >= 48 && unit <= 57 || unit >= 97 && unit <= 122 || unit >= 65 && unit <= 90 ||
  unit === 45 || unit === 46 || unit === 43 || unit === 95 || unit === 36 || unit > 160 && !isWhitespace(unit)
