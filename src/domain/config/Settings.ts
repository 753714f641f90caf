/** What a user configures in files; flags and the session's own choices take precedence. */
import * as Schema from "effect/Schema"
import * as AutoInclude from "../context/AutoInclude.ts"
import { CodeSearchSettings, WebSearchSettings } from "../search/SearchSettings.ts"
import { LanguageServerSettings } from "../diagnostics/LanguageServers.ts"
import * as AutoApprove from "../mcp/AutoApprove.ts"
import { optional } from "../Optional.ts"
import * as AfterEdit from "../tool/AfterEdit.ts"
import * as Sandbox from "../tool/Sandbox.ts"
import { fromSettings, type Hook, HookSettings } from "../hook/Hook.ts"
import { Price } from "../session/Usage.ts"
import { Mode } from "../approval/Mode.ts"

/** A rule as text, or with examples that are checked when it is loaded and a reason that is shown when it decides. */
export const RuleText = Schema.Union([
  Schema.String,
  Schema.Struct({
    rule: Schema.String,
    match: Schema.optionalKey(Schema.Array(Schema.String)),
    notMatch: Schema.optionalKey(Schema.Array(Schema.String)),
    justification: Schema.optionalKey(Schema.String)
  })
])

/** The colour theme for a background; `auto` detects it (COLORFGBG). */
export const ThemeName = Schema.Literals(["auto", "dark", "light", "dark-colorblind", "light-colorblind"])
export type ThemeName = typeof ThemeName.Type

/** The three lists of a file, and the mode in which sessions start. */
export const Permissions = Schema.Struct({
  allow: Schema.optionalKey(Schema.Array(RuleText)),
  ask: Schema.optionalKey(Schema.Array(RuleText)),
  deny: Schema.optionalKey(Schema.Array(RuleText)),
  defaultMode: Schema.optionalKey(Mode)
})

/** What a user says about one model; the rest is known otherwise, or assumed. `tools`: whether it takes native tool calls. */
export const ModelSettings = Schema.Struct({
  window: Schema.optionalKey(Schema.Int),
  maxOutput: Schema.optionalKey(Schema.Int),
  tools: Schema.optionalKey(Schema.Boolean),
  images: Schema.optionalKey(Schema.Boolean),
  price: Schema.optionalKey(Price)
})

/**
 * A user's additions to a provider's defaults, or with a `wire` a provider of the user's: an address, headers, query
 * parameters, fields of the request's body. `keyEnv` is the variable that holds the key of such a provider. `timeout` is the
 * number of seconds of silence after which a response is broken off, `margin` the share of each model's window to plan with.
 * `cache` says whether requests mark what the provider is to cache, where dacapo would decide that by the model's id.
 * Texts may contain `${VARIABLE}` or `${VARIABLE:-else}`.
 */
export const ProviderSettings = Schema.Struct({
  wire: Schema.optionalKey(Schema.Literals(["anthropic-messages", "gemini", "openai-chat", "openai-responses"])),
  keyEnv: Schema.optionalKey(Schema.String),
  models: Schema.optionalKey(Schema.Record(Schema.String, ModelSettings)),
  baseUrl: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  timeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  margin: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0.1, maximum: 1 })))),
  cache: Schema.optionalKey(Schema.Boolean)
})
export type ProviderSettings = typeof ProviderSettings.Type

/**
 * One file: `config.jsonc` of the user or of a project. `maxBudgetUsd` and `maxTokensTotal` limit a session,
 * `maxTaskUsd` each of its tasks, `maxDailyUsd` a user's day; `timeout` and `maxWait` are in seconds. `prices` override
 * or complete the catalogue, in USD per million tokens; `providers` are keyed by the name before the slash of a model.
 */
