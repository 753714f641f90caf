/** Where two events differ, field by field. */
import type { Settled } from "./SessionEvent.ts"

/** A field by its path (`outcome.content.0.text`) and its two values as JSON, shortened around the first difference. */
export interface Difference {
  readonly path: string
  readonly expected: string
  readonly actual: string
}

/** All fields that differ, in the order of the expected event. */
export const differences = (expected: unknown, actual: unknown, path = ""): ReadonlyArray<Difference> => {
  if (Object.is(expected, actual)) return []
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return [{ path, ...excerpts(json(expected), json(actual)) }]
  return [...new Set([...Object.keys(expected), ...Object.keys(actual)])].flatMap((key) =>
    differences(expected[key], actual[key], path === "" ? key : `${path}.${key}`)
  )
}

/** The difference as a sentence: which event came, or in which fields it differs, at most five of them. */
export const sentence = (seq: number, expected: Settled | null, actual: Settled | null): string => {
  const start = `The replay differs from the log at event ${seq}`
  if (expected === null || actual === null || expected._tag !== actual._tag)
    return `${start}: the log has ${name(expected)}, the replay has ${name(actual)}.`
  const fields = differences(expected, actual)
  const fieldTexts = fields.slice(0, maxFields).map(({ actual, expected, path }) =>
    `${path} is ${expected} in the log, ${actual} in the replay`
  )
  const more = fields.length > maxFields ? `; and ${fields.length - maxFields} more fields` : ""
  return `${start} (${expected._tag}): ${fieldTexts.join("; ")}${more}.`
}

const maxFields = 5
const maxCharacters = 80

const name = (event: Settled | null): string => event === null ? "no event" : event._tag

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null

const json = (value: unknown): string => JSON.stringify(value) ?? "absent"

/** The two texts from shortly before their first difference. */
const excerpts = (expected: string, actual: string): Pick<Difference, "actual" | "expected"> => {
  const shortest = Math.min(expected.length, actual.length)
  let start = 0
  while (start < shortest && expected[start] === actual[start]) start++
  const from = Math.max(0, start - maxCharacters / 4)
  const excerpt = (text: string) =>
    `${from === 0 ? "" : "…"}${text.slice(from, from + maxCharacters)}${text.length > from + maxCharacters ? "…" : ""}`
  return { expected: excerpt(expected), actual: excerpt(actual) }
}
