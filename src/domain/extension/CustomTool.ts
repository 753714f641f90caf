/**
 * Tools that users define without code: a Markdown or JSON file with a description, a JSON Schema of the input, and a
 * command. The command is fixed text: arguments reach it in environment variables and on standard input only, so no
 * argument can become part of the program.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Yaml from "effect/encoding/Yaml"
import { optional } from "../Optional.ts"
import * as ToolName from "../approval/ToolName.ts"
import * as ParamSchema from "../tool/ParamSchema.ts"
import { analyse, flatten } from "../tool/CommandLine.ts"

/**
 * A tool of a session besides the built-in ones and those of MCP servers, as the log records it: so a session replays
 * without the file or the plugin that defined it. `Command` runs bash, `Code` a function of a plugin. `plugin` is the
 * plugin that brought it, `root` its folder. `result`: the command prints a view as JSON (tool/ResultView).
 */
export const CustomTool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  schema: Schema.Record(Schema.String, Schema.Json),
  run: Schema.Union([
    Schema.TaggedStruct("Command", {
      command: Schema.String,
      timeout: Schema.optionalKey(Schema.Finite),
      result: Schema.optionalKey(Schema.Literal("view")),
      plugin: Schema.optionalKey(Schema.Struct({ name: Schema.String, root: Schema.String }))
    }),
    Schema.TaggedStruct("Code", { plugin: Schema.String })
  ])
}).annotate({ identifier: "CustomTool" })
export type CustomTool = typeof CustomTool.Type

/** A tool that runs a command. */
export interface CommandTool extends CustomTool {
  readonly run: Extract<CustomTool["run"], { readonly _tag: "Command" }>
}

const limits = { name: 64, description: 4_000, command: 16_000, params: 50, value: 100_000 }

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

/** The variable in which a command finds an argument. The prefix keeps every name that programs obey (PATH, LD_PRELOAD) out of reach. */
export const variable = (param: string): string => `ARG_${param.replaceAll("-", "_").toUpperCase()}`

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

interface Scan {
  /** The command with each variable in double quotes replaced. */
  readonly text: string
  /** The first variable that `value` does not know. */
  readonly unknown?: string
  /** The first one that stands elsewhere. */
  readonly unquoted?: string
}

/** Replaces `$ARG_NAME` and `${ARG_NAME}` in double quotes, so that each stays one text there. */
const scan = (command: string, value: (name: string) => string | undefined): Scan => {
  let text = ""
  let quote = ""
  let unknown: string | undefined
  let unquoted: string | undefined
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!
    const reference = char === "$" && quote !== "'"
      ? /^\$\{?(?:ARG_\w+|(?:CLAUDE|DACAPO)_PLUGIN_ROOT\b)(?:[^}"'\s/]*\})?/.exec(command.slice(at))?.[0] : undefined
    if (reference !== undefined) {
      const [, plain, braced] = /^\$(?:(\w+)|\{(\w+)\})$/.exec(reference) ?? []
      const name = plain ?? braced
      const replacement = name === undefined ? undefined : value(name)
      if (quote !== "\"" || name === undefined) unquoted ??= reference
      else if (replacement === undefined) unknown ??= name
      if (quote === "\"" && name !== undefined && replacement !== undefined) {
        text += replacement.replaceAll(/[\\"$`]/g, "\\$&")
        at += (plain === undefined ? name.length + 3 : name.length + 1) - 1
        continue
      }
    } else if (char === "\\" && quote !== "'") {
      text += char + (command[++at] ?? "")
      continue
    } else if (quote === "" && (char === "'" || char === "\"")) quote = char
    else if (char === quote) quote = ""
    text += char
  }
  return { text, ...optional({ unknown, unquoted }) }
}

/**
 * The command that an input runs, for rules and people: the arguments stand where their variables are, each as one quoted
 * text. It is never run: the shell gets the file's own text.
 */
export const commandLine = ({ run: { command, plugin }, schema }: CommandTool, input: Schema.JsonObject): string => {
  const values = new Map(Object.entries({ ...noArguments(schema), ...Result.getOrElse(environment(input), () => ({})) }))
  return scan(command, (name) => rootVariables.includes(name) ? plugin?.root : values.get(name)).text
}

/** The variables that stand for a plugin's folder in its hooks, servers and tools. */
export const rootVariables: ReadonlyArray<string> = ["CLAUDE_PLUGIN_ROOT", "DACAPO_PLUGIN_ROOT"]

/**
 * What a command gets for an input: each argument in its variable, a text as it is and anything else as JSON; and the
 * whole input as JSON on standard input. A failure is a report for the model.
 */
export const environment = (input: Schema.JsonObject): Result.Result<Readonly<Record<string, string>>, string> => {
  const entries = Object.entries(input).filter(([name]) => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name))
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const)
  const invalid = entries.find(([, value]) => value.includes("\0"))
  const long = entries.find(([, value]) => value.length > limits.value)
  return invalid !== undefined ? Result.fail(`${invalid[0]} contains a NUL character, which no command can be given.`)
    : long !== undefined ? Result.fail(`${long[0]} is longer than ${limits.value} characters.`)
    : Result.succeed(Object.fromEntries(entries.map(([name, value]) => [variable(name), value])))
}

/** The variables of all arguments that a schema names, empty. */
export const noArguments = (schema: Schema.JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(ParamSchema.fields(schema).map(({ name }) => [variable(name), ""]))

/** The model's name for a tool of a plugin: `plugin__<plugin>__<tool>`; undefined if it is too long for every provider. */
export const pluginToolName = (plugin: string, tool: string): string | undefined => {
  const name = `plugin__${plugin}__${tool}`
  return name.length <= limits.name ? name : undefined
}
