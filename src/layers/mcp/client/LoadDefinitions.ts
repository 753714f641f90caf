/**
 * Which servers there are for a folder, and who wrote them down: the user's settings, the project's `.mcp.json` and
 * settings (of a trusted folder alone), what the command line added. Of two with one name the nearer counts.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { join } from "node:path"
import * as Definition from "../../../domain/mcp/Definition.ts"
import type { SettingsError } from "../../../domain/config/SettingsError.ts"
import { isObject } from "../../../domain/tool/ParamSchema.ts"
import { Bare } from "../../../services/Bare.ts"
import { KeptFiles } from "../../../services/JsonFiles.ts"
import type { Known } from "../../../services/Mcp.ts"
import { Settings } from "../../../services/Settings.ts"
import { Trust } from "../../../services/Trust.ts"

/** Where the field keeps a project's servers. */
export const projectFile = ".mcp.json"

/** `notes` say what is written down and can't be used, or waits for trust. */
export interface Loaded {
  readonly servers: ReadonlyArray<Known>
  readonly notes: ReadonlyArray<string>
  readonly timeouts: { readonly connect: number; readonly call: number }
}

/** Servers by name, as JSON, and where they stand. */
interface Written {
  readonly servers: Readonly<Record<string, unknown>>
  readonly file: string
  readonly own: boolean
}

export const load = Effect.fn("Mcp.definitions")(function*(cwd: string, given: Readonly<Record<string, Schema.Json>>) {
  const settings = yield* Settings
  const trusted = yield* (yield* Trust).holds(cwd)
  const scopes = yield* settings.scopes(cwd)
  const project = yield* ofProject(cwd, trusted)
  const inSettings = scopes.filter((scope) => scope.trusted).map(({ file, settings: { mcpServers = {} } }): Written =>
    ({ servers: mcpServers, file, own: !file.startsWith(`${cwd}/.dacapo/`) }))
  const [users, ...nearer] = inSettings
  const bare = yield* Bare
  const written: ReadonlyArray<Written> = bare ? [] : [...(users === undefined ? [] : [users]), ...project.written, ...nearer]
  const all: ReadonlyArray<Written> = [...written, { servers: given, file: "the command line", own: true }]
  const found = new Map<string, Known>()
  const notes = bare ? [] : [...project.notes]
  for (const { file, own, servers } of all) {
    for (const [name, json] of Object.entries(servers)) {
      const parsed = Definition.parse(name, json)
      if (Result.isSuccess(parsed)) found.set(name, { definition: parsed.success, file, own })
      else notes.push(`The MCP server ${JSON.stringify(name)} of ${file} can't be used: ${parsed.failure}.`)
    }
  }
  const { mcpConnectTimeout = 30, mcpTimeout = 60 } = scopes.filter((scope) => scope.trusted).reduce<typeof scopes[number]["settings"]>((all, { settings }) => ({ ...all, ...settings }), {})
  return {
    servers: [...found.values()].sort((a, b) => a.definition.name < b.definition.name ? -1 : 1),
    notes,
    timeouts: { connect: mcpConnectTimeout * 1000, call: mcpTimeout * 1000 }
  } satisfies Loaded as Loaded
})

/** A file that can't be read is told, and takes nothing else with it. */
const ofProject = Effect.fnUntraced(function*(cwd: string, trusted: boolean) {
  const file = join(cwd, projectFile)
  const kept = yield* (yield* KeptFiles).at(file)
  const read = yield* Effect.result(kept.value)
  if (Result.isFailure(read)) return { written: [], notes: trusted ? [broken(read.failure)] : [] }
  const servers = isObject(read.success) && isObject(read.success["mcpServers"]) ? read.success["mcpServers"] : {}
  const waits = !trusted && Object.keys(servers).length > 0
  return {
    written: trusted ? [{ servers, file, own: false }] : [],
    notes: waits ? [`${projectFile} names MCP servers (${Object.keys(servers).join(", ")}), and none is started: this folder is not trusted. \`dacapo trust\` trusts it.`] : []
  }
})

const broken = ({ message, where }: SettingsError): string => `No MCP server of ${where} is started: the file ${message}.`
