/** Tools without code: the files of the project (once the user trusts their content), of the user, and of plugins. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ProjectFiles from "../../domain/config/ProjectFiles.ts"
import * as CustomTool from "../../domain/extension/CustomTool.ts"
import * as CustomToolFile from "../../domain/extension/CustomToolFile.ts"
import { CustomTools, type CustomToolList } from "../../services/extension/CustomTools.ts"
import { Plugins } from "../../services/extension/Plugins.ts"
import { Environment } from "../../services/Environment.ts"
import { Bare } from "../../services/Settings.ts"
import { Trust } from "../../services/Trust.ts"
import { SmallFiles } from "../context/sources/SmallFile.ts"
import * as JsonText from "../settings/JsonText.ts"

/** Limits: bytes of a file, and files in a folder. */
const limits = { bytes: 64 * 1024, count: 100 }

interface ToolFolder {
  readonly folder: string
  /** The plugin that it belongs to. */
  readonly plugin?: { readonly name: string; readonly root: string }
  /** Why a file is inactive; undefined if it is active. */
  readonly skipReason: (file: string, content: string) => string | undefined
}

export const layer: Layer.Layer<never, never, Environment | SmallFiles | Trust> = Layer.effect(
  CustomTools,
  Effect.gen(function*() {
    const { folders: { config } } = yield* Environment
    const files = yield* SmallFiles
    const plugins = yield* Plugins
    const trust = yield* Trust
    const bare = yield* Bare

    /** The project's before the user's before those of plugins. */
    const toolFolders = Effect.fnUntraced(function*(cwd: string): Effect.fn.Return<ReadonlyArray<ToolFolder>> {
      const isTrusted = yield* Effect.orElseSucceed(trust.isTrusted(cwd), () => false)
      const isActive = yield* Effect.orElseSucceed(trust.activePredicate(cwd), () => () => false)
      const why = isTrusted ? "it changed since you trusted this folder. Run `dacapo trust` to confirm it"
        : "this folder is not trusted. Run `dacapo trust` to trust it"
      const active = yield* plugins.active
      return [
        ...ProjectFiles.paths("tools").map((path): ToolFolder => ({
          folder: `${cwd}/${path}`,
          skipReason: (file, content) => isActive(`${path}/${file}`, contentOf(file, content)) ? undefined : why
        })),
        { folder: `${config}/tools`, skipReason: () => undefined },
        ...active.plugins.flatMap(({ name, root, tools }) =>
          tools.map((folder): ToolFolder => ({ folder, plugin: { name, root }, skipReason: () => undefined }))
        )
      ]
    })

    const read = Effect.fnUntraced(function*({ folder, plugin, skipReason }: ToolFolder, file: string) {
      const content = yield* files.read(`${folder}/${file}`, limits.bytes)
      if (content._tag === "Folder" || content._tag === "Missing") return []
      const result = content._tag === "TooLarge" ? Result.fail(`it is larger than ${limits.bytes} bytes`)
        : content._tag === "Closed" ? Result.fail(content.why)
        : Result.flatMap(
          CustomToolFile.parse(file, content.text),
          (tool) => {
            const why = skipReason(file, content.text)
            return why === undefined ? ofPlugin(tool, plugin) : Result.fail(why)
          }
        )
      return [{ file: `${folder}/${file}`, result }]
    })

    const list = Effect.fn("CustomTools.list")(function*(cwd: string): Effect.fn.Return<CustomToolList> {
      const tools = new Map<string, CustomTool.CustomTool>()
      const notes: Array<string> = []
      if (bare) return { tools: [], notes }
      for (const source of yield* toolFolders(cwd)) {
        const names = [...yield* files.names(source.folder)].filter((name) => /\.(?:md|json)$/.test(name)).sort().slice(0, limits.count)
        for (const { file, result } of (yield* Effect.forEach(names, (name) => read(source, name))).flat()) {
          const why = Result.isFailure(result) ? result.failure
            : tools.has(result.success.name) ? "a nearer file defines a tool of that name" : undefined
          if (why !== undefined) notes.push(`The tool of ${file} is not available: ${why}.`)
          else if (Result.isSuccess(result)) tools.set(result.success.name, result.success)
        }
      }
      const code = yield* plugins.tools(cwd)
      for (const tool of code.tools) if (!tools.has(tool.name)) tools.set(tool.name, tool)
      return {
        tools: [...tools.values()].sort((a, b) => a.name < b.name ? -1 : 1),
        notes: [...notes, ...(yield* plugins.active).notes, ...code.notes]
      }
    })

    return { list }
  })
)

/** What trust is bound to: the value of JSON, else the text. */
const contentOf = (file: string, text: string) => file.endsWith(".json") ? Result.getOrElse(JsonText.parse(text), () => text) ?? {} : text

/** A plugin's tool has its plugin's name before its own. */
const ofPlugin = (tool: CustomTool.CommandTool, plugin: ToolFolder["plugin"]): Result.Result<CustomTool.CustomTool, string> => {
  if (plugin === undefined) return Result.succeed(tool)
  const name = CustomTool.pluginToolName(plugin.name, tool.name)
  return name === undefined ? Result.fail("its name together with the plugin's is too long")
    : Result.succeed({ ...tool, name, run: { ...tool.run, plugin } })
}
