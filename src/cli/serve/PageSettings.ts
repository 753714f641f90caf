/** What is configured for a folder, for the page: settings, rules, MCP servers and plugins, each with where it comes from. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Rule from "../../domain/approval/Rule.ts"
import { SettingsError } from "../../domain/config/SettingsError.ts"
import * as PageData from "../../domain/control/PageData.ts"
import * as SettingPath from "../../domain/config/SettingPath.ts"
import * as PluginSources from "../../layers/extension/PluginSources.ts"
import { CustomTools } from "../../services/extension/CustomTools.ts"
import { Intake } from "../../services/Intake.ts"
import * as ApprovalLive from "../../layers/approval/ApprovalLive.ts"
import { Settings } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import { Trust } from "../../services/Trust.ts"
import { withStore } from "../commands/plugin/manage.ts"
import * as PluginState from "../commands/plugin/PluginState.ts"
import type { Values } from "../args/Flags.ts"
import * as TryRules from "../replay/TryRules.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import * as PageServers from "./PageServers.ts"

/** Settings that other tables show, and those with keys. */
const shownElsewhere: ReadonlySet<string> = new Set(["permissions", "mcpServers"])

export const read = Effect.fnUntraced(function*(folder: string, values: Values) {
  const cwd = yield* WorkingFolder.open(folder, undefined)
  const scopes = yield* Effect.flatMap(Settings, ({ scopes }) => scopes(cwd))
  const isTrusted = yield* Effect.flatMap(Trust, ({ isTrusted }) => isTrusted(cwd))
  const { commands, mcp: { notes, servers }, tools } = yield* Effect.provide(
    Effect.all({
      commands: Effect.flatMap(Intake, ({ commands }) => commands(cwd)),
      mcp: PageServers.list(cwd),
      tools: Effect.flatMap(CustomTools, ({ list }) => Effect.map(list(cwd), ({ tools }) => tools))
    }),
    yield* PageServers.layer(cwd, values)
  )
  const installed = yield* withStore((store) => store.list)
  const effective = scopes.filter((scope) => scope.isTrusted)
  return {
    cwd,
    isTrusted,
    settings: SettingPath.names.filter((name) => !shownElsewhere.has(name)).flatMap((name) => {
      const source = effective.findLast(({ settings }) => SettingPath.get(settings, [name]) !== undefined)
      if (source === undefined) return []
      const value = SettingPath.get(source.settings, [name])
      return [{ name, value: typeof value === "string" ? value : JSON.stringify(value), source: source.file }]
    }),
    rules: PageData.decisions.flatMap((decision) =>
      scopes.flatMap(({ file, isTrusted, settings }, i) =>
        decision === "allow" && !isTrusted ? [] : (settings.permissions?.[decision] ?? []).map((rule) => ({
          decision,
          rule: typeof rule === "string" ? rule : rule.rule,
          source: file,
          // The first scope is the user's own file.
          isOwn: i === 0
        }))
      )
    ),
    servers,
    serverNotes: notes,
    plugins: installed.map((plugin) => ({
      name: PluginState.title(plugin),
      state: PluginState.describe(plugin),
      adds: [
        ...commands.filter(({ name }) => name.startsWith(`${plugin.name}:`)).map(({ name }) => `/${name}`),
        ...tools.map(({ name }) => name).filter((name) => name.startsWith(`plugin__${plugin.name}__`)),
        ...servers.map(({ name }) => name).filter((name) => name.startsWith(`plugin_${plugin.name}_`))
      ],
      source: PluginSources.describe(plugin.source)
    }))
  } satisfies PageData.FolderSettings
})

/** Changes the user's own file, and returns what is configured then. */
export const change = Effect.fnUntraced(function*(request: PageData.SettingsChange, values: Values) {
  const settings = yield* Settings
  const cwd = yield* WorkingFolder.open(request.cwd, undefined)
  if (request._tag === "Setting") {
    const { name, value } = request
    yield* settings.set(cwd, [name], value === undefined || value.trim() === "" ? undefined : SettingPath.literal(value.trim()))
    return yield* read(cwd, values)
  }
  const { decision } = request
  const rule = request.rule.trim()
  const [own] = yield* settings.scopes(cwd)
  const rules = (own?.settings.permissions?.[decision] ?? []).filter((one) => (typeof one === "string" ? one : one.rule) !== rule)
  if (request._tag === "AddRule") {
    const compiled = Rule.compile({ [decision]: [rule] })
    if (Result.isFailure(compiled)) return yield* new SettingsError({ where: decision, message: compiled.failure.message })
  }
  yield* settings.set(cwd, ["permissions", decision], request._tag === "AddRule" ? [...rules, rule] : rules)
  return yield* read(cwd, values)
})

/** What the rules would have decided in the newest sessions. */
export const trial = Effect.fnUntraced(function*({ rules, sessions }: PageData.TrialRequest) {
  const compiled = Rule.compile(rules)
  if (Result.isFailure(compiled)) return yield* new SettingsError({ where: "rules", message: compiled.failure.message })
  const newest = yield* Effect.flatMap(Storage, ({ list }) => list({ limit: sessions }))
  return yield* Effect.provide(TryRules.run(rules, newest.map(({ id }) => id)), ApprovalLive.layer)
})
