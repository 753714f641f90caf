/** The JSON Schema of a tool's params: strict as advertised, tolerant in what `coerce` accepts. */
import * as Table from "../Table.ts"
import * as JsonSchema from "effect/JsonSchema"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"

/** Draft 2020-12, closed (`additionalProperties: false`) and without `$ref`: accepted by every provider's strict mode. */
export const fromSchema = (params: Schema.Codec<any, any>): Schema.JsonObject => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(params)
  return close("not" in schema ? noParams : schema, definitions, [])
}

/** A struct without fields comes as "anything but null", which not every provider takes. */
const noParams: JsonSchema.JsonSchema = { type: "object", properties: {} }

/** A schema that others wrote: as it stands, with its local `$ref`s written out, because not every provider follows them. */
export const inlineRefs = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { $defs, $schema: _, definitions, ...rest } = schema
  return {
    type: "object",
    ...inlinePart(rest, { ...isObject(definitions) ? definitions : {}, ...isObject($defs) ? $defs : {} }, []) as Schema.JsonObject
  }
}

const inlinePart = (part: unknown, definitions: Readonly<Record<string, unknown>>, openRefs: ReadonlyArray<string>): Schema.Json => {
  if (Array.isArray(part)) return part.map((one) => inlinePart(one, definitions, openRefs))
  if (!isObject(part)) return part as Schema.Json
  const { $ref, ...rest } = part
  const siblings = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlinePart(value, definitions, openRefs)]))
  if (typeof $ref !== "string") return $ref === undefined ? siblings : { ...siblings, $ref: inlinePart($ref, definitions, openRefs) }
  const name = definitionOf($ref)
  const target = definitions[name]
  // A recursive schema has no end, and an external one is not fetched: there any value is accepted.
  return isObject(target) && !openRefs.includes(name)
    ? { ...inlinePart(target, definitions, [...openRefs, name]) as Schema.JsonObject, ...siblings } : siblings
}

const definitionOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~")

const close = (
  schema: JsonSchema.JsonSchema,
  definitions: JsonSchema.Definitions,
  openRefs: ReadonlyArray<string>
): Schema.JsonObject => {
  if (typeof schema.$ref === "string") {
    const name = definitionOf(schema.$ref)
    const target = definitions[name]
    // A recursive schema can't be written without $ref: there any value is accepted, and decoding decides.
    return target === undefined || openRefs.includes(name) ? {}
      : close({ ...target, ...omitKey(schema, "$ref") }, definitions, [...openRefs, name])
  }
  const entries = Object.entries(schema).flatMap(([key, value]) =>
    isNoise(key, value) ? [] : [[key, closeValue(key, value, definitions, openRefs)]]
  )
  return { ...Object.fromEntries(entries), ...(schema.type === "object" && "properties" in schema ? { additionalProperties: false } : {}) }
}

const closeValue = (key: string, value: unknown, definitions: JsonSchema.Definitions, openRefs: ReadonlyArray<string>): Schema.Json => {
  const inner = (part: unknown): Schema.Json => isObject(part) ? close(part, definitions, openRefs) : part as Schema.Json
  if (key === "properties" && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))
  }
  if (["anyOf", "oneOf", "allOf", "prefixItems"].includes(key) && Array.isArray(value)) return value.map(inner)
  return key === "items" || key === "additionalProperties" ? inner(value) : value as Schema.Json
}

/** Without the closing of objects, and without the descriptions of properties with these names. */
export const concise = (
  { additionalProperties: closing, ...schema }: Schema.JsonObject,
  plain: ReadonlySet<string>
): Schema.JsonObject => ({
  ...schema,
  ...(closing === undefined || closing === false ? {} : { additionalProperties: closing }),
  ...(isObject(schema.items) ? { items: concise(schema.items, plain) } : {}),
  ...(isObject(schema.properties) ? { properties: Record.map(schema.properties, (part, name) => conciseProperty(name, part, plain)) } : {})
})

const conciseProperty = (name: string, property: Schema.Json, plain: ReadonlySet<string>): Schema.Json => {
  if (!isObject(property)) return property
  const { description, ...rest } = property
  return concise(plain.has(name) || description === undefined ? rest : { description, ...rest }, plain)
}

/** Bounds that every integer has are left out. */
const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) || (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

const omitKey = (schema: JsonSchema.JsonSchema, key: string): JsonSchema.JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== key))

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: Schema.JsonObject
}

/** The properties of an object schema, in order. */
export const fields = (schema: Schema.JsonObject): ReadonlyArray<Field> => {
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, part]) => ({
    name,
    required: required.includes(name),
    schema: isObject(part) ? part as Schema.JsonObject : {}
  }))
}

/** One property of an object schema. */
export const property = (schema: Schema.JsonObject, name: string): Schema.JsonObject | undefined =>
  fields(schema).find((field) => field.name === name)?.schema

