/** A tool as it is described to a model, and as the parsers know it: pure data, made from one Tool definition. */
import * as Schema from "effect/Schema"
import * as ParamSchema from "./ParamSchema.ts"

/** `raw` params hold text that may look like tags (file content, patches); they lose one newline at each end, nothing else. */
export interface ParamSpec {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly raw: boolean
}

/** `schema` is JSON Schema (draft 2020-12) of the params object without `$ref`; closed, unless written by others. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly params: ReadonlyArray<ParamSpec>
  readonly schema: Schema.JsonObject
  /** Other names that the tool accepts; never advertised. */
  readonly aliases: ReadonlyArray<string>
}

/** What a spec is made from: the pure half of a Tool. */
export interface SpecSource {
  readonly name: string
  readonly description: string
  readonly params: Schema.Codec<any, any>
  readonly schema?: Schema.JsonObject
  readonly aliases?: ReadonlyArray<string>
  readonly raw?: ReadonlyArray<string>
}

/**
 * The spec of a tool whose `params` is a Schema.Struct, or that has its own schema; descriptions come from the fields' annotations.
 */
export const fromParams = (
  { aliases = [], description, name, params, raw = [], schema = ParamSchema.fromSchema(params) }: SpecSource
): ToolSpec => {
  return {
    name,
    description,
    schema,
    aliases,
    params: ParamSchema.fields(schema).map((field) => ({
      name: field.name,
      description: typeof field.schema.description === "string" ? field.schema.description : "",
      required: field.required,
      raw: raw.includes(field.name)
    }))
  }
}

/**
 * The spec for a model that knows such tools well: without the descriptions of `plain` params, at any depth, and without the closing
 * of objects, which decoding enforces.
 */
export const concise = (spec: ToolSpec, plain: ReadonlyArray<string> = []): ToolSpec => ({
  ...spec,
  schema: ParamSchema.concise(spec.schema, new Set(plain))
})

/** In the order of `fromParams`, so that encoding again gives the same bytes. */
const Stored = Schema.fromJsonString(Schema.Array(Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json),
  aliases: Schema.Array(Schema.String),
  params: Schema.Array(Schema.Struct({
    name: Schema.String,
    description: Schema.String,
    required: Schema.Boolean,
    raw: Schema.Boolean
  }))
})))

/** Tools as a log stores them, so that a replay offers the same ones. */
export const encode = (specs: ReadonlyArray<ToolSpec>): string =>
  JSON.stringify(specs.map(({ aliases, description, name, params, schema }) => ({ name, description, schema, aliases, params })))

/** Decodes what `encode` wrote. */
export const decode = Schema.decodeUnknownEffect(Stored)

/** How much to say about each tool when space is short. */
export type Detail = "full" | "short" | "names"

/** The tool as prose with an example call in XML, for models whose tools are described in the prompt. */
export const toXml = (spec: ToolSpec, detail: Detail = "full"): string => {
  if (detail === "names") return `- ${spec.name}(${spec.params.map(nameOf).join(", ")})`
  const head = `## ${spec.name}\n${detail === "full" ? spec.description : firstSentence(spec.description)}`
  const params = spec.params.map((param) => paramLine(spec, param, detail))
  return [head, ...params, example(spec)].join("\n")
}

/** The line of a param: `- path (string, required): The file.` */
export const paramLine = (spec: ToolSpec, { description, name, required }: ParamSpec, detail: Detail = "full"): string => {
  const type = ParamSchema.typeName(ParamSchema.property(spec.schema, name) ?? {})
  const detailText = detail === "full" ? description : ""
  return `- ${name} (${type}${required ? ", required" : ""})${detailText === "" ? "" : `: ${detailText}`}`
}

const nameOf = ({ name, required }: ParamSpec): string => required ? name : `${name}?`

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text

/** A typical call: the required params, and the first that holds text. */
const example = ({ name, params }: ToolSpec): string => {
  const required = params.filter((param) => param.required)
  const text = params.find((param) => param.raw)
  const exampleParams = text === undefined || required.includes(text) ? required : [...required, text]
  return [
    `<${name}>`,
    ...exampleParams.map((param) => param.raw ? `<${param.name}>\n…\n</${param.name}>` : `<${param.name}>…</${param.name}>`),
    `</${name}>`
  ].join("\n")
}