export const SettingsFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  planModel: Schema.optionalKey(Schema.String),
  fallbackModel: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  cheapModel: Schema.optionalKey(Schema.String),
  toolFormat: Schema.optionalKey(Schema.Literals(["auto", "native", "xml"])),
  maxTurns: Schema.optionalKey(Schema.Int),
  maxBudgetUsd: Schema.optionalKey(Schema.Finite),
  maxTokensTotal: Schema.optionalKey(Schema.Int),
  maxTaskUsd: Schema.optionalKey(Schema.Finite),
  maxDailyUsd: Schema.optionalKey(Schema.Finite),
  prices: Schema.optionalKey(Schema.Record(Schema.String, Price)),
  timeout: Schema.optionalKey(Schema.Finite),
  /** The sandbox for commands, unless a flag sets it; `sandboxNetwork` gives them network access inside it. */
  sandbox: Schema.optionalKey(Sandbox.Mode),
  sandboxNetwork: Schema.optionalKey(Schema.Boolean),
  maxWait: Schema.optionalKey(Schema.Finite),
  /** The terminal's bell, rung when a question waits or a long task is over; on by default. */
  bell: Schema.optionalKey(Schema.Boolean),
  /** The same as a desktop notification, in terminals that support it; on by default. */
  notices: Schema.optionalKey(Schema.Boolean),
  /** Whether signs of running work move in the terminal; on by default. */
  motion: Schema.optionalKey(Schema.Boolean),
  /** Whether the terminal's window has the session's name and state as its title; on by default. */
  terminalTitle: Schema.optionalKey(Schema.Boolean),
  /** The keys of the input line: those of a shell, or of vi. */
  editorMode: Schema.optionalKey(Schema.Literals(["emacs", "vi"])),
  /** The terminal's colours. */
  theme: Schema.optionalKey(ThemeName),
  providers: Schema.optionalKey(Schema.Record(Schema.String, ProviderSettings)),
  /** Where the model catalogue is refreshed from, and whether that also happens by itself, once a day; on where an address is set. */
  catalogueUrl: Schema.optionalKey(Schema.String),
  catalogueRefresh: Schema.optionalKey(Schema.Boolean),
  /** Where sessions are stored, if not in the data folder: the address of a PostgreSQL database; only in the user's own file. */
  storage: Schema.optionalKey(Schema.String),
  /** Token limit for automatically included files (50,000); 0 disables them. */
  autoFiles: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** Language servers that report problems of edited files, where they differ from the installed ones; `false` for none. */
  languageServers: Schema.optionalKey(LanguageServerSettings),
  /** Commands that check the project, for the mention `@problems`. */
  checkers: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Turns search_code on; with embeddings it searches by meaning too. */
  codeSearch: Schema.optionalKey(CodeSearchSettings),
  /** Turns web_search on: the service that it uses. */
  webSearch: Schema.optionalKey(WebSearchSettings),
  /** By file pattern: what formats and checks them after an edit. */
  afterEdit: Schema.optionalKey(Schema.Record(Schema.String, AfterEdit.Commands)),
  /** Programs that run at named moments, in the shape of Claude Code's settings. */
  hooks: Schema.optionalKey(HookSettings),
  /** Whether hooks may answer a permission prompt with yes; only the user's own files can say so. */
  hooksMayAllow: Schema.optionalKey(Schema.Boolean),
  /** MCP servers by name, in the common format; each is validated separately (domain/mcp/Definition). */
  mcpServers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Seconds that any MCP server may take to connect (30), and for a call (60). */
  mcpConnectTimeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  mcpTimeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  permissions: Schema.optionalKey(Permissions)
}).annotate({ identifier: "Settings" })
export type SettingsFile = typeof SettingsFile.Type

/** What applies where no file says otherwise; the settings that are not named here have no default of their own. */
export const defaults: SettingsFile = {
  toolFormat: "auto",
  maxWait: 600,
  sandbox: "danger-full-access",
  sandboxNetwork: false,
  bell: true,
  notices: true,
  motion: true,
  terminalTitle: true,
  editorMode: "emacs",
  theme: "auto",
  autoFiles: AutoInclude.defaults.tokens,
  mcpConnectTimeout: 30,
  mcpTimeout: 60,
  permissions: { allow: [], ask: [], deny: [], defaultMode: "default" }
}

