/** Conditions of rules: comparisons over named facts joined by `and`, as in `risk <= medium and branch != main`. */
import * as Result from "effect/Result"
import type { Facts } from "./Call.ts"

type Value = string | number | boolean

interface Fact {
  readonly isOrdered: boolean
  /** The fact's value in comparable form, or undefined if the text is invalid. */
  readonly read: (value: Value) => Value | undefined
  readonly expects: string
  /** Sample values that together decide whether comparisons can ever be true, given the values mentioned. */
  readonly samples: (operands: ReadonlyArray<Value>) => ReadonlyArray<Value>
}

const oneOf = (values: ReadonlyArray<string>, isOrdered: boolean): Fact => ({
  isOrdered,
  read: (value) => {
    const at = values.indexOf(String(value))
    return at < 0 ? undefined : at
  },
  expects: values.join(", "),
  samples: () => values.map((_, at) => at)
})

const units: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

const bytes = (value: Value): number | undefined => {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*(|b|kb|mb|gb)$/i.exec(String(value)) ?? []
  return digits === undefined ? undefined : Number(digits) * units[unit!.toLowerCase()]!
}

const facts: Readonly<Record<string, Fact>> = {
  branch: {
    isOrdered: false,
    read: (value) => typeof value === "string" && value !== "" ? value : undefined,
    expects: "the name of a branch",
    samples: (operands) => [...operands, "\u0000"]
  },
  interactive: oneOf(["false", "true"], false),
  mode: oneOf(["act", "plan"], false),
  risk: oneOf(["low", "medium", "high"], true),
  size: {
    isOrdered: true,
    read: bytes,
    expects: "a size such as 100kb",
    samples: (operands) => [0, ...operands.flatMap((value) => [Number(value) - 1, value, Number(value) + 1])].filter((n) => Number(n) >= 0)
  }
}

export const factNames: ReadonlyArray<string> = Object.keys(facts)

const operators = {
  "=": (a: Value, b: Value) => a === b,
  "!=": (a: Value, b: Value) => a !== b,
  "<": (a: Value, b: Value) => a < b,
  "<=": (a: Value, b: Value) => a <= b,
  ">": (a: Value, b: Value) => a > b,
  ">=": (a: Value, b: Value) => a >= b
}

interface Comparison {
  readonly name: string
  readonly fact: Fact
  readonly value: Value
  readonly holds: (actual: Value) => boolean
}

/** True, false, or undefined when a fact is not available: an allow then fails to match, while a deny or an ask applies. */
export type Condition = (facts: Facts) => boolean | undefined

/** Describes what is wrong, if anything, in words that can follow the rule's text. */
export const parse = (text: string): Result.Result<Condition, string> => {
  const comparisons: Array<Comparison> = []
  for (const part of text.split(/\s+and\s+/)) {
    const comparison = parseComparison(part.trim())
    if (Result.isFailure(comparison)) return Result.fail(comparison.failure)
    comparisons.push(comparison.success)
  }
  const impossible = Object.values(Object.groupBy(comparisons, ({ name }) => name)).find((group) => !isSatisfiable(group!))
  if (impossible !== undefined) return Result.fail(`the condition contradicts itself: no ${impossible[0]!.name} can meet it`)
  return Result.succeed((facts) => {
    let result: boolean | undefined = true
    for (const { fact, holds, name } of comparisons) {
      const rawValue = Object.hasOwn(facts, name) ? facts[name] : undefined
      const actual = rawValue === undefined ? undefined : fact.read(rawValue)
      if (actual === undefined) result = undefined
      else if (!holds(actual)) return false
    }
    return result
  })
}

const parseComparison = (text: string): Result.Result<Comparison, string> => {
  const [, name, operator, literal] = /^(\w+)\s*(<=|>=|!=|==?|<|>)\s*(.*)$/s.exec(text) ?? []
  if (name === undefined)
    return Result.fail(`"${text}" is not a valid comparison; write for example risk <= medium, and join comparisons with "and"`)
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
  if (fact === undefined) return Result.fail(`unknown fact "${name}"; expected one of ${factNames.join(", ")}`)
  if (operator === "==") return Result.fail(`"==" is not a valid operator; write ${name} = ${literal}`)
  if (!fact.isOrdered && operator !== "=" && operator !== "!=") {
    return Result.fail(`${name} can only be compared with = or !=`)
  }
  const value = fact.read(literal!.replace(/^"(.*)"$/s, "$1"))
  if (value === undefined) return Result.fail(`"${literal}" is not a valid ${name}; expected ${fact.expects}`)
  const compare = operators[operator as keyof typeof operators]
  return Result.succeed({ name, fact, value, holds: (actual) => compare(actual, value) })
}

const isSatisfiable = (group: ReadonlyArray<Comparison>): boolean =>
  group[0]!.fact.samples(group.map(({ value }) => value)).some((sample) => group.every(({ holds }) => holds(sample)))
