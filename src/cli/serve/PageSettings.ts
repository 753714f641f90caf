/** What is configured for a folder, for the page: settings, rules, MCP servers and plugins, each with where it comes from. */
import * as Effect from "effect/Effect"
import type * as PageData from "../../domain/control/PageData.ts"
import * as SettingPath from "../../domain/config/SettingPath.ts"
import * as Definition from "../../domain/mcp/Definition.ts"
import * as PluginSources from "../../layers/extension/PluginSources.ts"
import { CustomTools } from "../../services/extension/CustomTools.ts"
import { Intake } from "../../services/Intake.ts"
import { Mcp } from "../../services/Mcp.ts"
import { Settings } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { withStore } from "../commands/plugin/manage.ts"
import * as PluginState from "../commands/plugin/PluginState.ts"
import * as UnattendedAgent from "../process/UnattendedAgent.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"

/** Settings that other tables show, and those with keys. */
const shownElsewhere: ReadonlySet<string> = new Set(["permissions", "mcpServers"])

const decisions = ["deny", "ask", "allow"] as const

export const read = Effect.fnUntraced(function*(folder: string) {
  const cwd = yield* WorkingFolder.open(folder, undefined)
  const scopes = yield* Effect.flatMap(Settings, ({ scopes }) => scopes(cwd))
  const isTrusted = yield* Effect.flatMap(Trust, ({ isTrusted }) => isTrusted(cwd))
  const { commands, servers, tools } = yield* Effect.provide(
    Effect.all({
      commands: Effect.flatMap(Intake, ({ commands }) => commands(cwd)),
      servers: Effect.flatMap(Mcp, ({ list }) => Effect.map(list(cwd), ({ servers }) => servers)),
      tools: Effect.flatMap(CustomTools, ({ list }) => Effect.map(list(cwd), ({ tools }) => tools))
    }),
    yield* UnattendedAgent.unattendedLayer(cwd)
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
    rules: decisions.flatMap((decision) =>
      scopes.flatMap(({ file, isTrusted, settings }) =>
        decision === "allow" && !isTrusted ? [] : (settings.permissions?.[decision] ?? []).map((rule) => ({
          decision,
          rule: typeof rule === "string" ? rule : rule.rule,
          source: file
        }))
      )
    ),
    servers: servers.map(({ allowed, definition, file }) => ({
      name: definition.name,
      transport: `${Definition.commandLine(definition)}${
        definition.disabled ? " (disabled)" : allowed ? "" : " (needs approval before it starts)"
      }`,
      source: file
    })),
    plugins: installed.map((plugin) => ({
      name: PluginState.title(plugin),
      state: PluginState.describe(plugin),
      adds: [
        ...commands.filter(({ name }) => name.startsWith(`${plugin.name}:`)).map(({ name }) => `/${name}`),
        ...tools.map(({ name }) => name).filter((name) => name.startsWith(`plugin__${plugin.name}__`)),
        ...servers.map(({ definition: { name } }) => name).filter((name) => name.startsWith(`plugin_${plugin.name}_`))
      ],
      source: PluginSources.describe(plugin.source)
    }))
  } satisfies PageData.FolderSettings
})