/** A file's settings, and where they were read. `isTrusted`: the user wrote it, not the repository. */
export interface Scope {
  readonly file: string
  readonly isTrusted: boolean
  /** It belongs to the project, also where that is trusted. */
  readonly isProject?: boolean
  /** The plugin whose hooks these are; such a scope has no other settings. */
  readonly plugin?: string
  readonly settings: SettingsFile
  /** Servers of another file of the project: here, only the tools that they approve count. */
  readonly servers?: Readonly<Record<string, unknown>>
  /** The line of each rule, from 1. */
  readonly lines?: Readonly<Partial<Record<ListName, ReadonlyArray<number>>>>
}

type ListName = "allow" | "ask" | "deny"

/** A rule with its examples and its reason, and its location. */
export interface ScopedRule extends Exclude<typeof RuleText.Type, string> {
  readonly file: string
  readonly line?: number
}

export interface Settings extends Omit<SettingsFile, "$schema" | "hooks" | "hooksMayAllow" | "permissions"> {
  readonly defaultMode?: Mode
  /** Of all files, the user's first. */
  readonly hooks?: ReadonlyArray<Hook>
  readonly rules: Readonly<Record<ListName, ReadonlyArray<ScopedRule>>>
}

/**
 * Merges scopes: later ones win; rules of all scopes apply together. A repository can make things stricter, never
 * looser: its allow rules, models, mode and provider settings count only where the user wrote them.
 */
export const merge = (scopes: ReadonlyArray<Scope>): Settings => {
  const rulesOf = (list: ListName, from: ReadonlyArray<Scope>) =>
    from.flatMap(({ file, lines, settings }) =>
      (settings.permissions?.[list] ?? []).map((rule, i): ScopedRule => {
        const line = lines?.[list]?.[i]
        return { ...(typeof rule === "string" ? { rule } : rule), file, ...optional({ line }) }
      })
    )
  const trustedScopes = scopes.filter((scope) => scope.isTrusted)
  const mayAllow = trustedScopes.findLast(({ isProject, settings }) => isProject !== true && settings.hooksMayAllow !== undefined)
    ?.settings.hooksMayAllow ?? false
  const hooks = trustedScopes.flatMap(({ isProject = false, plugin, settings }) =>
    fromSettings(settings.hooks ?? {}, { isProject, mayAllow: mayAllow && plugin === undefined, plugin })
  )
  const rules = {
    allow: [...rulesOf("allow", trustedScopes), ...approvedTools(scopes)],
    ask: rulesOf("ask", scopes),
    deny: rulesOf("deny", scopes)
  }
  return trustedScopes.reduce<Settings>(
    (settingsSoFar, { settings: { $schema: _, hooks: _hooks, hooksMayAllow: _mayAllow, permissions, ...settings } }) => ({
      ...settingsSoFar,
      ...settings,
      ...(settings.providers === undefined ? {} : { providers: { ...settingsSoFar.providers, ...settings.providers } }),
      ...(settings.afterEdit === undefined ? {} : { afterEdit: { ...settingsSoFar.afterEdit, ...settings.afterEdit } }),
      ...(settings.mcpServers === undefined ? {} : { mcpServers: { ...settingsSoFar.mcpServers, ...settings.mcpServers } }),
      ...optional({ defaultMode: permissions?.defaultMode })
    }),
    { rules, ...(hooks.length === 0 ? {} : { hooks }) }
  )
}

/**
 * Rules for the tools that definitions of MCP servers approve. The names of the user's servers are reserved: a project's definition
 * with such a name starts no server, and so approves nothing.
 */
const approvedTools = (scopes: ReadonlyArray<Scope>): ReadonlyArray<ScopedRule> => {
  const userServers = new Set(
    scopes.filter(({ isProject }) => isProject !== true).flatMap(({ settings }) => Object.keys(settings.mcpServers ?? {}))
  )
  return scopes.filter(({ isTrusted }) => isTrusted).flatMap(({ file, isProject = false, servers, settings }) =>
    AutoApprove.rules({ ...servers, ...settings.mcpServers })
      .filter(({ server }) => !isProject || !userServers.has(server))
      .map(({ rule }) => ({ rule, file }))
  )
}
