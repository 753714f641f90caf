/**
 * Tools that users define without code: a Markdown or JSON file with a description, a JSON Schema of the input, and a
 * command. The command is fixed text: arguments reach it in environment variables and on standard input only, so no
 * argument can become part of the program.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { optional } from "../Optional.ts"
import * as ParamSchema from "../tool/ParamSchema.ts"

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

/** How much a tool may hold: characters, and properties of its schema. */
export const limits = { name: 64, description: 4_000, command: 16_000, params: 50, value: 100_000 }

/** The variable in which a command finds an argument. The prefix keeps every name that programs obey (PATH, LD_PRELOAD) out of reach. */
export const variable = (param: string): string => `ARG_${param.replaceAll("-", "_").toUpperCase()}`

export interface Scan {
  /** The command with each variable in double quotes replaced. */
  readonly text: string
  /** The first variable that `value` does not know. */
  readonly unknown?: string
  /** The first one that stands elsewhere. */
  readonly unquoted?: string
}

/** Replaces `$ARG_NAME` and `${ARG_NAME}` in double quotes, so that each stays one text there. */
export const scan = (command: string, value: (name: string) => string | undefined): Scan => {
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
