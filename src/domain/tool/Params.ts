/** From the params that a model wrote to those that a tool takes: tolerant in what is accepted, exact in what it reports. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as ParamSchema from "./ParamSchema.ts"
import { paramLine, type ToolSpec } from "./ToolSpec.ts"

/** What decoding needs of a tool (see services/Tool.ts). */
export interface ParamDecoder<P> {
  readonly params: Schema.Codec<P, any>
  readonly paramAliases?: Readonly<Record<string, string>>
  readonly accept?: (raw: Schema.JsonObject) => Schema.JsonObject
}

/** `unknown` names params that the tool does not have; they are ignored. */
export interface Decoded<P> {
  readonly params: P
  readonly unknown: ReadonlyArray<string>
}

/** Params as the tool takes them, or one report for the model that names every field. */
export const decode = <P>(tool: ParamDecoder<P>, spec: ToolSpec, raw: Schema.Json): Result.Result<Decoded<P>, string> => {
  const record = toRecord(raw)
  if (record === undefined) return Result.fail(report(spec, [`params: expected an object, received ${describeValue(raw)}`], []))
  const renamedParams = rename(tool, spec, record)
  const { shaped, unknown } = coerceParams(spec, tool.accept === undefined ? renamedParams : tool.accept(renamedParams))
  const decoded = Schema.decodeUnknownResult(tool.params)(shaped, { errors: "all" })
  return Result.mapBoth(decoded, {
    onSuccess: (params) => ({ params, unknown }),
    onFailure: ({ issue }) => report(spec, formatIssue(issue).issues.map((one) => issueLine(spec, shaped, one)), unknown)
  })
}

const toRecord = (raw: Schema.Json): Schema.JsonObject | undefined => {
  if (raw === null || raw === "") return {}
  const value = ParamSchema.coerce({ type: "object" }, raw)
  return ParamSchema.isObject(value) ? value as Schema.JsonObject : undefined
}

/** Aliases and other spellings (`startLine`, `Start-Line`) become our names unless ours was given. */
const rename = <P>({ paramAliases = {} }: ParamDecoder<P>, spec: ToolSpec, record: Schema.JsonObject): Schema.JsonObject => {
  const canonicalNames = new Map([
    ...Object.entries(paramAliases).map(([alias, name]) => [normalizeName(alias), name] as const),
    ...spec.params.map(({ name }) => [normalizeName(name), name] as const)
  ])
  const names = new Set(spec.params.map(({ name }) => name))
  const entries = Object.entries(record)
  const result = new Map(entries.filter(([key]) => names.has(key)))
  for (const [key, value] of entries) {
    const name = names.has(key) ? key : canonicalNames.get(normalizeName(key)) ?? key
    if ((result.get(name) ?? null) === null) result.set(name, value)
  }
  return Object.fromEntries(result)
}

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, "")

/** Each param coerced; an optional one that is null, or empty where no text is expected, counts as absent. */
const coerceParams = (spec: ToolSpec, record: Schema.JsonObject) => {
  const shaped: Record<string, Schema.Json> = {}
  const unknown: Array<string> = []
  const fields = new Map(ParamSchema.fields(spec.schema).map((field) => [field.name, field]))
  for (const [name, value] of Object.entries(record)) {
    const field = fields.get(name)
    if (field === undefined && isOpen(spec)) shaped[name] = value
    else if (field === undefined) unknown.push(name)
    else if (field.required || !isAbsent(field, value)) shaped[name] = ParamSchema.coerce(field.schema, value)
  }
  return { shaped, unknown }
}

/** Whether params that the schema does not name are still accepted: possibly for external tools, never for ours. */
const isOpen = ({ schema }: ToolSpec): boolean => schema.additionalProperties !== false

const isAbsent = ({ schema }: ParamSchema.Field, value: Schema.Json): boolean =>
  value === null || (typeof value === "string" && value.trim() === "" && schema.type !== "string")

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

type Issue = ReturnType<typeof formatIssue>["issues"][number]

const issueLine = (spec: ToolSpec, value: Schema.Json, { message, path = [] }: Issue): string => {
  const keys = path.map((part) => typeof part === "object" ? part.key : part)
  const actual = keys.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value)
  const schema = ParamSchema.at(spec.schema, keys)
  // Right type but rejected: the message names the violated bound.
  const expected = ParamSchema.hasType(schema, actual) ? message.replace(/^Expected /, "") : ParamSchema.typeName(schema)
  return `${pathText(keys)}: expected ${expected}, received ${describeValue(actual)}`
}

const pathText = (keys: ReadonlyArray<PropertyKey>): string =>
  keys.map((key, i) => typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${String(key)}`).join("") || "params"

/** The received value in a few words: never more than a line. */
const describeValue = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (ParamSchema.isObject(value)) return `an object with ${Object.keys(value).slice(0, 5).join(", ") || "no keys"}`
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…" (${text.length - 2} characters)` : text
}

const report = (spec: ToolSpec, issues: ReadonlyArray<string>, unknown: ReadonlyArray<string>): string =>
  [
    `${spec.name} was not run because its parameters are invalid:`,
    ...issues.map((issue) => `- ${issue}`),
    ...(unknown.length === 0 ? [] : [`Unknown parameters: ${unknown.join(", ")}.`]),
    `Parameters of ${spec.name}:`,
    ...spec.params.map((param) => paramLine(spec, param))
  ].join("\n")
