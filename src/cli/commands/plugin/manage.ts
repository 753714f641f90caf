/** `dacapo plugin list`, `enable`, `disable` and `remove`. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PluginError } from "../../../domain/extension/PluginError.ts"
import type { SettingsError } from "../../../domain/config/SettingsError.ts"
import * as PluginSources from "../../../layers/extension/PluginSources.ts"
import * as JsonFilesLive from "../../../layers/settings/JsonFilesLive.ts"
import * as PluginStore from "../../../layers/extension/PluginStore.ts"
import type { Environment } from "../../../services/Environment.ts"
import type { JsonFiles } from "../../../services/JsonFiles.ts"
import { AgentLayers } from "../../process/AgentLayers.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import type { Action } from "../mcp/Action.ts"
import * as PluginState from "./PluginState.ts"

type Store = Effect.Success<typeof PluginStore.make>

/** Uses the store of the user's plugins. */
export const withStore = Effect.fnUntraced(function*<A>(
  use: (store: Store) => Effect.Effect<A, PluginError | SettingsError, Environment | JsonFiles>
) {
  const { records } = yield* AgentLayers
  return yield* Effect.flatMap(PluginStore.make, use).pipe(
    Effect.catchTag(
      "PluginError",
      ({ message, plugin }) => new InputError({ message: `The plugin ${plugin}: ${message.replace(/\.$/, "")}.` })
    ),
    Effect.provide(Layer.provideMerge(JsonFilesLive.layer, records))
  )
})

export const list: Action = Effect.fnUntraced(function*({ args, values: { outputFormat = "text" } }) {
  if (args.length > 0) return yield* new UsageError({ message: "`dacapo plugin list` takes no arguments." })
  const { stdout } = yield* Host
  const plugins = yield* withStore((store) => store.list)
  yield* stdout.write(
    outputFormat === "text"
      ? plugins.map(row).join("") || "No plugins installed. Run `dacapo plugin install <source>` to install one.\n"
      : StreamJson.line(
        plugins.map((plugin) => ({ ...plugin, source: PluginSources.describe(plugin.source), state: PluginState.of(plugin) }))
      )
  )
  return 0
})

const row = (plugin: PluginStore.InstalledPlugin): string => {
  const { code, description = "", hash, module, name, problem, source, version = "" } = plugin
  const state = PluginState.of(plugin)
  const details = [
    PluginSources.describe(source),
    ...(problem === undefined ? [] : [`${problem}: run \`dacapo plugin update ${name}\` to install it again`]),
    ...(module === undefined ? [] : [code === hash ? "its code is allowed" : `its code does not run; allow it with --allow-code ${hash}`])
  ]
  return [
    `${state === "active" ? "·" : state === "disabled" ? " " : "!"} ${name.padEnd(20)} ${
      [version, description].filter((text) => text !== "").join("  ")
    }`,
    ...details.map((text) => `${" ".repeat(23)}${text}`)
  ].map((text) => `${View.text(text).replaceAll("\n", " ").trimEnd()}\n`).join("")
}

/** An action on one plugin, and the sentence about it. */
const change = (
  action: string,
  perform: (store: Store, name: string, allowCode: string | undefined) => ReturnType<Store["disable"]> | ReturnType<Store["remove"]>
): Action =>
  Effect.fnUntraced(function*({ args: [name, ...extraArgs], values }) {
    if (name === undefined || extraArgs.length > 0) {
      return yield* new UsageError({ message: `Name one plugin: \`dacapo plugin ${action} <name>\`.` })
    }
    const { stdout } = yield* Host
    yield* withStore((store) => Effect.asVoid(perform(store, name, values.allowCode) as ReturnType<Store["remove"]>))
    yield* stdout.write(`${name} is ${{ enable: "enabled", disable: "disabled", remove: "removed" }[action]}.\n`)
    return 0
  })

export const enable = change("enable", (store, name, allowCode) => store.enable(name, allowCode))
export const disable = change("disable", (store, name) => store.disable(name))
export const remove = change("remove", (store, name) => store.remove(name))
