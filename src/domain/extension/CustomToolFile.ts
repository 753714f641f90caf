/** Reads the file of a custom tool, and refuses one whose command could take an argument for a part of the program. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Yaml from "effect/encoding/Yaml"
import { optional } from "../Optional.ts"
import * as ToolName from "../approval/ToolName.ts"
import { analyse, flatten } from "../tool/CommandLine.ts"
import * as ParamSchema from "../tool/ParamSchema.ts"
import { type CommandTool, limits, rootVariables, scan, variable } from "./CustomTool.ts"

/** The fields of a file; a Markdown file may have the command as its code block instead. */
const File = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  description: Schema.String,
  schema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  command: Schema.optionalKey(Schema.String),
  timeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 3600 })))),
  result: Schema.optionalKey(Schema.Literal("view"))
})
const decode = Schema.decodeUnknownResult(File, { onExcessProperty: "error" })

/** The tool that a file defines; `file` is its name, with `.md` or `.json`. A failure says what is wrong with it. */
export const parse = (file: string, text: string): Result.Result<CommandTool, string> =>
  Result.gen(function*() {
    const stem = file.replace(/\.(?:md|json)$/, "")
    const { body, data } = file.endsWith(".json") ? { data: yield* parseJson(text), body: "" } : yield* parseMarkdown(text)
    const fields = yield* Result.mapError(decode(data), ({ message }) => message.replaceAll("\n", " "))
    const { description, name = stem, result, timeout } = fields
    const command = (fields.command ?? codeBlock(body) ?? "").trim()
    const schema = normalizeSchema(fields.schema ?? {})
    const problem = nameProblem(name) ?? (description.trim() === "" ? "its description is empty" : undefined) ??
      (description.length > limits.description ? `its description is longer than ${limits.description} characters` : undefined) ??
      schemaProblem(schema) ?? commandProblem(command, schema)
    if (problem !== undefined) return yield* Result.fail(problem)
    return { name, description: description.trim(), schema, run: { _tag: "Command", command, ...optional({ timeout, result }) } } as const
  })

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.mapError(Result.try(() => JSON.parse(text) as unknown), (error) => `it is not JSON: ${(error as Error).message}`)

const parseMarkdown = (text: string): Result.Result<{ readonly data: unknown; readonly body: string }, string> => {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (match === null) return Result.fail("it has no frontmatter: begin with a line of ---, the fields, and another line of ---")
  return Result.mapBoth(Result.try(() => Yaml.parse(match[1]!)), {
    onFailure: () => "its frontmatter is not valid YAML",
    onSuccess: (data) => ({ data, body: text.slice(match[0].length) })
  })
}

/** The text of the only code block. */
const codeBlock = (body: string): string | undefined => {
  const blocks = [...body.matchAll(/^```(?:bash|sh|shell)?[ \t]*\r?\n([\s\S]*?)^```[ \t]*$/gm)]
  return blocks.length === 1 ? blocks[0]![1]! : undefined
}

/** Arguments that the schema does not name are refused, unless it says that they are welcome. */
const normalizeSchema = (schema: Schema.JsonObject): Schema.JsonObject => ({
  additionalProperties: false,
  properties: {},
  ...ParamSchema.inlineRefs(schema)
})

const builtinNames = new Set(ToolName.builtinTools.map(({ name }) => name.toLowerCase()))

const nameProblem = (name: string): string | undefined =>
  !/^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/.test(name) || name.length > limits.name
    ? `its name ${
      JSON.stringify(name.slice(0, 80))
    } must consist of lower-case letters, digits and single "_" or "-", beginning with a letter, with at most ${limits.name} characters`
    : builtinNames.has(name) ? `${name} is the name of a built-in tool`
    : undefined

const schemaProblem = (schema: Schema.JsonObject): string | undefined => {
  const names = ParamSchema.fields(schema).map(({ name }) => name)
  const invalid = names.find((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
  const repeated = names.find((name, i) => names.findIndex((other) => variable(other) === variable(name)) < i)
  return schema["type"] !== "object" ? "its schema must describe an object"
    : names.length > limits.params ? `its schema has more than ${limits.params} properties`
    : invalid !== undefined ? `its property ${JSON.stringify(invalid.slice(0, 80))} must consist of letters, digits, "_" and "-"`
    : repeated !== undefined ? `its property ${repeated} would share the variable ${variable(repeated)} with another one`
    : undefined
}

const commandProblem = (command: string, schema: Schema.JsonObject): string | undefined => {
  if (command === "") return "it has no command: set `command`, or write one code block below the frontmatter"
  if (command.length > limits.command) return `its command is longer than ${limits.command} characters`
  const example = `"$${variable(ParamSchema.fields(schema)[0]?.name ?? "name")}"`
  if (/\{\{[^}]*\}\}|\$(?:ARGUMENTS|\{ARGUMENTS)/.test(command))
    return `its command has a placeholder to paste arguments into; use the variables instead, as in ${example}`
  const construct = unsafeConstruct(command)
  if (construct !== undefined)
    return `its command uses ${construct}, where the shell may run a part of an argument; move that into a script`
  const variables = new Set(ParamSchema.fields(schema).map(({ name }) => variable(name)))
  const { unknown, unquoted } = scan(command, (name) => variables.has(name) || rootVariables.includes(name) ? "" : undefined)
  return unquoted !== undefined
    ? `its command uses ${unquoted} outside of double quotes, or in another form than ${example}; in any other place the shell may change it`
    : unknown !== undefined ? `its command uses ${unknown}, which no property of the schema sets`
    : undefined
}

/** Where bash computes with a text or takes it for the name of a variable: `a[$(…)]` would run there. */
const unsafeConstruct = (command: string): string | undefined => {
  const construct = /\b(?:printf|test|wait)\s+(?:-\w+\s+)*-[pRv]\b|\[\s+-[Rv]\b|\(\(|\$\[|\[\[|\$\{!|\$\{[^}]*\$|<</.exec(command)?.[0]
  if (construct !== undefined) return construct
  if (/(?:^|\s)#.*["'`]/m.test(command)) return "quotes in a comment"
  return flatten(analyse(command).parts).map(({ name }) => name).find((name) => name !== undefined && evaluatingBuiltins.has(name))
}

const evaluatingBuiltins = new Set(
  ". alias declare eval export getopts let local mapfile read readarray readonly source trap typeset unset".split(" ")
)
