/** Short descriptions of tool calls, pauses, compactions and changes of the model. */
import { Access, type TypedInput } from "../../../domain/tool/Access.ts"
import { type SafeText, text } from "./DisplayText.ts"
import * as Model from "../../../domain/provider/Model.ts"
import { alternatives } from "../../../domain/provider/SimilarNames.ts"
import type { IncludedFile, Settled } from "../../../domain/session/SessionEvent.ts"
import { plural, thousands } from "./Quantity.ts"
import type { Status } from "./ViewState.ts"

/** Keeps a name on one line, so that it can't imitate other output. */
const line = (name: string): string => name.replaceAll("\n", "␤")

/** What built-in tools do, where their names say it in other words: a call reads the same before, while and after it runs. */
const titles: Readonly<Record<string, string>> = {
  apply_patch: "edit",
  command_input: "type into a command",
  command_output: "read command output",
  edit_file: "edit",
  fetch_url: "fetch",
  list_files: "list",
  mcp_guide: "read the MCP guide",
  read_file: "read",
  run_command: "run",
  search_code: "search the code for",
  search_files: "search",
  web_search: "search the web for",
  write_file: "write"
}

/** A built-in tool's title or name with spaces; an MCP tool as its access is shown. */
export const toolTitle = (tool: string): string => {
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? []
  return name !== undefined ? `call ${line(name)} (MCP server ${line(server!)})`
    : Object.hasOwn(titles, tool) ? titles[tool]! : line(tool).replaceAll("_", " ").replace(/^mcp /, "MCP ")
}

/** The object of an access: a path, a command, a URL or a tool. */
export const subject = (access: Access): string =>
  Access.match(access, {
    Read: ({ path }) => line(path),
    Edit: ({ path }) => line(path),
    Command: ({ command, input }) => input === undefined ? command : `${typedInput(input)} into ${command}`,
    Fetch: ({ url }) => line(url),
    Browse: ({ url }) => line(url),
    Mcp: ({ server, tool }) => `${line(tool)} (MCP server ${line(server)})`,
    Other: ({ input, tool }) => [toolTitle(tool), ...paramTexts(input).slice(0, 2)].join(" ")
  })

/** A short description of an access, as in `edit src/index.ts`. */
export const describeAccess = (access: Access): string =>
  Access.match(access, {
    Read: () => `read ${subject(access)}`,
    Edit: ({ kind }) => `${kind === "modify" ? "edit" : kind} ${subject(access)}`,
    Command: ({ background, input, terminal }) =>
      input !== undefined ? `type ${subject(access)}` : `run ${subject(access)}${commandNote(background, terminal)}`,
    Fetch: () => `fetch ${subject(access)}`,
    Browse: () => `open ${subject(access)}`,
    Mcp: () => `call ${subject(access)}`,
    Other: () => subject(access)
  })

/** What is typed: the text in quotation marks, then the keys, as in `"yes" Enter`. */
export const typedInput = ({ keys, text }: TypedInput): string => [...text === "" ? [] : [JSON.stringify(text)], ...keys].join(" ")

const commandNote = (background = false, terminal = false): string =>
  `${background ? " (in the background)" : ""}${terminal ? " (in a pseudo-terminal)" : ""}`

/** The name under which the start of an MCP server asks. */
const mcpStart = "mcp"

/** Whether the question of approval names what the access refers to; else it is listed below it. `tool` is what asks. */
export const isNamedByQuestion = ({ _tag }: Access, tool?: string): boolean =>
  tool !== mcpStart && (_tag === "Read" || _tag === "Edit" || _tag === "Fetch" || _tag === "Browse")

/** The parameters of a call, one or more lines each: nothing of them is left out. */
export const paramLines = (params: unknown): ReadonlyArray<string> =>
  typeof params !== "object" || params === null || Array.isArray(params) ? params === undefined ? [] : [JSON.stringify(params)]
    : Object.entries(params).flatMap(([name, value]) => {
      const lines = (typeof value === "string" ? value : JSON.stringify(value)).split("\n")
      return lines.length === 1 ? [`${line(name)}: ${lines[0]}`] : [`${line(name)}:`, ...lines.map((one) => `  ${one}`)]
    })

/** The question that asks for approval. `tool` is what asks. */
export const question = (accesses: ReadonlyArray<Access>, tool?: string): SafeText => {
  const [access] = accesses
  if (tool === mcpStart) return text(access?._tag === "Fetch" ? "Connect to this MCP server?" : "Start this MCP server?")
  if (access === undefined) return text("Use this tool?")
  if (accesses.length > 1) return text("Allow these actions?")
  if (isNamedByQuestion(access)) return label(`${describeAccess(access)}?`)
  return text(
    access._tag === "Command" && access.input !== undefined ? "Type this into the running command?" :
      access._tag === "Command" ? `Run this command${commandNote(access.background, access.terminal).replaceAll(/[()]/g, "")}?`
      : access._tag === "Mcp" ? "Call this MCP tool?" : "Use this tool?"
  )
}

/** A description in sentence case; the names of MCP tools stay as they are. */
export const label = (description: string): SafeText => {
  const safe = text(description)
  return (/^[a-z]+(?: |$)/.test(safe) ? safe[0]!.toUpperCase() + safe.slice(1) : safe) as SafeText
}