/** The schema at a path of keys and indexes. */
export const at = (schema: Schema.JsonObject, path: ReadonlyArray<PropertyKey>): Schema.JsonObject => {
  const [key, ...rest] = path
  if (key === undefined) return schema
  const inner = typeof key === "number" ? schema.items : property(schema, String(key))
  return isObject(inner) ? at(inner as Schema.JsonObject, rest) : {}
}

/** A schema's type in a few words: `integer`, `array of strings`, `"a" | "b"`. */
export const typeName = (schema: Schema.JsonObject): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  const branches = alternatives(schema)
  if (branches.length > 0) return [...new Set(branches.map(typeName))].join(" or ")
  if (schema.type === "array") {
    const items = isObject(schema.items) ? typeName(schema.items as Schema.JsonObject) : "value"
    return `array of ${items.startsWith("{") ? items : `${items}s`}`
  }
  if (schema.type === "object") {
    const inner = fields(schema).map(({ name, required, schema }) => `${name}${required ? "" : "?"}: ${typeName(schema)}`)
    return inner.length === 0 ? "object" : `{ ${inner.join(", ")} }`
  }
  return typeof schema.type === "string" ? schema.type : "value"
}

/**
 * The received value converted towards the schema: `"5"` to 5, `"true"` to true, JSON text to the structure it
 * contains, one value to a list of one, a number to its text. What does not fit stays unchanged, for the report.
 */
export const coerce = (schema: Schema.JsonObject, value: Schema.Json): Schema.Json => {
  if (Array.isArray(schema.enum)) return matchChoice(schema.enum, value)
  const branches = alternatives(schema)
  if (branches.length > 0) return firstMatch(branches, value)
  const coercion = typeof schema.type === "string" ? Table.entry(coercions, schema.type) : undefined
  return coercion === undefined ? value : coercion(schema, value)
}

const coercions: Readonly<Record<string, (schema: Schema.JsonObject, value: Schema.Json) => Schema.Json>> = {
  string: (_, value) =>
    typeof value === "number" || typeof value === "boolean" ? String(value)
      : isObject(value) ? JSON.stringify(value, null, 2)
      : value,
  number: (_, value) => toNumber(value),
  integer: (_, value) => toNumber(value),
  boolean: (_, value) =>
    typeof value === "string" ? Table.entry(booleanWords, value.trim().toLowerCase()) ?? value
      : value === 1 ? true : value === 0 ? false : value,
  array: (schema, value) => {
    const list = fromText(value, Array.isArray)
    const items = isObject(schema.items) ? schema.items as Schema.JsonObject : {}
    return (Array.isArray(list) ? list : [list]).map((item) => coerce(items, item))
  },
  object: (schema, value) => {
    const record = fromText(value, isObject)
    if (!isObject(record)) return value
    const schemas = new Map(fields(schema).map((field) => [field.name, field.schema]))
    return Object.fromEntries(
      Object.entries(record).map(([key, part]) => [key, coerce(schemas.get(key) ?? {}, part as Schema.Json)])
    )
  }
}

const booleanWords: Readonly<Record<string, boolean>> = { true: true, yes: true, "1": true, false: false, no: false, "0": false }

const toNumber = (value: Schema.Json): Schema.Json => {
  if (typeof value !== "string" || !/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)) return value
  return Number(value)
}

const matchChoice = (choices: ReadonlyArray<Schema.Json>, value: Schema.Json): Schema.Json => {
  if (typeof value !== "string") return value
  const lowerCase = value.trim().toLowerCase()
  return choices.find((one) => typeof one === "string" && one.toLowerCase() === lowerCase) ?? value
}

const firstMatch = (branches: ReadonlyArray<Schema.JsonObject>, value: Schema.Json): Schema.Json => {
  if (branches.some((branch) => hasType(branch, value))) return value
  for (const branch of branches) {
    const coerced = coerce(branch, value)
    if (hasType(branch, coerced)) return coerced
  }
  return value
}

/** Whether a value has the schema's outermost type; deeper levels are left to the decoder. */
export const hasType = (schema: Schema.JsonObject, value: unknown): boolean =>
  Array.isArray(schema.enum) ? schema.enum.some((one) => one === value)
    : schema.type === "array" ? Array.isArray(value)
    : schema.type === "object" ? isObject(value)
    : schema.type === "null" ? value === null
    : schema.type === "integer" ? Number.isInteger(value)
    : schema.type === typeof value

/** Parses JSON text if a structure is expected. */
const fromText = (value: Schema.Json, isExpected: (value: unknown) => boolean): Schema.Json => {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value
  try {
    const parsed: Schema.Json = JSON.parse(value)
    return isExpected(parsed) ? parsed : value
  } catch {
    return value
  }
}

const alternatives = (schema: Schema.JsonObject): ReadonlyArray<Schema.JsonObject> => {
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...schema, type }))
  const branches = schema.anyOf ?? schema.oneOf
  return Array.isArray(branches) ? branches.filter(isObject) as ReadonlyArray<Schema.JsonObject> : []
}

/** A JSON object: neither null nor a list. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
