/** Installs, updates and removes plugins: copies of their content in the data folder, each identified by its hash. */
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { dirname } from "node:path"
import { optional } from "../../domain/Optional.ts"
import { PluginError } from "../../domain/extension/PluginError.ts"
import * as PluginContents from "./PluginContents.ts"
import * as PluginFiles from "./PluginFiles.ts"
import * as PluginRegistry from "./PluginRegistry.ts"
import * as PluginSources from "./PluginSources.ts"

/** An installed plugin as people see it. `problem` says why it is not active although it is enabled. */
export interface InstalledPlugin extends PluginRegistry.PluginRecord {
  readonly name: string
  readonly folder: string
  readonly problem?: string
}

/** What an installation brings, in lines of a few words. */
export interface InstallResult {
  readonly plugin: InstalledPlugin
  readonly parts: ReadonlyArray<string>
  /** Whether the content differs from what was installed before. */
  readonly isChanged: boolean
}

const decoder = new TextDecoder()

export const make = Effect.gen(function*() {
  const registry = yield* PluginRegistry.make

  const find = Effect.fnUntraced(function*(name: string) {
    const records = yield* registry.records
    const record = records.get(name)
    if (record !== undefined) return record
    const names = [...records.keys()].join(", ")
    return yield* new PluginError({
      plugin: name,
      message: names === "" ? "is not installed, and neither is any other plugin" : `is not installed. Installed plugins: ${names}`
    })
  })

  const entry = (name: string, record: PluginRegistry.PluginRecord): InstalledPlugin => {
    const folder = registry.folder(name, record)
    const hash = PluginFiles.folderHash(folder)
    return {
      name,
      ...record,
      folder,
      ...(hash === record.hash ? {}
        : { problem: hash === undefined ? "its files are missing or unreadable" : "its content changed since it was installed" })
    }
  }

  const put = Effect.fnUntraced(function*(source: PluginSources.PluginSource, { allowCode, name, pin }: InstallOptions) {
    const files = yield* PluginSources.fetch(source)
    const fail = (message: string) => new PluginError({ plugin: PluginSources.describe(source), message })
    const hash = PluginFiles.hash(files)
    if (pin !== undefined && !isHash(pin, hash)) return yield* fail(`its content has the hash ${hash}, not ${pin}. Nothing was installed`)
    const texts = new Map(files.map(({ bytes, path }) => [path, bytes]))
    const readText = (path: string) => texts.has(path) ? decoder.decode(texts.get(path)) : undefined
    const contents = yield* Effect.mapError(Effect.fromResult(PluginContents.load(readText, "${CLAUDE_PLUGIN_ROOT}")), fail)
    const { description, module, name: ownName, version } = contents.manifest
    const previous = (yield* registry.records).get(ownName)
    if (name !== undefined && name !== ownName) return yield* fail(`it is now called ${ownName}, not ${name}. Nothing was changed`)
    if (name === undefined && previous !== undefined && PluginSources.describe(previous.source) !== PluginSources.describe(source))
      return yield* fail(`a plugin ${ownName} is installed from ${PluginSources.describe(previous.source)}. Remove it first`)
    if (allowCode !== undefined && !isHash(allowCode, hash))
      return yield* fail(`its content has the hash ${hash}, not ${allowCode}. Nothing was installed`)
    const record: PluginRegistry.PluginRecord = {
      source,
      hash,
      enabled: previous?.enabled ?? true,
      ...optional({ description, module, version }),
      ...optional({ code: allowCode !== undefined ? hash : previous?.code === hash ? hash : undefined })
    }
    const folder = registry.folder(ownName, record)
    yield* Effect.try({ try: () => PluginFiles.write(folder, files), catch: (error) => fail((error as Error).message) })
    yield* registry.put(ownName, record)
    if (previous !== undefined && previous.hash !== hash) removeFolder(registry.folder(ownName, previous))
    return {
      plugin: entry(ownName, record),
      parts: partsOf(contents, [...texts.keys()]),
      isChanged: previous?.hash !== hash
    } satisfies InstallResult
  })

  const change = Effect.fnUntraced(function*(name: string, next: (record: PluginRegistry.PluginRecord) => PluginRegistry.PluginRecord) {
    const record = next(yield* find(name))
    yield* registry.put(name, record)
    return entry(name, record)
  })

  return {
    list: Effect.map(registry.records, (records) => [...records].map(([name, record]) => entry(name, record))),
    install: (source: PluginSources.PluginSource, options: Omit<InstallOptions, "name">) => put(source, options),
    update: (name: string, options: Omit<InstallOptions, "name">) =>
      Effect.flatMap(find(name), ({ source }) => put(source, { ...options, name })),
    enable: Effect.fnUntraced(function*(name: string, allowCode: string | undefined) {
      const { hash } = yield* find(name)
      if (allowCode !== undefined && !isHash(allowCode, hash))
        return yield* new PluginError({ plugin: name, message: `has the hash ${hash}, not ${allowCode}. Nothing was changed` })
      return yield* change(name, (record) => ({ ...record, enabled: true, ...(allowCode === undefined ? {} : { code: hash }) }))
    }),
    disable: (name: string) => change(name, (record) => ({ ...record, enabled: false })),
    /** Without a trace: its files, its record, and after the last one the places of both. */
    remove: Effect.fnUntraced(function*(name: string) {
      yield* find(name)
      yield* registry.put(name, undefined)
      yield* Effect.sync(() => fs.rmSync(dirname(registry.folder(name, { hash: "sha256-" })), { recursive: true, force: true }))
      if ((yield* registry.records).size > 0) return
      yield* Effect.sync(() => {
        removeFolder(registry.root)
        fs.rmSync(registry.path, { force: true })
      })
    })
  }
})

/** `pin`: the hash that the content must have. `allowCode`: that of the content whose code may run. `name`: of an update. */
interface InstallOptions {
  readonly pin: string | undefined
  readonly allowCode: string | undefined
  readonly name?: string
}

/** A hash in full, with or without the name of its algorithm. */
const isHash = (text: string, hash: string): boolean => text === hash || `sha256-${text}` === hash

const removeFolder = (folder: string): void => fs.rmSync(folder, { recursive: true, force: true })

/** What it adds, and what it runs. */
const partsOf = ({ hooks, manifest, mcpServers }: PluginContents.PluginContents, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const count = (folders: ReadonlyArray<string>, pattern: RegExp) =>
    paths.filter((path) => pattern.test(path) && folders.some((folder) => path === folder || path.startsWith(`${folder}/`))).length
  const counts = [
    [count(manifest.commands, /\.md$/), "command"],
    [count(manifest.agents, /\.md$/), "agent"],
    [count(manifest.skills, /\/SKILL\.md$/), "skill"],
    [count(manifest.tools, /\.(?:md|json)$/), "tool"]
  ] as const
  const actions = hooks.flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([event, groups]) =>
      groups.flatMap((group) =>
        group.hooks.map((action) => `hook for ${event}: ${action.type === "command" ? action.command : action.url}`)
      )
    )
  )
  return [
    ...counts.flatMap(([number, word]) => number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`]),
    ...actions,
    ...Object.entries(mcpServers).map(([name, json]) => `MCP server ${name}: ${JSON.stringify(json)}`),
    ...(manifest.module === undefined ? [] : [`code: ${manifest.module}`])
  ]
}
