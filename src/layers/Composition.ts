/**
 * Wires layers into an agent. A composition is a record with one layer for each service: what is replaced in the record is
 * neither built nor loaded, and what is missing from it is a requirement in the type of the result.
 */
import type * as FileSystem from "effect/FileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Agent } from "../services/Agent.ts"
import type { Approval } from "../services/Approval.ts"
import type { Approver } from "../services/Approver.ts"
import type { BackgroundCommands } from "../services/BackgroundCommands.ts"
import type { Browser } from "../services/Browser.ts"
import type { Budget } from "../services/Budget.ts"
import type { Checkpoints } from "../services/Checkpoints.ts"
import type { ContextWindow } from "../services/ContextWindow.ts"
import type { Definitions } from "../services/Definitions.ts"
import type { Diff } from "../services/Diff.ts"
import type { Environment } from "../services/Environment.ts"
import type { EventLog } from "../services/EventLog.ts"
import type { Hooks } from "../services/extension/Hooks.ts"
import type { Ids } from "../services/Ids.ts"
import type { Intake } from "../services/Intake.ts"
import type { JsonFiles } from "../services/JsonFiles.ts"
import type { Parser } from "../services/Parser.ts"
import type { Provider } from "../services/Provider.ts"
import type { Redactor } from "../services/Redactor.ts"
import type { Settings, SettingsSnapshot } from "../services/Settings.ts"
import type { Shell } from "../services/Shell.ts"
import type { Skills } from "../services/Skills.ts"
import type { Storage } from "../services/Storage.ts"
import type { Subagents } from "../services/Subagents.ts"
import type * as Tool from "../services/Tool.ts"
import type { Tools } from "../services/Tools.ts"
import type { Trust } from "../services/Trust.ts"
import type { Web } from "../services/Web.ts"
import type { Workspace } from "../services/Workspace.ts"
import type { SmallFiles } from "./context/sources/SmallFile.ts"

/** The service that each part provides. Those with a default of their own (a Context.Reference) require nothing: `never`. */
export interface Services {
  readonly agent: Agent
  readonly approval: Approval
  readonly approver: Approver
  readonly backgroundCommands: BackgroundCommands
  readonly browser: Browser
  readonly budget: Budget
  readonly checkpoints: Checkpoints
  readonly codeSearch: never
  readonly contextWindow: ContextWindow
  readonly crashReports: never
  readonly customTools: never
  readonly definitions: Definitions
  readonly diagnostics: never
  readonly diff: Diff
  readonly environment: Environment
  readonly eventLog: EventLog
  readonly fileSystem: FileSystem.FileSystem
  readonly hooks: Hooks
  readonly ids: Ids
  readonly intake: Intake
  readonly jsonFiles: JsonFiles
  readonly keys: never
  readonly mcp: never
  readonly parser: Parser
  readonly plugins: never
  readonly provider: Provider
  readonly redactor: Redactor
  readonly settings: Settings
  readonly settingsSnapshot: SettingsSnapshot
  readonly shell: Shell
  readonly skills: Skills
  readonly smallFiles: SmallFiles
  readonly storage: Storage
  readonly subagents: Subagents
  readonly telemetry: never
  /** The Tools service as a whole; to add tools, use the option `tools`. */
  readonly toolset: Tools
  readonly trust: Trust
  readonly web: Web
  readonly webSearch: never
  readonly workspace: Workspace
  readonly worktrees: never
}

/** Every service of a complete composition. */
export type All = Services[keyof Services]

/** The layer of each service; its errors and requirements are its own. */
export type Parts<E = unknown, R = unknown> = { readonly [K in keyof Services]: Layer.Layer<Services[K], E, R> }

/** The order of construction: the layer of a service may require the services of the lines above it. */
const order = [
  ["approval", "definitions", "diff", "environment", "fileSystem", "ids", "parser"],
  ["jsonFiles"],
  ["storage", "trust"],
  ["plugins", "redactor"],
  ["telemetry"],
  ["eventLog", "keys", "settings"],
  ["crashReports", "settingsSnapshot"],
  ["approver", "browser", "provider", "shell", "web", "webSearch", "workspace"],
  ["backgroundCommands", "budget", "checkpoints", "hooks", "smallFiles"],
  ["codeSearch", "customTools", "diagnostics", "mcp", "skills"],
  ["worktrees"],
  ["toolset"],
  ["contextWindow", "intake", "subagents"],
  ["agent"]
] as const satisfies ReadonlyArray<ReadonlyArray<keyof Services>>

