/** Conditions of rules: comparisons over named facts joined by `and`, as in `risk <= medium and branch != main`. */
import * as Result from "effect/Result"
import type { Facts } from "./Call.ts"

type Value = string | number | boolean

interface Fact {
  readonly ordered: boolean
  /** The fact's value in comparable form, or undefined when the text is none. */
  readonly read: (value: Value) => Value | undefined
  readonly expects: string
  /** Values that between them decide whether comparisons can ever hold, given those that are mentioned. */
  readonly samples: (mentioned: ReadonlyArray<Value>) => ReadonlyArray<Value>
}

const oneOf = (values: ReadonlyArray<string>, ordered: boolean): Fact => ({
  ordered,
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
    ordered: false,
    read: (value) => typeof value === "string" && value !== "" ? value : undefined,
    expects: "the name of a branch",
    samples: (mentioned) => [...mentioned, "\u0000"]
  },
  interactive: oneOf(["false", "true"], false),
  mode: oneOf(["act", "plan"], false),
  risk: oneOf(["low", "medium", "high"], true),
  size: {
    ordered: true,
    read: bytes,
    expects: "a size such as 100kb",
    samples: (mentioned) => [0, ...mentioned.flatMap((value) => [Number(value) - 1, value, Number(value) + 1])].filter((n) => Number(n) >= 0)
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

/** True, false, or undefined when a fact is not known: an allow then fails to match, a deny or an ask holds. */
export type Condition = (facts: Facts) => boolean | undefined

/** Says what is wrong, when something is, in words that can follow the rule's text. */
export const parse = (text: string): Result.Result<Condition, string> => {
  const comparisons: Array<Comparison> = []
  for (const part of text.split(/\s+and\s+/)) {
    const comparison = parseComparison(part.trim())
    if (Result.isFailure(comparison)) return Result.fail(comparison.failure)
    comparisons.push(comparison.success)
  }
  const impossible = Object.values(Object.groupBy(comparisons, ({ name }) => name)).find((group) => !satisfiable(group!))
  if (impossible !== undefined) return Result.fail(`the condition contradicts itself: no ${impossible[0]!.name} can meet it`)
  return Result.succeed((facts) => {
    let known: boolean | undefined = true
    for (const { fact, holds, name } of comparisons) {
      const given = Object.hasOwn(facts, name) ? facts[name] : undefined
      const actual = given === undefined ? undefined : fact.read(given)
      if (actual === undefined) known = undefined
      else if (!holds(actual)) return false
    }
    return known
  })
}

const parseComparison = (text: string): Result.Result<Comparison, string> => {
  const [, name, operator, written] = /^(\w+)\s*(<=|>=|!=|==?|<|>)\s*(.*)$/s.exec(text) ?? []
  if (name === undefined) return Result.fail(`"${text}" is no comparison; write for example risk <= medium, joined by "and"`)
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
  if (fact === undefined) return Result.fail(`unknown fact "${name}"; known are ${factNames.join(", ")}`)
  if (operator === "==") return Result.fail(`"==" is no operator here; write ${name} = ${written}`)
  if (!fact.ordered && operator !== "=" && operator !== "!=") {
    return Result.fail(`${name} has no order: compare it with = or !=`)
  }
  const value = fact.read(written!.replace(/^"(.*)"$/s, "$1"))
  if (value === undefined) return Result.fail(`"${written}" is no ${name}; it takes ${fact.expects}`)
  const compare = operators[operator as keyof typeof operators]
  return Result.succeed({ name, fact, value, holds: (actual) => compare(actual, value) })
}

const satisfiable = (group: ReadonlyArray<Comparison>): boolean =>
  group[0]!.fact.samples(group.map(({ value }) => value)).some((sample) => group.every(({ holds }) => holds(sample)))
