/**
 * Runs the code of plugins in this process: only content that the user allowed by its hash, and never in an untrusted
 * folder. A plugin whose code throws is disabled until dacapo is started again.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { pathToFileURL } from "node:url"
import { ProviderSettings } from "../../domain/config/Settings.ts"
import * as CustomTool from "../../domain/extension/CustomTool.ts"
import * as Message from "../../domain/message/Message.ts"
import { Access } from "../../domain/tool/Access.ts"
import * as Outcome from "../../domain/tool/Outcome.ts"
import * as ParamSchema from "../../domain/tool/ParamSchema.ts"
import * as Truncate from "../../domain/tool/Truncate.ts"
import type { PluginModule, PluginTool } from "../../services/extension/PluginModule.ts"
import type { Plugin, PluginResult, PluginService } from "../../services/extension/Plugins.ts"
import type { Route } from "../../services/Route.ts"
import { ToolContext } from "../../services/Tool.ts"
import type { Trust } from "../../services/Trust.ts"
import { builtin as providers } from "../provider/builtin.ts"

/** An active plugin, and its code: `module` is its file, and `isAllowed` whether the user allowed exactly this content to run. */
export interface InstalledCode extends Plugin {
  readonly hash: string
  readonly module?: string
  readonly isAllowed: boolean
}

/** A module whose code runs. */
interface LoadedPlugin {
  readonly name: string
  readonly module: PluginModule
}

type Code = Pick<PluginService, "access" | "command" | "commands" | "context" | "providers" | "render" | "run" | "tools">

/** Characters of what a plugin adds to a prompt, and of what it shows instead of a result. */
const limits = { source: 8_000, display: 4_000, description: 4_000 }

/** How long a module may take to load, and a source to answer. */
const timeLimit = "10 seconds"

