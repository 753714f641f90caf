/**
 * JSON Schema → the subset that Gemini's function declarations take (an OpenAPI 3.0 schema object), after
 * https://ai.google.dev/api/caching#Schema. Keywords outside of the subset are dropped: the result is less
 * strict, never different. Params are validated against the complete schema when a call arrives.
 */
import type * as Schema from "effect/Schema"

type Json = Schema.JsonObject

/** The schema of a function's parameters; undefined without any, because an object must have properties. */
export const parameters = (schema: Json): Json | undefined => {
  const reduced = reduce(schema, { root: schema, open: [] })
  return reduced.type === "object" && reduced.properties !== undefined ? reduced : undefined
}

/** The targets of references, and those being resolved: a recursive schema becomes any object. */
interface At {
  readonly root: Json
  readonly open: ReadonlyArray<string>
}

const keywords = [
  "title",
  "description",
  "nullable",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "minimum",
  "maximum",
  "default"
]

/** The formats that the service accepts for a type; it rejects any other. */
const formats: Readonly<Record<string, ReadonlyArray<string>>> = {
  string: ["enum", "date-time"],
  number: ["float", "double"],
  integer: ["int32", "int64"]
}

const reduce = (value: Schema.Json | undefined, at: At): Json => {
  const schema = flat(record(value), at)
  if (typeof schema.$ref === "string") return follow(schema, schema.$ref, at)
  const { choices, nullable, type } = typeOf(schema)
  const inner = (part: Schema.Json | undefined) => reduce(part, at)
  const any = choices ?? list(schema.anyOf ?? schema.oneOf)
  const some = any.filter((part) => record(part).type !== "null")
  const [only] = some
  if (only !== undefined && some.length === 1) return { ...inner(only), ...pick(schema), ...(any.length > 1 ? { nullable: true } : {}) }
  return {
    ...pick(schema),
    ...(nullable || some.length < any.length ? { nullable: true } : {}),
    ...(some.length > 1 ? { anyOf: some.map(inner) } : { type, ...bodies[type]?.(schema, inner) }),
    ...(some.length === 0 && typeof schema.format === "string" && formats[type]?.includes(schema.format) === true
      ? { format: schema.format } : {})
  }
}

const pick = (schema: Json): Json => Object.fromEntries(keywords.flatMap((key) => schema[key] === undefined ? [] : [[key, schema[key]]]))

const follow = (schema: Json, ref: string, { open, root }: At): Json => {
  if (open.includes(ref)) return { ...pick(schema), type: "object" }
  const target = ref.replace(/^#\/?/, "").split("/").filter((key) => key !== "")
    .reduce<Schema.Json | undefined>((value, key) => record(value)[key.replaceAll("~1", "/").replaceAll("~0", "~")], root)
  return { ...reduce(target, { root, open: [...open, ref] }), ...pick(schema) }
}

/** The parts of an `allOf`, merged. */
const flat = (schema: Json, at: At): Json => {
  const parts = list(schema.allOf).map(record)
  if (parts.length === 0) return schema
  const { allOf: _, ...own } = schema
  return [...parts.map((part) => typeof part.$ref === "string" ? follow(part, part.$ref, at) : flat(part, at)), own].reduce((
    all,
    part
  ) => ({
    ...all,
    ...part,
    ...(all.properties === undefined && part.properties === undefined ? {}
      : { properties: { ...record(all.properties), ...record(part.properties) } }),
    ...(all.required === undefined && part.required === undefined ? {} : { required: [...list(all.required), ...list(part.required)] })
  }))
}

const typeOf = (schema: Json): { readonly type: string; readonly nullable: boolean; readonly choices?: ReadonlyArray<Json> } => {
  const types = Array.isArray(schema.type) ? schema.type as ReadonlyArray<string> : typeof schema.type === "string" ? [schema.type] : []
  const real = types.filter((type) => type !== "null")
  const nullable = real.length < types.length
  const [first, ...more] = real
  if (first === undefined) return { type: guess(schema), nullable }
  return more.length === 0 ? { type: first, nullable } : { type: first, nullable, choices: real.map((type) => ({ ...schema, type })) }
}

const guess = (schema: Json): string => {
  const [example] = schema.const === undefined ? list(schema.enum) : [schema.const]
  return schema.properties !== undefined || typeof example === "object" ? "object"
    : schema.items !== undefined ? "array"
    : typeof example === "number" ? "number"
    : typeof example === "boolean" ? "boolean"
    : "string"
}

type Body = (schema: Json, inner: (part: Schema.Json | undefined) => Json) => Json

/** The keywords of a schema other than its type. Only strings can have an enum, and an array must describe its items. */
const bodies: Readonly<Record<string, Body>> = {
  object: (schema, inner) => {
    const properties = Object.entries(record(schema.properties)).map(([name, part]) => [name, inner(part)] as const)
    const names = properties.map(([name]) => name)
    const required = [...new Set(list(schema.required))].filter((name) => names.includes(String(name)))
    return {
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required })
    }
  },
  array: (schema, inner) => {
    const [first] = list(schema.prefixItems)
    return { items: inner(Array.isArray(schema.items) ? schema.items[0] : schema.items ?? first) }
  },
  string: (schema) => {
    const values = (schema.const === undefined ? list(schema.enum) : [schema.const]).filter((value) =>
      typeof value === "string" && value !== ""
    )
    return values.length === 0 ? {} : { enum: [...new Set(values)] }
  }
}

const record = (value: Schema.Json | undefined): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {}
const list = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> => Array.isArray(value) ? value : []
