/** `dacapo plugin install` and `update`: copy a plugin's content, and show what it adds and what it runs. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PluginSources from "../../../layers/extension/PluginSources.ts"
import * as PluginStore from "../../../layers/extension/PluginStore.ts"
import { InputError, UsageError } from "../../process/CliError.ts"
import { Host } from "../../process/Host.ts"
import * as StreamJson from "../../render/json/StreamJson.ts"
import * as View from "../../render/view/View.ts"
import type { Action, ActionInput } from "../mcp/Action.ts"
import { withStore } from "./manage.ts"

export const install: Action = Effect.fnUntraced(function*({ args: [text, ...extraArgs], cwd, values }) {
  if (text === undefined || extraArgs.length > 0) {
    return yield* new UsageError({ message: "Give one folder, packed file, Git URL or npm name: `dacapo plugin install <source>`." })
  }
  const source = PluginSources.parse(text, cwd)
  if (Result.isFailure(source)) return yield* new InputError({ message: `Can't install ${JSON.stringify(text)}: ${source.failure}.` })
  const result = yield* withStore((store) => store.install(source.success, { pin: values.pin, allowCode: values.allowCode }))
  return yield* report("Installed", result, values)
})

export const update: Action = Effect.fnUntraced(function*({ args: [name, ...extraArgs], values }) {
  if (name === undefined || extraArgs.length > 0) {
    return yield* new UsageError({ message: "Name one plugin: `dacapo plugin update <name>`." })
  }
  const result = yield* withStore((store) => store.update(name, { pin: values.pin, allowCode: values.allowCode }))
  return yield* report(result.isChanged ? "Updated" : "Up to date:", result, values)
})

const report = Effect.fnUntraced(
  function*(verb: string, { parts, plugin }: PluginStore.InstallResult, { outputFormat }: ActionInput["values"]) {
    const { stdout } = yield* Host
    const { code, enabled, folder, hash, module, name, version } = plugin
    const title = version === undefined ? name : `${name} ${version}`
    const lines = [
      `${verb} ${title}${enabled ? "" : " (disabled)"}.`,
      ...parts.map((part) => `  ${part}`),
      `  hash: ${hash}`,
      ...(module === undefined || code !== undefined ? [] : [
        `Its code does not run yet. It would run in dacapo's own process, with all your rights. To allow exactly this content:`,
        `  dacapo plugin enable ${name} --allow-code ${hash}`
      ])
    ]
    yield* stdout.write(
      outputFormat === undefined || outputFormat === "text" ? lines.map((line) => `${View.text(line).replaceAll("\n", " ")}\n`).join("")
        : StreamJson.line({ name, version, hash, folder, parts, enabled, code: code !== undefined })
    )
    return 0
  }
)
