/** What a plugin consists of: its manifest, hooks and servers, read from files in memory or on disk. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { HookSettings } from "../../domain/hook/Hook.ts"
import * as Definition from "../../domain/mcp/Definition.ts"
import * as PluginManifest from "../../domain/extension/PluginManifest.ts"

export interface PluginContents {
  readonly manifest: PluginManifest.PluginManifest
  /** The file that each comes from. */
  readonly hooks: ReadonlyArray<{ readonly file: string; readonly settings: HookSettings }>
  /** By name, with the plugin's folder filled in. */
  readonly mcpServers: Readonly<Record<string, Schema.Json>>
}

/** The text of a file by its path in the plugin; undefined if it does not exist. */
type ReadText = (path: string) => string | undefined

/** A failure says what is wrong with the manifest, or with a part that it names. `root` is the plugin's folder. */
export const load = (readText: ReadText, root: string): Result.Result<PluginContents, string> =>
  Result.gen(function*() {
    const manifestFile = PluginManifest.files.find((path) => readText(path) !== undefined)
    if (manifestFile === undefined) return yield* Result.fail(`it has no manifest: ${PluginManifest.files.at(-1)} is missing`)
    const manifest = yield* Result.mapError(PluginManifest.parse(readText(manifestFile)!), (why) => `${manifestFile}: ${why}`)
    if (manifest.module !== undefined && readText(manifest.module) === undefined)
      return yield* Result.fail(`${manifestFile}: module names ${manifest.module}, which does not exist`)
    const hooks = yield* Result.all((yield* parts(manifest.hooks, "hooks/hooks.json", manifestFile, readText)).map(({ file, json }) =>
      Result.mapBoth(PluginManifest.hooksOf(json), {
        onFailure: (why) => `${file}: ${why}`,
        onSuccess: (settings) => ({ file, settings })
      })
    ))
    const servers = yield* parts(manifest.mcpServers, ".mcp.json", manifestFile, readText)
    const mcpServers: Readonly<Record<string, Schema.Json>> = Object.assign(
      {},
      ...servers.map(({ json }) =>
        PluginManifest.serversOf(json)
      )
    )
    const faults = Object.entries(mcpServers).flatMap(([name, json]) => {
      const definition = Definition.parse(serverName(manifest.name, name), json)
      return Result.isFailure(definition) ? [`the MCP server ${JSON.stringify(name)}: ${definition.failure}`] : []
    })
    if (faults.length > 0) return yield* Result.fail(faults[0]!)
    return {
      manifest,
      hooks,
      mcpServers: Object.fromEntries(
        Object.entries(mcpServers).map(([name, json]) => [serverName(manifest.name, name), PluginManifest.withRoot(json, root)])
      )
    }
  })

/** As in Claude Code, whose tools are then called `mcp__plugin_<plugin>_<server>__<tool>` too. */
const serverName = (plugin: string, server: string): string => `plugin_${plugin}_${server}`

interface Part {
  readonly file: string
  readonly json: unknown
}

/** The JSON of files that exist, and what the manifest contains itself. Only the default file may be missing. */
const parts = (
  contents: ReadonlyArray<Schema.Json>,
  defaultFile: string,
  manifestFile: string,
  readText: ReadText
): Result.Result<ReadonlyArray<Part>, string> =>
  Result.map(
    Result.all(contents.map((content): Result.Result<ReadonlyArray<Part>, string> => {
      if (typeof content !== "string") return Result.succeed([{ file: manifestFile, json: content }])
      const text = readText(content)
      if (text === undefined)
        return content === defaultFile ? Result.succeed([]) : Result.fail(`${manifestFile} names ${content}, which does not exist`)
      return Result.mapBoth(Result.try(() => JSON.parse(text) as unknown), {
        onFailure: () => `${content} is not JSON`,
        onSuccess: (json) => [{ file: content, json }]
      })
    })),
    (lists) => lists.flat()
  )
