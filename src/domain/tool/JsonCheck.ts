/**
 * Whether a value fits a JSON Schema that others wrote (draft 2020-12 and those before it). What it does not know of a
 * schema it lets pass: whoever wrote the schema judges again.
 */
import * as Schema from "effect/Schema"
import { isObject } from "./ParamSchema.ts"

/** What is wrong at a place, as words that follow "expected". */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
}

/** A codec of JSON objects that fit a schema. */
export const codec = (schema: Schema.JsonObject): Schema.Codec<Schema.JsonObject> =>
  Schema.Record(Schema.String, Schema.Json).pipe(Schema.check(Schema.makeFilter((value: Schema.JsonObject) => issues(schema, value))))

/** Everything that is wrong, each at its place. */
export const issues = (schema: Schema.JsonObject, value: Schema.Json): ReadonlyArray<Issue> => check(schema, value, [])

const check = (schema: unknown, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (schema === false) return [{ path, issue: "nothing" }]
  if (!isObject(schema)) return []
  const wrongType = typeIssue(schema, value)
  if (wrongType !== undefined) return [{ path, issue: wrongType }]
  return [...bounds(schema, value).map((issue) => ({ path, issue })), ...parts(schema, value, path), ...combined(schema, value, path)]
}

const typeIssue = ({ const: only, enum: choices, type }: Readonly<Record<string, unknown>>, value: Schema.Json): string | undefined => {
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.filter((one) => typeof one === "string") : []
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return types.join(" or ")
  if (Array.isArray(choices) && !choices.some((one) => same(one, value))) return choices.map((one) => JSON.stringify(one)).join(" | ")
  return only !== undefined && !same(only, value) ? JSON.stringify(only) : undefined
}

const isOf = (type: string, value: Schema.Json): boolean =>
  type === "array" ? Array.isArray(value)
  : type === "object" ? isObject(value)
  : type === "null" ? value === null
  : type === "integer" ? Number.isInteger(value)
  : !["boolean", "number", "string"].includes(type) || typeof value === type

const same = (a: unknown, b: Schema.Json): boolean => a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b))

const bounds = (schema: Readonly<Record<string, unknown>>, value: Schema.Json): ReadonlyArray<string> => {
  const limit = (name: string) => typeof schema[name] === "number" ? schema[name] : undefined
  const outside = (size: number, least: string, most: string, of: (bound: number) => string) => {
    const [low, high] = [limit(least), limit(most)]
    return [
      ...(low !== undefined && size < low ? [`at least ${of(low)}`] : []),
      ...(high !== undefined && size > high ? [`at most ${of(high)}`] : [])
    ]
  }
  if (typeof value === "number") {
    const [above, below] = [limit("exclusiveMinimum"), limit("exclusiveMaximum")]
    return [
      ...outside(value, "minimum", "maximum", String),
      ...(above !== undefined && value <= above ? [`more than ${above}`] : []),
      ...(below !== undefined && value >= below ? [`less than ${below}`] : [])
    ]
  }
  if (typeof value === "string") return outside([...value].length, "minLength", "maxLength", (n) => `${n} characters`)
  return Array.isArray(value) ? outside(value.length, "minItems", "maxItems", (n) => `${n} items`) : []
}

const parts = (schema: Readonly<Record<string, unknown>>, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (Array.isArray(value)) {
    const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
    return value.flatMap((item, i) => check(first[i] ?? schema["items"], item, [...path, i]))
  }
  if (!isObject(value)) return []
  const known = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : []
  const patterned = isObject(schema["patternProperties"])
  return [
    ...required.flatMap((name) => Object.hasOwn(value, name) ? [] : [{ path: [...path, name], issue: "a value" }]),
    ...Object.entries(value).flatMap(([name, part]) =>
      check(Object.hasOwn(known, name) ? known[name] : patterned ? true : schema["additionalProperties"], part as Schema.Json, [...path, name]))
  ]
}

const combined = (schema: Readonly<Record<string, unknown>>, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  const list = (name: string): ReadonlyArray<unknown> => Array.isArray(schema[name]) ? schema[name] : []
  const nearest = (branches: ReadonlyArray<unknown>): ReadonlyArray<Issue> => {
    const found = branches.map((branch) => check(branch, value, path))
    // The branch that was meant is the one that is wrong only deeper within.
    const far = (issues: ReadonlyArray<Issue>) => issues.filter((issue) => issue.path.length === path.length).length * 1_000 + issues.length
    return found.toSorted((a, b) => far(a) - far(b))[0] ?? []
  }
  return [...list("allOf").flatMap((one) => check(one, value, path)), ...nearest(list("anyOf")), ...nearest(list("oneOf"))]
}
