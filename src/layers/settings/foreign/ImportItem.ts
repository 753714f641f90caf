/** What an import takes from another agent, as data: each item is written once, or says why it is not. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Mode from "../../../domain/approval/Mode.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import * as ToolName from "../../../domain/approval/ToolName.ts"
import { SettingsFile } from "../../../domain/config/Settings.ts"
import { HookSettings } from "../../../domain/hook/Hook.ts"
import * as Definition from "../../../domain/mcp/Definition.ts"
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import { keyNames } from "../../search/KeyedServices.ts"

/**
 * `list`: a value that is added to a list of the settings; `value`: one setting, or one entry of a map; `file`: a new file in dacapo's
 * folder; `key`: an API key, saved under the name of its variable; `inPlace`: dacapo reads the original; `skipped`: there is no
 * equivalent. `title` names it in the report.
 */
export type ImportItem =
  | { readonly _tag: "list"; readonly title: string; readonly path: ReadonlyArray<string>; readonly value: Schema.Json }
  | { readonly _tag: "value"; readonly title: string; readonly path: ReadonlyArray<string>; readonly value: Schema.Json }
  | { readonly _tag: "file"; readonly title: string; readonly path: string; readonly text: string }
  | { readonly _tag: "key"; readonly title: string; readonly variable: string; readonly key: Redacted.Redacted }
  | { readonly _tag: "inPlace"; readonly title: string }
  | { readonly _tag: "skipped"; readonly title: string; readonly why: string }

/** A file of another agent, or with an `ending` a folder: each file in it with this ending is converted. */
export interface Source {
  readonly path: string
  readonly scope: "project" | "user"
  readonly ending?: string
  readonly convert: (text: string, name: string) => ReadonlyArray<ImportItem>
}

/** Where agents have their files. */
export interface Places {
  readonly home: string
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
}

export interface ForeignAgent {
  readonly name: string
  readonly title: string
  readonly sources: (places: Places) => ReadonlyArray<Source>
}

export const skipped = (title: string, why: string): ImportItem => ({ _tag: "skipped", title, why })

export const inPlace = (title: string): ImportItem => ({ _tag: "inPlace", title })

const toolNames = ToolName.builtinTools.map(({ name }) => name)

/** Tools of Claude Code that do what Edit does. To allow one of its other tools under our name could allow more than was meant. */
const editTools = ["MultiEdit", "Write"]

/** A rule under the name of our tool; an invalid one is reported, since it may be what protects something. */
export const rule = (list: "allow" | "ask" | "deny", text: unknown): ImportItem => {
  const title = `${list} rule ${typeof text === "string" ? text : JSON.stringify(text)}`
  if (typeof text !== "string") return skipped(title, "it is not a text")
  const [, tool = "", rest = ""] = /^([^(]*)(.*)$/s.exec(text.trim()) ?? []
  const exactName = editTools.includes(tool) ? "Edit" : toolNames.find((name) => name.toLowerCase() === tool.toLowerCase())
  const value = `${exactName ?? (list === "allow" ? undefined : ToolName.resolveSpelling(tool, toolNames)) ?? tool}${rest}`
  const compiled = Rule.compile({ [list]: [value] })
  return Result.isFailure(compiled) ? skipped(title, compiled.failure.problem)
    : { _tag: "list", title: value === text ? title : `${title} as ${value}`, path: ["permissions", list], value }
}

/** A definition in the common format. */
export const server = (name: string, entry: unknown): ImportItem => {
  const title = `MCP server ${name}`
  const parsed = Definition.parse(name, entry)
  const ignoredKeys = Definition.ignoredKeys(entry)
  return Result.isFailure(parsed) ? skipped(title, parsed.failure) : {
    _tag: "value",
    title: ignoredKeys.length === 0 ? title : `${title} (without effect: ${ignoredKeys.join(", ")})`,
    path: ["mcpServers", name],
    value: entry as Schema.Json
  }
}

export const servers = (entries: unknown): ReadonlyArray<ImportItem> =>
  isObject(entries) ? Object.entries(entries).flatMap(([name, entry]) => [server(name, entry), ...serverKeys(entry)]) : []

/** Keys of search services that the definition of a server contains: `web_search` and `search_code` can use them too. */
export const serverKeys = (entry: unknown): ReadonlyArray<ImportItem> => isObject(entry) ? keys(entry["env"] ?? entry["environment"]) : []

const decodeHooks = Schema.decodeUnknownResult(HookSettings)

/** The hooks of one event. */
export const hooks = (event: string, groups: unknown): ImportItem => {
  const decoded = decodeHooks({ [event]: groups })
  return Result.isFailure(decoded)
    ? skipped(`hooks for ${event}`, decoded.failure.message.replaceAll("\n", " "))
    : { _tag: "list", title: `hooks for ${event}`, path: ["hooks", event], value: groups as Schema.Json }
}

const decodeSettings = Schema.decodeUnknownResult(SettingsFile, { onExcessProperty: "error" })

/** A setting under our name, if its value is valid. */
export const setting = (name: keyof typeof SettingsFile.fields, value: unknown): ImportItem => {
  const decoded = decodeSettings({ [name]: value })
  const title = `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`
  return Result.isFailure(decoded) ? skipped(title, decoded.failure.message.replaceAll("\n", " "))
    : { _tag: "value", title, path: [name], value: value as Schema.Json }
}

export const mode = (value: unknown): ImportItem => {
  const supported = Mode.Mode.literals.find((mode) => mode === value)
  return supported === undefined ? skipped(`mode ${JSON.stringify(value)}`, "dacapo has no such permission mode")
    : { _tag: "value", title: `mode ${supported}`, path: ["permissions", "defaultMode"], value: supported }
}

/** The API keys among variables that are set to a value of their own, not to that of another variable. */
export const keys = (env: unknown): ReadonlyArray<ImportItem> =>
  !isObject(env) ? [] : Object.entries(env).flatMap(([variable, value]) =>
    keyNames.has(variable) && typeof value === "string" && /^[^\s$]+$/.test(value)
      ? [{ _tag: "key" as const, title: `key ${variable}`, variable, key: Redacted.make(value, { label: variable }) }] : []
  )

/** Keys of their settings that nothing here corresponds to. */
export const others = (settings: Readonly<Record<string, unknown>>): ReadonlyArray<ImportItem> =>
  Object.keys(settings).filter((key) => key !== "$schema").map((key) => skipped(key, "dacapo has no such setting"))

/** A Markdown file of an agent or a command, copied under its name. */
export const copy = (kind: "agents" | "commands") => (text: string, name: string): ReadonlyArray<ImportItem> => [
  { _tag: "file", title: `${kind === "agents" ? "agent" : "command"} ${name}`, path: `${kind}/${name}`, text }
]
