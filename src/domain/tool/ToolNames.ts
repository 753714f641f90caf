/**
 * The names and inputs of tools as programs of other agents render them (`--tool-names claude`). Mapped at the edge alone: the log
 * and the model have dacapo's own.
 */
import * as Table from "../Table.ts"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SearchReplace from "../diff/SearchReplace.ts"

/** A call as a program sees it. */
export interface NamedCall {
  readonly name: string
  readonly input: Schema.Json
}

/** `call` renames a call, `params` turns an input that a program changed back into params of our tool. */
export interface ToolNames {
  readonly tool: (name: string) => string
  readonly call: (name: string, params: Schema.Json) => NamedCall
  readonly params: (name: string, input: Schema.JsonObject) => Schema.JsonObject
}

/** dacapo's own names. */
export const dacapo: ToolNames = {
  tool: (name) => name,
  call: (name, input) => ({ name, input }),
  params: (_, input) => input
}

type Params = Schema.JsonObject

/** `rename` maps our params to theirs; `to` and `from` convert what is more than a name. */
interface Mapping {
  readonly name: string
  readonly rename?: Readonly<Record<string, string>>
  readonly to?: (input: Params) => NamedCall | Params
  readonly from?: (input: Params) => Params
}

const lineCount = ({ end_line, start_line = 1 }: Params): Params =>
  typeof end_line === "number" && typeof start_line === "number" ? { limit: end_line - start_line + 1 } : {}

/** A diff of one block is an Edit; of several, a MultiEdit. */
const edits = ({ diff, ...input }: Params): NamedCall | Params => {
  if (typeof diff !== "string") return input
  const parsed = SearchReplace.parse(diff)
  if (Result.isFailure(parsed)) return { ...input, diff }
  const blocks = parsed.success.files.flatMap((file) => file._tag === "Update" ? file.blocks : [])
  const replacements = blocks.map(({ replace, search }) => ({ old_string: search.join("\n"), new_string: replace.join("\n") }))
  return replacements.length === 1 ? { ...input, ...replacements[0]! } : { name: "MultiEdit", input: { ...input, edits: replacements } }
}

const list = (value: Schema.Json | undefined): ReadonlyArray<Schema.Json> => Array.isArray(value) ? value : []
const isRecord = (value: Schema.Json): value is Params => typeof value === "object" && value !== null && !Array.isArray(value)

const claudeTools: Readonly<Record<string, Mapping>> = {
  run_command: {
    name: "Bash",
    rename: { background: "run_in_background" },
    to: ({ timeout, ...input }) => typeof timeout === "number" ? { ...input, timeout: timeout * 1000 } : input,
    from: ({ description: _, timeout, ...input }) => typeof timeout === "number" ? { ...input, timeout: timeout / 1000 } : input
  },
  read_file: {
    name: "Read",
    rename: { path: "file_path" },
    to: ({ end_line, start_line, ...input }) => ({
      ...input,
      ...(start_line === undefined ? {} : { offset: start_line }),
      ...lineCount({ ...(end_line === undefined ? {} : { end_line }), ...(start_line === undefined ? {} : { start_line }) })
    }),
    from: ({ limit, offset, ...input }) => ({
      ...input,
      ...(offset === undefined ? {} : { start_line: offset }),
      ...(typeof limit === "number" ? { end_line: (typeof offset === "number" ? offset : 1) + limit - 1 } : {})
    })
  },
  write_file: { name: "Write", rename: { path: "file_path" } },
  edit_file: { name: "Edit", rename: { path: "file_path", old_text: "old_string", new_text: "new_string" }, to: edits },
  search_files: { name: "Grep", rename: { regex: "pattern", file_pattern: "glob", context: "-C" } },
  list_files: {
    name: "Glob",
    to: ({ max_depth: _, recursive, ...input }) => ({ ...input, pattern: recursive === true ? "**/*" : "*" }),
    from: ({ pattern, ...input }) => ({ ...input, recursive: typeof pattern === "string" && pattern.includes("**") })
  },
  update_todo: {
    name: "TodoWrite",
    to: ({ items }) => ({
      todos: list(items).filter(isRecord).map(({ state, text = "" }) => ({
        content: text,
        activeForm: text,
        status: state === "done" ? "completed" : state ?? "pending"
      }))
    }),
    from: ({ todos }) => ({
      items: list(todos).filter(isRecord).map(({ content = "", status }) => ({
        text: content,
        state: status === "completed" ? "done" : status ?? "pending"
      }))
    })
  },
  fetch_url: { name: "WebFetch", to: (input) => ({ ...input, prompt: "" }), from: ({ prompt: _, ...input }) => input },
  web_search: { name: "WebSearch" },
  delegate: {
    name: "Task",
    to: ({ tasks }) => {
      const all = list(tasks).filter(isRecord)
      const [first = {}] = all
      return all.length === 1
        ? { description: first["name"] ?? "Subagent", prompt: first["prompt"] ?? "", subagent_type: first["agent"] ?? "general-purpose" }
        : {
          description: `${all.length} tasks`,
          prompt: all.map(({ prompt = "" }) => prompt).join("\n\n"),
          subagent_type: "general-purpose",
          tasks: all
        }
    }
  },
  present_plan: { name: "ExitPlanMode" }
}

const byTheirName: ReadonlyMap<string, Mapping> = new Map(Object.values(claudeTools).map((mapping) => [mapping.name, mapping]))

const renameKeys = (input: Params, names: Readonly<Record<string, string>>): Params =>
  Object.fromEntries(Object.entries(input).map(([key, value]) => [Table.entry(names, key) ?? key, value]))

const inverse = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).map(([ours, theirs]) => [theirs, ours]))

/** The names of Claude Code. Tools that it lacks keep ours. */
export const claude: ToolNames = {
  tool: (name) => Table.entry(claudeTools, name)?.name ?? name,
  call: (name, params) => {
    const mapping = Table.entry(claudeTools, name)
    if (mapping === undefined || !isRecord(params)) return { name, input: params }
    const converted = mapping.to?.(params) ?? params
    const [title, input] = "name" in converted && "input" in converted && typeof converted.name === "string"
      ? [converted.name, converted.input as Params]
      : [mapping.name, converted as Params]
    return { name: title, input: renameKeys(input, mapping.rename ?? {}) }
  },
  params: (name, input) => {
    const mapping = Table.entry(claudeTools, name) ?? byTheirName.get(name)
    if (mapping === undefined) return input
    const renamed = renameKeys(input, inverse(mapping.rename ?? {}))
    return mapping.from?.(renamed) ?? renamed
  }
}