export const make = (active: Effect.Effect<ReadonlyArray<InstalledCode>>, trust: Trust["Service"]): Code => {
  /** By hash: each content is loaded once. */
  const modules = new Map<string, PluginModule>()
  /** By name: why its code does not run any more. */
  const broken = new Map<string, string>()

  const disable = (name: string, action: string, error: unknown): string => {
    const message = `The plugin ${name} failed ${action} and is disabled until dacapo is started again: ${errorText(error)}`
    if (!broken.has(name)) broken.set(name, message)
    return message
  }

  const load = Effect.fnUntraced(function*({ hash, module: file, name }: InstalledCode) {
    const loaded = modules.get(hash)
    if (loaded !== undefined) return loaded
    const url = pathToFileURL(file!).href
    const module = yield* Effect.tryPromise(async (): Promise<PluginModule> => {
      // A template, because the bundled command loads modules through its own loader (scripts/build.mjs).
      const exports = await import(`${url}`) as { readonly default?: unknown }
      return checkModule(exports.default ?? exports)
    }).pipe(
      Effect.timeout(timeLimit),
      Effect.catch((error) => Effect.sync(() => void disable(name, "while loading", "cause" in error ? error.cause : error)))
    )
    if (module !== undefined) modules.set(hash, module)
    return module
  })

  /** The code that may run in a folder, and notes on what does not. */
  const open = Effect.fnUntraced(function*(cwd: string) {
    const withCode = (yield* active).filter((plugin) => plugin.module !== undefined)
    if (withCode.length === 0) return { loaded: [], notes: [] }
    const isTrusted = yield* Effect.orElseSucceed(trust.isTrusted(cwd), () => false)
    const notes: Array<string> = []
    const loaded: Array<LoadedPlugin> = []
    for (const plugin of withCode) {
      const { hash, isAllowed, name } = plugin
      if (!isAllowed)
        notes.push(
          `The code of the plugin ${name} does not run: allow this content with \`dacapo plugin enable ${name} --allow-code ${hash}\`.`
        )
      else if (!isTrusted)
        notes.push(`The code of the plugin ${name} does not run: this folder is not trusted. Run \`dacapo trust\` to trust it.`)
      else if (!broken.has(name)) {
        const module = yield* load(plugin)
        if (module !== undefined) loaded.push({ name, module })
      }
      const why = broken.get(name)
      if (why !== undefined) notes.push(why)
    }
    return { loaded, notes }
  })

  /** What was loaded for the last folder: calls are resolved without effects. */
  let running: ReadonlyArray<LoadedPlugin> = []
  const loadedPlugins = (cwd: string) => Effect.tap(open(cwd), ({ loaded }) => Effect.sync(() => void (running = loaded)))

  const findTool = ({ name: toolName, run }: CustomTool.CustomTool): { readonly plugin: string; readonly tool: PluginTool } | undefined => {
    const plugin = run._tag === "Code" && !broken.has(run.plugin) ? running.find(({ name }) => name === run.plugin) : undefined
    const tool = plugin?.module.tools?.find(({ name }) => CustomTool.pluginToolName(plugin.name, name) === toolName)
    return plugin === undefined || tool === undefined ? undefined : { plugin: plugin.name, tool }
  }

  const missing = (tool: CustomTool.CustomTool): string =>
    `${tool.name} is not available: ${
      tool.run._tag === "Code" ? broken.get(tool.run.plugin) ?? `the plugin ${tool.run.plugin} is not active here.` : ""
    }`

  /** Runs a function of a plugin; a failure has disabled the plugin. */
  const call = <A>(plugin: string, action: string, run: (signal: AbortSignal) => A | Promise<A>): Effect.Effect<Result.Result<A, string>> =>
    Effect.tryPromise(async (signal) => await run(signal)).pipe(
      Effect.match({
        onFailure: ({ cause }) => Result.fail(disable(plugin, action, cause)),
        onSuccess: (value) => Result.succeed(value)
      })
    )

  return {
    tools: Effect.fn("Plugins.tools")(function*(cwd) {
      const { loaded, notes } = yield* loadedPlugins(cwd)
      const results = loaded.flatMap(({ module: { tools = [] }, name: plugin }) => tools.map((tool) => toolOf(plugin, tool)))
      return {
        tools: results.flatMap((result) => Result.isSuccess(result) ? [result.success] : []),
        notes: [...notes, ...results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])]
      }
    }),
    access: (custom, input, { cwd, files }) => {
      const match = findTool(custom)
      if (match === undefined) return Result.fail(missing(custom))
      const { plugin, tool } = match
      return Result.try({
        try: () => decodeAccess(tool.access?.(decodeInput(tool, input), { cwd, files }) ?? []),
        catch: (error) => disable(plugin, `in the tool ${tool.name}`, error)
      })
    },
    run: Effect.fn("Plugins.run")(function*(custom, input) {
      const { call: id, cwd, output, session } = yield* ToolContext
      yield* loadedPlugins(cwd)
      const match = findTool(custom)
      if (match === undefined) return { outcome: Outcome.failed(missing(custom)) }
      const { plugin, tool } = match
      const action = `in the tool ${tool.name}`
      const result = yield* call(plugin, action, (signal) => tool.run(decodeInput(tool, input), { call: id, cwd, output, session, signal }))
      if (Result.isFailure(result)) return { outcome: Outcome.failed(result.failure) }
      if (!Effect.isEffect(result.success)) return resultOf(result.success)
      return yield* result.success.pipe(
        Effect.map(resultOf),
        Effect.catchDefect((defect) => Effect.sync(() => ({ outcome: Outcome.failed(disable(plugin, action, defect)) })))
      )
    }),
    render: Effect.fnUntraced(function*(toolName, input, { content, status }) {
      for (const { module: { renderers = {} }, name } of running) {
        const key = Object.keys(renderers).find((key) => key === toolName || CustomTool.pluginToolName(name, key) === toolName)
        if (key === undefined || broken.has(name)) continue
        const result = yield* call(name, `while rendering ${key}`, () => renderers[key]!({ input, status, text: Message.text(content) }))
        if (Result.isSuccess(result) && typeof result.success === "string") return Truncate.middle(result.success, limits.display)
      }
      return undefined
    }),
    context: Effect.fn("Plugins.context")(function*(cwd) {
      const { loaded } = yield* loadedPlugins(cwd)
      const facts = yield* Effect.forEach(
        loaded.flatMap(({ module: { sources = [] }, name: plugin }) => sources.map((source) => ({ plugin, source }))),
        ({ plugin, source }) =>
          call(plugin, `in the source ${source.name}`, () => source.gather({ cwd })).pipe(
            Effect.timeoutOption(timeLimit),
            Effect.map(
              Option.getOrElse(() => Result.fail(disable(plugin, `in the source ${source.name}`, `it did not answer within ${timeLimit}`)))
            ),
            Effect.map((result) =>
              Result.isSuccess(result) && typeof result.success === "string" && result.success.trim() !== ""
                ? [{ name: `${plugin}:${source.name}`, text: Truncate.middle(result.success.trim(), limits.source) }] : []
            )
          ),
        { concurrency: "unbounded" }
      )
      return facts.flat()
    }),
    providers: Effect.fn("Plugins.providers")(function*(cwd) {
      const { loaded } = yield* loadedPlugins(cwd)
      const isFree = (name: string) => !builtinProviders.has(name)
      const all = loaded.map(({ module: { routes = {} } }) => routes as unknown)
      return {
        settings: Object.fromEntries(
          all.flatMap((one) => ParamSchema.isObject(one) ? Object.entries(one) : []).flatMap(([name, json]) =>
            Option.match(decodeProvider(json), { onNone: () => [], onSome: (settings) => isFree(name) ? [[name, settings] as const] : [] })
          )
        ),
        routes: all.flatMap((one) => Array.isArray(one) ? one.filter(isRoute) : []).filter(({ name }) => isFree(name))
      }
    }),
    commands: Effect.fnUntraced(function*(cwd) {
      const { loaded } = yield* loadedPlugins(cwd)
      return loaded.flatMap(({ module: { commands = [] }, name: plugin }) =>
        commands.map(({ description, name }) => ({ name: `${plugin}:${name}`, description }))
      )
    }),
    command: Effect.fnUntraced(function*(cwd, name, rest) {
      const { loaded } = yield* loadedPlugins(cwd)
      for (const { module: { commands = [] }, name: plugin } of loaded) {
        const command = commands.find((one) => `${plugin}:${one.name}` === name)
        if (command === undefined) continue
        const result = yield* call(plugin, `in the command ${command.name}`, () => command.run(rest, { cwd }))
        return Result.isSuccess(result) ? String(result.success) : `[${result.failure}]`
      }
      return undefined
    })
  }
}

