/** Texts and the ways they are cut, for the property tests of the parsers. */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** A text made of the given fragments, some cut short: near to what a parser looks for, rarely right. */
export const textOf = (fragments: ReadonlyArray<string>, maxLength = 12): Arbitrary.Arbitrary<string> =>
  Arbitrary.map(
    Arbitrary.array(
      Arbitrary.all([
        Arbitrary.schema(Schema.Literals(fragments)),
        Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })))
      ]),
      { maxLength }
    ),
    (chosen) => chosen.map(([text, cut]) => cut < 8 ? text.slice(0, cut) : text).join("")
  )

/** The lengths of pieces, used in turn. */
export const lengths = Arbitrary.array(
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 }))),
  { minLength: 1, maxLength: 4 }
)

export const pieces = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const all: Array<string> = []
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length]!
    all.push(text.slice(at, at + length))
    at += length
  }
  return all
}

/** JSON.stringify writes -0 as 0. */
export const withoutNegativeZero = <A extends Schema.Json>(value: A): A =>
  (typeof value === "number"
    ? value + 0
    : typeof value !== "object" || value === null
    ? value
    : Array.isArray(value)
    ? value.map(withoutNegativeZero)
    : Object.fromEntries(Object.entries(value).map(([key, value]) => [key, withoutNegativeZero(value)]))) as A
