/** A tool as a model is told of it, and as the parsers know it: pure data, made from one Tool definition. */
import * as Schema from "effect/Schema"
import * as ParamSchema from "./ParamSchema.ts"

/** `raw` params hold text that may look like tags (file content, patches) and lose one newline at each end, nothing else. */
export interface ParamSpec {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly raw: boolean
}

/** `schema` is JSON Schema (draft 2020-12) of the params object without `$ref`; closed, unless others wrote it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly params: ReadonlyArray<ParamSpec>
  readonly schema: Schema.JsonObject
  /** Other names under which the tool answers; never advertised. */
  readonly aliases: ReadonlyArray<string>
}

/** What a spec is made from: the pure half of a Tool. */
export interface Told {
  readonly name: string
  readonly description: string
  readonly params: Schema.Codec<any, any>
  readonly schema?: Schema.JsonObject
  readonly aliases?: ReadonlyArray<string>
  readonly raw?: ReadonlyArray<string>
}

/** The spec of a tool whose `params` is a Schema.Struct, or that has a schema of its own; descriptions come from the fields' annotations. */
export const fromParams = ({ aliases = [], description, name, params, raw = [], schema = ParamSchema.fromSchema(params) }: Told): ToolSpec => {
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

/** How much is said of each tool where the room is short. */
export type Detail = "full" | "short" | "names"

/** The tool as prose and an example of a call in XML, for models that are told their tools in the prompt. */
export const toXml = (spec: ToolSpec, detail: Detail = "full"): string => {
  if (detail === "names") return `- ${spec.name}(${spec.params.map(nameOf).join(", ")})`
  const head = `## ${spec.name}\n${detail === "full" ? spec.description : firstSentence(spec.description)}`
  const params = spec.params.map((param) => paramLine(spec, param, detail))
  return [head, ...params, example(spec)].join("\n")
}

/** One line of a param: `- path (string, required): The file.` */
export const paramLine = (spec: ToolSpec, { description, name, required }: ParamSpec, detail: Detail = "full"): string => {
  const type = ParamSchema.typeName(ParamSchema.property(spec.schema, name) ?? {})
  const about = detail === "full" ? description : ""
  return `- ${name} (${type}${required ? ", required" : ""})${about === "" ? "" : `: ${about}`}`
}

const nameOf = ({ name, required }: ParamSpec): string => required ? name : `${name}?`

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0] ?? text

/** A call with the params that most calls have: the required ones, and the first that holds text. */
const example = ({ name, params }: ToolSpec): string => {
  const required = params.filter((param) => param.required)
  const text = params.find((param) => param.raw)
  const shown = text === undefined || required.includes(text) ? required : [...required, text]
  return [
    `<${name}>`,
    ...shown.map((param) =>
      param.raw ? `<${param.name}>\n…\n</${param.name}>` : `<${param.name}>…</${param.name}>`
    ),
    `</${name}>`
  ].join("\n")
}
