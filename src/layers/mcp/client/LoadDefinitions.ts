/**
 * Which servers are defined for a folder, and by whom: the user's settings, the project's `.mcp.json`, `.roo/mcp.json`
 * and settings (only in a trusted folder), what the command line added. The user's names are reserved: a project's server with such
 * a name is ignored. Of two of the user's, or two of the project's, the nearer wins.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { join } from "node:path"
import * as ProjectFiles from "../../../domain/config/ProjectFiles.ts"
import * as Definition from "../../../domain/mcp/Definition.ts"
import type { SettingsError } from "../../../domain/config/SettingsError.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import { merge } from "../../../domain/config/Settings.ts"
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import { JsonFiles } from "../../../services/JsonFiles.ts"
import type { ConfiguredServer } from "../../../services/Mcp.ts"
import { Plugins } from "../../../services/extension/Plugins.ts"
import { Bare, Settings, StrictMcp } from "../../../services/Settings.ts"
import { Trust } from "../../../services/Trust.ts"

/** The source of servers that the command line added, or the program that runs this process. */
const commandLine = "the command line"

/** The common file for a project's servers, which `dacapo mcp` writes. */
export const projectFile = ".mcp.json"

/** `notes` report definitions that can't be used, or wait for trust. */
export interface McpSettings {
  readonly servers: ReadonlyArray<ConfiguredServer>
  readonly notes: ReadonlyArray<string>
  readonly timeouts: { readonly connect: number; readonly call: number }
  /** From the settings: which private hosts a connection may lead to. */
  readonly rules: Rule.Compiled
}

/** Servers by name, as JSON, and their location. */
interface ServerSource {
  readonly servers: Readonly<Record<string, unknown>>
  readonly file: string
  readonly isUserDefined: boolean
  /** In the format of Roo. */
  readonly isForeign?: boolean
}

export const load = Effect.fn("Mcp.definitions")(function*(cwd: string, extraServers: Readonly<Record<string, Schema.Json>>) {
  const settings = yield* Settings
  const scopes = yield* settings.scopes(cwd)
  const project = yield* ofProject(cwd)
  const inSettings = scopes.filter((scope) => scope.isTrusted).map(({ file, settings: { mcpServers = {} } }): ServerSource => ({
    servers: mcpServers,
    file,
    isUserDefined: !file.startsWith(`${cwd}/.dacapo/`)
  }))
  const [first, ...nearer] = inSettings
  const bare = (yield* Bare) || (yield* StrictMcp)
  const ofPlugins = (yield* (yield* Plugins).active).plugins.map(({ mcpServers, name, root }): ServerSource => ({
    servers: mcpServers,
    file: `the plugin ${name} (${root})`,
    // The user approved what it starts by installing it, and its content is compared with that.
    isUserDefined: true
  }))
  const fileSources: ReadonlyArray<ServerSource> = bare ? []
    : [...ofPlugins, ...(first === undefined ? [] : [first]), ...project.written, ...nearer]
  const all: ReadonlyArray<ServerSource> = [...fileSources, { servers: extraServers, file: commandLine, isUserDefined: true }]
  const userServers = new Map(
    all.filter(({ isUserDefined }) => isUserDefined).flatMap(({ file, servers }) =>
      Object.entries(servers).map(([name, json]) => [name, { file, json }] as const)
    )
  )
  const byName = new Map<string, ConfiguredServer>()
  const notes = bare ? [] : [...project.notes]
  for (const { file, isForeign = false, isUserDefined, servers } of all) {
    for (const [name, json] of Object.entries(servers)) {
      const userEntry = isUserDefined ? undefined : userServers.get(name)
      if (userEntry !== undefined) {
        if (JSON.stringify(userEntry.json) !== JSON.stringify(json))
          notes.push(
            `The MCP server ${
              JSON.stringify(name)
            } of ${file} is ignored: ${userEntry.file} defines one with the same name. Rename one of them to use both.`
          )
        continue
      }
      const parsed = Result.filterOrFail(
        Definition.parse(name, json, isForeign),
        ({ transport }) => transport._tag !== "Program" || file === commandLine,
        () => "only a program that runs dacapo can offer a server of type sdk"
      )
      const ignoredKeys = Definition.ignoredKeys(json)
      if (ignoredKeys.length > 0) notes.push(ignoredKeysNote(name, file, ignoredKeys))
      if (Result.isSuccess(parsed)) byName.set(name, { definition: parsed.success, file, isUserDefined })
      else notes.push(`The MCP server ${JSON.stringify(name)} of ${file} can't be used: ${parsed.failure}.`)
    }
  }
  const { mcpConnectTimeout = 30, mcpTimeout = 60 } = scopes.filter((scope) => scope.isTrusted).reduce<typeof scopes[number]["settings"]>(
    (all, { settings }) => ({ ...all, ...settings }),
    {}
  )
  return {
    servers: [...byName.values()].sort((a, b) => a.definition.name < b.definition.name ? -1 : 1),
    notes,
    timeouts: { connect: mcpConnectTimeout * 1000, call: mcpTimeout * 1000 },
    rules: rulesOf(scopes, cwd)
  } satisfies McpSettings as McpSettings
})

/** Rules that don't load allow nothing; they are reported when a session begins. */
const rulesOf = (scopes: Parameters<typeof merge>[0], cwd: string): Rule.Compiled =>
  Result.getOrElse(Rule.compile({ allow: merge(scopes).rules.allow }, { root: cwd }), () => Result.getOrThrow(Rule.compile({})))

const ignoredKeysNote = (name: string, file: string, keys: ReadonlyArray<string>): string =>
  `The MCP server ${JSON.stringify(name)} of ${file}: ${keys.map((key) => JSON.stringify(key)).join(", ")} ${
    keys.length === 1 ? "has" : "have"
  } no effect.`

const ofProject = Effect.fnUntraced(function*(cwd: string) {
  const files = yield* Effect.forEach(ProjectFiles.paths("servers"), (path) => ofFile(cwd, path))
  return { written: files.flatMap(({ written }) => written), notes: files.flatMap(({ notes }) => notes) }
})

/** An unreadable file is reported, and affects nothing else. */
const ofFile = Effect.fnUntraced(function*(cwd: string, path: string) {
  const trust = yield* Trust
  const isTrusted = yield* trust.isTrusted(cwd)
  const file = join(cwd, path)
  const projectConfig = yield* (yield* JsonFiles).at(file)
  const content = yield* Effect.result(projectConfig.value)
  if (Result.isFailure(content)) return { written: [], notes: isTrusted ? [unreadableFile(content.failure)] : [] }
  const servers = isObject(content.success) && isObject(content.success["mcpServers"]) ? content.success["mcpServers"] : {}
  const isActive = (yield* trust.activePredicate(cwd))(path, content.success ?? {})
  const isPending = !isActive && Object.keys(servers).length > 0
  return {
    written: isActive ? [{ servers, file, isUserDefined: false, isForeign: path !== projectFile }] : [],
    notes: isPending
      ? [
        `${path} defines MCP servers (${Object.keys(servers).join(", ")}), but none was started: ${
          isTrusted ? "it changed since you trusted this folder. Run `dacapo trust` to confirm it."
            : "this folder is not trusted. Run `dacapo trust` to trust it."
        }`
      ] : []
  }
})

const unreadableFile = ({ message, where }: SettingsError): string => `No MCP server of ${where} was started: the file ${message}.`