/** A call whose accesses are not known yet: its title and first parameter, or the files of a patch. */
export const describeCall = (name: string, params: unknown): SafeText => {
  const texts = name === "apply_patch" ? patchedFiles(params) : name.startsWith("mcp__") ? [] : paramTexts(params).slice(0, 1)
  return label([toolTitle(name), ...texts].join(" "))
}

/** The files that a patch names so far. */
const patchedFiles = (params: unknown): ReadonlyArray<string> => {
  const patch = typeof params === "object" && params !== null && "patch" in params ? String(params.patch) : ""
  const paths = [...patch.matchAll(/^\*\*\* (?:Add|Delete|Update) File: (.+)$/gm)].map(([, path]) => line(path!))
  return paths.length === 0 ? [] : [paths.join(", ")]
}

/** A read-only call with its parameters, as in `search tax in src`. */
export const describeRead = (name: string, params: unknown): SafeText => {
  const { path, ...others } = typeof params === "object" && params !== null ? params as Readonly<Record<string, unknown>> : {}
  const texts = paramTexts(others)
  return label(
    texts.length === 0 || typeof path !== "string" ? [toolTitle(name), ...paramTexts(params)].join(" ")
      : [toolTitle(name), ...texts, ...(path === "." || path === "" ? [] : ["in", line(path)])].join(" ")
  )
}

/** The first line of each text parameter; for a list, the first text of each item, joined. */
const paramTexts = (params: unknown): ReadonlyArray<string> =>
  typeof params !== "object" || params === null ? [] : Object.values(params).flatMap((value) =>
    typeof value === "string" ? [line(value.trim().split("\n", 1)[0]!.slice(0, 120))]
      : Array.isArray(value) ? [
        value.flatMap((one) =>
          paramTexts(one).slice(0, 1)
        ).join(" · ")
      ].filter((item) => item !== "")
      : []
  )

/** A pause in ms or s. */
export const seconds = (ms: number): string => ms < 1000 ? `${Math.round(ms)} ms` : `${Math.ceil(ms / 1000)} s`

// The preview of a call that is being written: the end of its growing text, as a diff.

/** The diff sign of each previewed parameter. */
const signs: Readonly<Record<string, string>> = { old_text: "-", new_text: "+", content: "+", patch: "", command: "" }

/** How many characters of the end are processed per frame. */
const maxCharacters = 2_000

/** The last lines of the last parameter; empty if it has no preview. */
export const previewLines = (params: unknown): ReadonlyArray<SafeText> => {
  const [name, value] = typeof params === "object" && params !== null ? Object.entries(params).at(-1) ?? [] : []
  const sign = name !== undefined && Object.hasOwn(signs, name) ? signs[name]! : undefined
  if (sign === undefined || typeof value !== "string") return []
  const tail = value.length <= maxCharacters ? value : value.slice(value.indexOf("\n", value.length - maxCharacters) + 1)
  return text(tail).split("\n").slice(-maxLines).map((line) => `${sign}${line}` as SafeText)
}

/** The length of all text parameters, in UTF-16 units. */
export const writtenLength = (params: unknown): number =>
  typeof params !== "object" || params === null ? 0
    : Object.values(params).reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)

/** The height of the preview. */
const maxLines = 8

/** A compaction as a sentence. */
export const describe = ({ after, before, failed, kind, why }: Extract<Settled, { _tag: "ContextCompacted" }>): string => {
  const result = before === after ? "Nothing to compact yet."
    : `${passes[kind]}: the conversation went from about ${thousands(before)} to ${thousands(after)} tokens.`
  const reason = { full: "The context window is full. ", refused: "The provider rejected the request as too long. ", asked: "" }[why]
  return `${reason}${failed === undefined ? "" : `No summary: ${failed} `}${result}`
}

const passes = {
  duplicates: "Removed duplicate content",
  shorten: "Shortened earlier results",
  summary: "Summarised earlier turns",
  truncate: "Removed earlier turns"
} as const

/** What follows after a failure: another model, or the same one with other tool calls. */
export const modelSwitch = ({ model }: Status, event: Extract<Settled, { readonly _tag: "FallbackTaken" }>): string =>
  model === Model.title(event.model) && event.toolFormat === "xml" ? "Describing tools as XML from now on."
    : `Switching ${event.place === 0 ? "back " : ""}to ${Model.title(event.model)}.`

/** What is assumed about a model that is not in the catalogue. */
export const assumedModel = ({ model: { id, images, similar = [], window }, toolFormat }: Model.ModelChoice): string =>
  `${id} is not in the model catalogue.${similar.length === 0 ? "" : ` Did you mean ${alternatives(similar)}?`} ` +
  `Assuming a context window of ${thousands(window)} tokens, ${toolFormat === "native" ? "native tools" : "tools as XML"}, ` +
  `${images ? "images" : "text only"}, and no price.`

/** How many of the files that were included automatically are named; `/context` shows what they cost. */
const maxIncludedNames = 8

/** Names the files that were included automatically: they cost tokens. */
export const includedFiles = (files: ReadonlyArray<IncludedFile>): string => {
  const names = files.slice(0, maxIncludedNames).map(({ path }) => path).join(", ")
  const others = files.length - maxIncludedNames
  return `Included automatically: ${names}${others > 0 ? ` and ${plural(others, "more file")}` : ""}`
}
