/** The active plugins: those of the run, and installed ones that are enabled and have the content that was installed. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as fs from "node:fs"
import { join } from "node:path"
import { Environment } from "../../services/Environment.ts"
import { type Plugin, Plugins, type PluginService, RunPlugins } from "../../services/extension/Plugins.ts"
import type { JsonFiles } from "../../services/JsonFiles.ts"
import { Bare } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import * as PluginCode from "./PluginCode.ts"
import * as PluginContents from "./PluginContents.ts"
import * as PluginFiles from "./PluginFiles.ts"
import * as PluginRegistry from "./PluginRegistry.ts"

export const layer: Layer.Layer<never, never, Environment | JsonFiles | Trust> = Layer.effect(
  Plugins,
  Effect.gen(function*() {
    const registry = yield* PluginRegistry.make
    const bare = yield* Bare
    const trust = yield* Trust
    const ofRun = yield* RunPlugins

    const open = (name: string, record: PluginRegistry.PluginRecord): Result.Result<PluginCode.InstalledCode, string> => {
      const root = registry.folder(name, record)
      const hash = PluginFiles.folderHash(root)
      return hash !== record.hash
        ? Result.fail(
          `${
            hash === undefined ? "its files are missing or unreadable" : "its content changed since you installed it"
          }. Run \`dacapo plugin update ${name}\` to install it again`
        )
        : Result.map(contentsOf(root), (contents) => ({
          ...pluginAt(root, contents),
          hash,
          ...(contents.manifest.module === undefined ? {} : { module: join(root, contents.manifest.module) }),
          isAllowed: record.code === hash
        }))
    }

    const enabled = bare ? Effect.succeed([]) : registry.records.pipe(
      Effect.map((records) =>
        [...records].filter(([, record]) => record.enabled).map(([name, record]) => [name, open(name, record)] as const)
      ),
      Effect.orElseSucceed(() => [])
    )

    const active = Effect.map(enabled, (all) => {
      const others = all.filter(([name]) => !ofRun.plugins.some((plugin) => plugin.name === name))
      return {
        plugins: [
          ...ofRun.plugins.map((plugin): PluginCode.InstalledCode => ({ ...plugin, hash: "", isAllowed: false })),
          ...others.flatMap(([, result]) => Result.isSuccess(result) ? [result.success] : [])
        ],
        notes: [
          ...ofRun.notes,
          ...others.flatMap(([name, result]) => Result.isFailure(result) ? [`The plugin ${name} is disabled: ${result.failure}.`] : [])
        ]
      }
    })

    return {
      active,
      find: (name) => Effect.map(active, ({ plugins }) => plugins.find((plugin) => plugin.name === name)),
      ...PluginCode.make(Effect.map(active, ({ plugins }) => plugins), trust)
    } satisfies PluginService
  })
)

/** The contents of an installed plugin, read once: its folder is named by the hash that was just compared. */
const contentsOf = (root: string): Result.Result<PluginContents.PluginContents, string> => {
  const cached = contents.get(root)
  if (cached !== undefined) return cached
  const result = read(root)
  contents.set(root, result)
  return result
}

const contents = new Map<string, Result.Result<PluginContents.PluginContents, string>>()

const read = (root: string) =>
  PluginContents.load((path) => fs.existsSync(join(root, path)) ? fs.readFileSync(join(root, path), "utf8") : undefined, root)

const pluginAt = (root: string, { hooks, manifest, mcpServers }: PluginContents.PluginContents): Plugin => {
  const inRoot = (paths: ReadonlyArray<string>) => paths.map((path) => join(root, path))
  return {
    name: manifest.name,
    root,
    commands: inRoot(manifest.commands),
    agents: inRoot(manifest.agents),
    skills: inRoot(manifest.skills),
    tools: inRoot(manifest.tools),
    hooks: hooks.map(({ file, settings }) => ({ file: join(root, file), settings })),
    mcpServers
  }
}

/** The plugins in folders that a run names; `hasServers`: their MCP servers start. A failure names the folder. */
export const ofFolders = (
  folders: ReadonlyArray<{ readonly folder: string; readonly hasServers: boolean }>
): Result.Result<RunPlugins, string> =>
  Result.map(
    Result.all(folders.map(({ folder, hasServers }) =>
      Result.mapBoth(Result.flatMap(PluginFiles.read(folder), () => read(folder)), {
        onFailure: (why) => `The plugin in ${folder} can't be used: ${why}.`,
        onSuccess: (contents) => ({
          plugin: hasServers ? pluginAt(folder, contents) : { ...pluginAt(folder, contents), mcpServers: {} },
          hasCode: contents.manifest.module !== undefined
        })
      })
    )),
    (all) => ({
      plugins: all.map(({ plugin }) => plugin),
      notes: all.flatMap(({ hasCode, plugin: { name } }) =>
        hasCode ? [`The code of the plugin ${name} runs only if it is installed (\`dacapo plugin install\`).`] : []
      )
    })
  )
