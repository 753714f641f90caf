/** What a user sets in files; flags and the session's own choices stand above it. */
import * as Schema from "effect/Schema"
import * as AfterEdit from "../tool/AfterEdit.ts"
import * as Sandbox from "../tool/Sandbox.ts"
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

/** Colours for a background; `auto` looks for it (COLORFGBG). */
export const ThemeName = Schema.Literals(["auto", "dark", "light", "dark-colorblind", "light-colorblind"])
export type ThemeName = typeof ThemeName.Type

/** The three lists of a file, and the mode that sessions start in. */
export const Permissions = Schema.Struct({
  allow: Schema.optionalKey(Schema.Array(RuleText)),
  ask: Schema.optionalKey(Schema.Array(RuleText)),
  deny: Schema.optionalKey(Schema.Array(RuleText)),
  defaultMode: Schema.optionalKey(Mode)
})

/**
 * What a user adds to a provider's own ways: an address, headers, parameters of the address, fields of the request's
 * body. `timeout` is how many seconds of silence break an answer, `margin` the share of each model's window that is planned with. Texts may hold `${VARIABLE}` or `${VARIABLE:-else}`.
 */
export const ProviderSettings = Schema.Struct({
  baseUrl: Schema.optionalKey(Schema.String),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  body: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  timeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  margin: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0.1, maximum: 1 }))))
})
export type ProviderSettings = typeof ProviderSettings.Type

/**
 * One file: `config.jsonc` of the user or of a project. `maxBudgetUsd` and `maxTokensTotal` bound a session,
 * `maxTaskUsd` each of its tasks, `maxDailyUsd` a day of the user's; `timeout` and `maxWait` are in seconds. `prices`
 * are those of models that the catalogue does not know, or knows wrong, in USD for a million tokens; `providers` stand
 * by the name before the slash of a model.
 */
export const SettingsFile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  model: Schema.optionalKey(Schema.String),
  planModel: Schema.optionalKey(Schema.String),
  fallbackModel: Schema.optionalKey(Schema.String),
  cheapModel: Schema.optionalKey(Schema.String),
  toolFormat: Schema.optionalKey(Schema.Literals(["auto", "native", "xml"])),
  maxTurns: Schema.optionalKey(Schema.Int),
  maxBudgetUsd: Schema.optionalKey(Schema.Finite),
  maxTokensTotal: Schema.optionalKey(Schema.Int),
  maxTaskUsd: Schema.optionalKey(Schema.Finite),
  maxDailyUsd: Schema.optionalKey(Schema.Finite),
  prices: Schema.optionalKey(Schema.Record(Schema.String, Price)),
  timeout: Schema.optionalKey(Schema.Finite),
  /** What commands are confined to where no flag says it; `sandboxNetwork` lets them reach the network from in there. */
  sandbox: Schema.optionalKey(Sandbox.Mode),
  sandboxNetwork: Schema.optionalKey(Schema.Boolean),
  maxWait: Schema.optionalKey(Schema.Finite),
  /** The terminal's bell, where a question waits or a long task is over; on where nothing is said. */
  bell: Schema.optionalKey(Schema.Boolean),
  /** The same as a notice of the desktop, in terminals that show them; on where nothing is said. */
  notices: Schema.optionalKey(Schema.Boolean),
  /** The terminal's colours. */
  theme: Schema.optionalKey(ThemeName),
  providers: Schema.optionalKey(Schema.Record(Schema.String, ProviderSettings)),
  /** Tokens that files may take which are shown to the model though nobody asked for them (50,000); 0: none are. */
  autoFiles: Schema.optionalKey(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(0)))),
  /** By a pattern of files: what formats and checks them after an edit. */
  afterEdit: Schema.optionalKey(Schema.Record(Schema.String, AfterEdit.Commands)),
  /** MCP servers by name, in the shape of the field; each is checked by itself (domain/mcp/Definition). */
  mcpServers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  /** Seconds that any MCP server may take to connect (30), and for a call (60). */
  mcpConnectTimeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  mcpTimeout: Schema.optionalKey(Schema.Finite.pipe(Schema.check(Schema.isGreaterThan(0)))),
  permissions: Schema.optionalKey(Permissions)
}).annotate({ identifier: "Settings" })
export type SettingsFile = typeof SettingsFile.Type

/** A file's settings, and where they were read. `trusted`: the user wrote it, not the repository. */
export interface Scope {
  readonly file: string
  readonly trusted: boolean
  readonly settings: SettingsFile
  /** The line of each rule, from 1. */
  readonly lines?: Readonly<Partial<Record<ListName, ReadonlyArray<number>>>>
}

type ListName = "allow" | "ask" | "deny"

/** A rule with its examples and its reason, and where it stands. */
export interface Placed extends Exclude<typeof RuleText.Type, string> {
  readonly file: string
  readonly line?: number
}

export interface Settings extends Omit<SettingsFile, "$schema" | "permissions"> {
  readonly defaultMode?: Mode
  readonly rules: Readonly<Record<ListName, ReadonlyArray<Placed>>>
}

/**
 * Later scopes win; rules of all scopes hold together. A repository can make things stricter, never looser: its allow
 * rules, its models, its mode and what it says of providers count only where the user wrote them.
 */
export const merge = (scopes: ReadonlyArray<Scope>): Settings => {
  const all = (list: ListName, from: ReadonlyArray<Scope>) =>
    from.flatMap(({ file, lines, settings }) => (settings.permissions?.[list] ?? []).map((rule, i): Placed => {
      const line = lines?.[list]?.[i]
      return { ...(typeof rule === "string" ? { rule } : rule), file, ...(line === undefined ? {} : { line }) }
    }))
  const trusted = scopes.filter((scope) => scope.trusted)
  return trusted.reduce<Settings>((whole, { settings: { $schema: _, permissions, ...settings } }) => ({
    ...whole,
    ...settings,
    ...(settings.providers === undefined ? {} : { providers: { ...whole.providers, ...settings.providers } }),
    ...(settings.afterEdit === undefined ? {} : { afterEdit: { ...whole.afterEdit, ...settings.afterEdit } }),
    ...(settings.mcpServers === undefined ? {} : { mcpServers: { ...whole.mcpServers, ...settings.mcpServers } }),
    ...(permissions?.defaultMode === undefined ? {} : { defaultMode: permissions.defaultMode })
  }), { rules: { allow: all("allow", trusted), ask: all("ask", scopes), deny: all("deny", scopes) } })
}
