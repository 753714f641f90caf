/** The plugins that the user installed: what they add to a session. Without a layer there are none. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { CustomTool } from "../../domain/extension/CustomTool.ts"
import type { HookSettings } from "../../domain/hook/Hook.ts"
import type { Access } from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import type { Route } from "../Route.ts"
import type { AccessContext, ToolContext } from "../Tool.ts"

/** An enabled plugin whose content is what the user installed. Paths are absolute; folders may be missing. */
export interface Plugin {
  readonly name: string
  readonly root: string
  readonly commands: ReadonlyArray<string>
  readonly agents: ReadonlyArray<string>
  readonly skills: ReadonlyArray<string>
  readonly tools: ReadonlyArray<string>
  /** Its hooks, and the file or manifest that they are in. */
  readonly hooks: ReadonlyArray<{ readonly file: string; readonly settings: HookSettings }>
  /** Its MCP servers by name, with its own folder filled in. */
  readonly mcpServers: Readonly<Record<string, Schema.Json>>
}

/** A prompt that a plugin's code writes. */
export interface CodeCommand {
  readonly name: string
  readonly description: string
}

/** Providers as settings describe them, and complete routes. */
export interface AddedProviders {
  readonly settings: Readonly<Record<string, ProviderSettings>>
  readonly routes: ReadonlyArray<Route>
}

/** The outcome of a call, and the view that the plugin returned, which nobody has checked. */
export interface PluginResult {
  readonly outcome: Outcome.Outcome
  readonly view?: unknown
}

/** What installed plugins add to a session. Folders are absolute; nothing fails: what does not work is in `notes`. */
export interface PluginService {
  /** By name; `notes` report those that are not active although they are enabled. */
  readonly active: Effect.Effect<{ readonly plugins: ReadonlyArray<Plugin>; readonly notes: ReadonlyArray<string> }>
  /** The plugin of this name, its content compared with what was installed. */
  readonly find: (name: string) => Effect.Effect<Plugin | undefined>
  /** The tools that the code of plugins adds in a folder; `notes` report code that was not loaded, or was disabled since. */
  readonly tools: (cwd: string) => Effect.Effect<{ readonly tools: ReadonlyArray<CustomTool>; readonly notes: ReadonlyArray<string> }>
  /** What a call of such a tool declares besides the call itself; a failure is a report for the model. */
  readonly access: (tool: CustomTool, input: Schema.JsonObject, context: AccessContext) => Result.Result<ReadonlyArray<Access>, string>
  readonly run: (tool: CustomTool, input: Schema.JsonObject) => Effect.Effect<PluginResult, never, ToolContext>
  /** What people see of a tool's result instead of its text; undefined if no plugin renders that tool. */
  readonly render: (tool: string, input: Schema.Json, outcome: Outcome.Outcome) => Effect.Effect<string | undefined>
  /** Facts for the prompt of a session in a folder. */
  readonly context: (cwd: string) => Effect.Effect<ReadonlyArray<{ readonly name: string; readonly text: string }>>
  readonly providers: (cwd: string) => Effect.Effect<AddedProviders>
  readonly commands: (cwd: string) => Effect.Effect<ReadonlyArray<CodeCommand>>
  /** The prompt of `/plugin:name rest`; undefined if no plugin's code has that command. */
  readonly command: (cwd: string, name: string, rest: string) => Effect.Effect<string | undefined>
}

const none: PluginService = {
  active: Effect.succeed({ plugins: [], notes: [] }),
  find: () => Effect.succeed(undefined),
  tools: () => Effect.succeed({ tools: [], notes: [] }),
  access: () => Result.succeed([]),
  run: ({ name }) => Effect.succeed({ outcome: Outcome.failed(`The plugin that defines ${name} is not available here.`) }),
  render: () => Effect.succeed(undefined),
  context: () => Effect.succeed([]),
  providers: () => Effect.succeed({ settings: {}, routes: [] }),
  commands: () => Effect.succeed([]),
  command: () => Effect.succeed(undefined)
}

export const Plugins = Context.Reference<PluginService>("dacapo/Plugins", { defaultValue: () => none })

/** Plugins of this run alone (`--plugin-dir`), which replace installed ones of the same name; `notes` report what they can't add. */
export interface RunPlugins {
  readonly plugins: ReadonlyArray<Plugin>
  readonly notes: ReadonlyArray<string>
}

export const RunPlugins = Context.Reference<RunPlugins>("dacapo/RunPlugins", { defaultValue: () => ({ plugins: [], notes: [] }) })