const builtinProviders: ReadonlySet<string> = new Set(providers.map(({ name }) => name))

const errorText = (error: unknown): string =>
  Truncate.line(error instanceof Error ? error.message : String(error), 500).replace(/\.?$/, ".")

/** Lists of objects with names, as the contract says: anything else would fail later, and less clearly. */
const checkModule = (exports: unknown): PluginModule => {
  if (!ParamSchema.isObject(exports)) throw new Error("its module exports no object")
  for (const part of ["tools", "sources", "commands"] as const) {
    const list = exports[part] ?? []
    if (!Array.isArray(list) || !list.every((one) => ParamSchema.isObject(one) && typeof one["name"] === "string"))
      throw new Error(`its module's ${part} must be a list of objects with names`)
  }
  if (!ParamSchema.isObject(exports["renderers"] ?? {})) throw new Error("its module's renderers must be an object of functions")
  return exports as PluginModule
}

/** What is recorded of a plugin's tool. */
const toolOf = (plugin: string, { description, name, params, schema }: PluginTool): Result.Result<CustomTool.CustomTool, string> => {
  const fullName = /^[a-z][a-z0-9_-]*$/.test(name) ? CustomTool.pluginToolName(plugin, name) : undefined
  if (fullName === undefined)
    return Result.fail(
      `The plugin ${plugin} has a tool ${
        JSON.stringify(name.slice(0, 80))
      }, whose name must consist of lower-case letters, digits, "_" and "-", and not be longer.`
    )
  return Result.try({
    try: () => ({
      name: fullName,
      description: String(description ?? "").slice(0, limits.description),
      schema: schema !== undefined ? ParamSchema.inlineRefs(schema)
        : params !== undefined ? ParamSchema.fromSchema(params) : { type: "object", properties: {} },
      run: { _tag: "Code" as const, plugin }
    }),
    catch: (error) => `The tool ${name} of the plugin ${plugin} can't be used: ${errorText(error)}`
  })
}

const decodeInput = ({ params }: PluginTool, input: Schema.JsonObject): unknown =>
  params === undefined ? input : Schema.decodeUnknownSync(params)(input)

const decodeAccess = Schema.decodeUnknownSync(Schema.Array(Access))
const decodeOutcome = Schema.decodeUnknownOption(Outcome.Outcome)
const decodeProvider = Schema.decodeUnknownOption(ProviderSettings)

/** A text, an outcome, or a view with or without a text; anything else is shown to the model as JSON. */
const resultOf = (value: unknown): PluginResult => {
  if (typeof value === "string") return { outcome: Outcome.succeeded(value) }
  const { text, view, ...rest } = ParamSchema.isObject(value) ? value : {}
  if (view === undefined) return { outcome: Option.getOrElse(decodeOutcome(value), () => Outcome.structured(value ?? null)) }
  const { content } = typeof text === "string" ? Outcome.succeeded(text) : { content: [] }
  return { view, outcome: Option.getOrElse(decodeOutcome({ status: "succeeded", content, ...rest }), () => Outcome.structured(rest)) }
}

const isRoute = (value: unknown): value is Route => ParamSchema.isObject(value) && typeof value["connect"] === "function"