type Order = typeof order

/** The parts that are built before `K`. */
type Earlier<K, Rest = Order, Seen = never> = Rest extends readonly [infer Line extends ReadonlyArray<unknown>, ...infer More]
  ? K extends Line[number] ? Seen : Earlier<K, More, Seen | Line[number]>
  : never

/** The services that the layer of part `K` may require of a complete composition. */
export type Below<K> = Services[Earlier<K> & keyof Services]

/** The services of a composition: of the parts that it certainly has. */
export type Provided<P> = { readonly [K in keyof P]-?: {} extends Pick<P, K> ? never : Services[K & keyof Services] }[keyof P]

/** The errors of a composition's layers. */
export type Failure<P> = { readonly [K in keyof P]-?: ErrorOf<P[K]> }[keyof P]

/** What a composition still requires: each part's own requirements, without the services that are built before it. */
export type Missing<P> = {
  readonly [K in keyof P]-?: Exclude<RequirementsOf<P[K]>, Provided<Pick<P, Earlier<K> & keyof P>>>
}[keyof P]

type ErrorOf<L> = L extends Layer.Any ? Layer.Error<L> : never
type RequirementsOf<L> = L extends Layer.Any ? Layer.Services<L> : never

/**
 * No other properties than these: a misspelt one is an error that says so, instead of being ignored. The properties of a type
 * parameter are not known yet, so that a function of the caller's own can pass its parameter on.
 */
export type Exact<T, Keys extends PropertyKey> =
  & T
  & (true extends HasOthers<T, Keys> ? { readonly [K in Exclude<keyof T, Keys>]: `${K & string} is not an option` } : T)

/** The compiler tries a type parameter as `any`, which has none: then both branches of the condition above are possible. */
type HasOthers<T, Keys> = [string] extends [keyof T] ? false : [Exclude<keyof T, Keys>] extends [never] ? false : true

/** A layer whose module is loaded when it is built. */
export const lazy = <L extends Layer.Any>(load: () => Promise<L>): Layer.Layer<Layer.Success<L>, Layer.Error<L>, Layer.Services<L>> =>
  Layer.unwrap(Effect.promise(load as () => Promise<never>))

/**
 * The parts as one layer, each over those that stand below it. What they require and nobody provides is required of the
 * caller; a complete composition requires nothing.
 */
export const layer = <const P extends Partial<Parts>>(
  parts: Exact<P, keyof Parts>
): Layer.Layer<Provided<P>, Failure<P>, Missing<P>> =>
  order.reduce<Layer.Layer<never, unknown, unknown>>((below, keys) => {
    const [first, ...others] = keys.flatMap((key) => {
      const part = (parts as Partial<Parts>)[key]
      return part === undefined ? [] : [part]
    })
    return first === undefined ? below : Layer.provideMerge(Layer.mergeAll(first, ...others), below)
  }, Layer.empty) as Layer.Layer<Provided<P>, Failure<P>, Missing<P>>

/** The replacements among the options of a composition. */
type Replacements<O> = Pick<O, keyof O & keyof Services>

/** The services of the tools that are added. */
type ToolServices<O> = O extends { readonly tools?: infer T } ? T extends ReadonlyArray<infer One> ? Tool.Services<One> : never : never

/** A complete composition whose defaults may fail with `E`, with the replacements and tools of `O`. */
export type Replaced<E, O> = Layer.Layer<
  All,
  E | Failure<Replacements<O>>,
  Open<Replacements<O>> | Exclude<ToolServices<O>, Below<"toolset">>
>

/** What replacements need besides the services that are built before them. */
type Open<P> = { readonly [K in keyof P]-?: Exclude<RequirementsOf<P[K]>, Below<K>> }[keyof P]

/**
 * A complete composition in which the services that `options` name are replaced. It may fail as its defaults and its
 * replacements do; it requires what replacements and tools need besides the services that are built before them.
 */
export const replaced = <const Defaults extends Partial<Parts>, const O extends Partial<Parts>>(
  defaults: Defaults,
  options: O
): Replaced<Failure<Defaults>, O> => {
  const replacements = Object.fromEntries(order.flat().flatMap((key) => options[key] === undefined ? [] : [[key, options[key]]]))
  return layer({ ...defaults, ...replacements } as Partial<Parts>) as never
}
