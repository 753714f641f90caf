/**
 * Whether a value fits a JSON Schema written by others (draft 2020-12 and earlier). Unsupported keywords pass: whoever
 * wrote the schema validates again.
 */
import * as Schema from "effect/Schema"
import { isObject } from "./ParamSchema.ts"

/** What is wrong at a place, as text to follow "expected". */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly issue: string
}

/** A codec of JSON objects that fit a schema. */
export const codec = (schema: Schema.JsonObject): Schema.Codec<Schema.JsonObject> =>
  Schema.Record(Schema.String, Schema.Json).pipe(Schema.check(Schema.makeFilter((value: Schema.JsonObject) => issues(schema, value))))

/** Everything that is wrong, each with its location. */
export const issues = (schema: Schema.JsonObject, value: Schema.Json): ReadonlyArray<Issue> => check(schema, value, [])

const check = (schema: unknown, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (schema === false) return [{ path, issue: "nothing" }]
  if (!isObject(schema)) return []
  const wrongType = typeIssue(schema, value)
  if (wrongType !== undefined) return [{ path, issue: wrongType }]
  return [
    ...rangeIssues(schema, value).map((issue) => ({ path, issue })),
    ...partIssues(schema, value, path),
    ...combinedIssues(schema, value, path)
  ]
}

const typeIssue = ({ const: constant, enum: choices, type }: Readonly<Record<string, unknown>>, value: Schema.Json): string | undefined => {
  const types = typeof type === "string" ? [type] : Array.isArray(type) ? type.filter((one) => typeof one === "string") : []
  if (types.length > 0 && !types.some((type) => hasType(type, value))) return types.join(" or ")
  if (Array.isArray(choices) && !choices.some((one) => isEqual(one, value))) return choices.map((one) => JSON.stringify(one)).join(" | ")
  return constant !== undefined && !isEqual(constant, value) ? JSON.stringify(constant) : undefined
}

const hasType = (type: string, value: Schema.Json): boolean =>
  type === "array" ? Array.isArray(value)
    : type === "object" ? isObject(value)
    : type === "null" ? value === null
    : type === "integer" ? Number.isInteger(value)
    : !["boolean", "number", "string"].includes(type) || typeof value === type

const isEqual = (a: unknown, b: Schema.Json): boolean => a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b))

const rangeIssues = (schema: Readonly<Record<string, unknown>>, value: Schema.Json): ReadonlyArray<string> => {
  const limit = (name: string) => typeof schema[name] === "number" ? schema[name] : undefined
  const boundIssues = (size: number, minKey: string, maxKey: string, of: (bound: number) => string) => {
    const [low, high] = [limit(minKey), limit(maxKey)]
    return [
      ...(low !== undefined && size < low ? [`at least ${of(low)}`] : []),
      ...(high !== undefined && size > high ? [`at most ${of(high)}`] : [])
    ]
  }
  if (typeof value === "number") {
    const [exclusiveMin, exclusiveMax] = [limit("exclusiveMinimum"), limit("exclusiveMaximum")]
    return [
      ...boundIssues(value, "minimum", "maximum", String),
      ...(exclusiveMin !== undefined && value <= exclusiveMin ? [`more than ${exclusiveMin}`] : []),
      ...(exclusiveMax !== undefined && value >= exclusiveMax ? [`less than ${exclusiveMax}`] : [])
    ]
  }
  if (typeof value === "string") return boundIssues([...value].length, "minLength", "maxLength", (n) => `${n} characters`)
  return Array.isArray(value) ? boundIssues(value.length, "minItems", "maxItems", (n) => `${n} items`) : []
}

const partIssues = (schema: Readonly<Record<string, unknown>>, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  if (Array.isArray(value)) {
    const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
    return value.flatMap((item, i) => check(first[i] ?? schema["items"], item, [...path, i]))
  }
  if (!isObject(value)) return []
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const required = Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : []
  const hasPatterns = isObject(schema["patternProperties"])
  return [
    ...required.flatMap((name) => Object.hasOwn(value, name) ? [] : [{ path: [...path, name], issue: "a value" }]),
    ...Object.entries(value).flatMap(([name, part]) =>
      check(Object.hasOwn(properties, name) ? properties[name] : hasPatterns ? true : schema["additionalProperties"], part as Schema.Json, [
        ...path,
        name
      ])
    )
  ]
}

const combinedIssues = (schema: Readonly<Record<string, unknown>>, value: Schema.Json, path: Issue["path"]): ReadonlyArray<Issue> => {
  const list = (name: string): ReadonlyArray<unknown> => Array.isArray(schema[name]) ? schema[name] : []
  const nearestIssues = (branches: ReadonlyArray<unknown>): ReadonlyArray<Issue> => {
    const branchIssues = branches.map((branch) => check(branch, value, path))
    // The intended branch is the one that is only wrong at a deeper level.
    const distance = (issues: ReadonlyArray<Issue>) =>
      issues.filter((issue) => issue.path.length === path.length).length * 1_000 + issues.length
    return branchIssues.toSorted((a, b) => distance(a) - distance(b))[0] ?? []
  }
  return [...list("allOf").flatMap((one) => check(one, value, path)), ...nearestIssues(list("anyOf")), ...nearestIssues(list("oneOf"))]
}
