/** The contract of a plugin's code: what its module exports, as a default export or as named ones. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { ProviderSettings } from "../../domain/config/Settings.ts"
import type { Access } from "../../domain/tool/Access.ts"
import type { Outcome } from "../../domain/tool/Outcome.ts"
import type { Input as ResultView } from "../../domain/tool/ResultView.ts"
import type { Route } from "../Route.ts"
import type { AccessContext, ToolContext } from "../Tool.ts"

/** What a tool's function gets besides its input. */
export interface PluginContext {
  readonly cwd: string
  readonly session: string
  readonly call: string
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal
  /** Shows output as it arrives. */
  readonly output: (text: string) => void
}

/** A text for the model, and a view of it for people; without a text the model reads the view in words. */
export interface ViewResult {
  readonly text?: string
  readonly view: ResultView
}

/**
 * A tool; the model calls it `plugin__<plugin>__<name>`. `schema` is JSON Schema of the input; `params`, Effect's schema
 * of a struct, may take its place, and `run` may return an Effect: a complete `Tool` fits. `access` declares what a call
 * touches, and is judged with the call. A text or a view is a successful outcome; an error that is thrown disables the plugin.
 */
export interface PluginTool {
  readonly name: string
  readonly description: string
  readonly schema?: Schema.JsonObject
  readonly params?: Schema.Codec<any, any>
  readonly access?: (input: any, context: AccessContext) => ReadonlyArray<Access>
  readonly run: (
    input: any,
    context: PluginContext
  ) => string | Outcome | ViewResult | Promise<string | Outcome | ViewResult> | Effect.Effect<Outcome, never, ToolContext>
}

/** A fact for the prompt, gathered once when a session begins; undefined adds nothing. */
export interface PluginSource {
  readonly name: string
  readonly gather: (context: { readonly cwd: string }) => string | undefined | Promise<string | undefined>
}

/** A slash command, `/<plugin>:<name>`: returns the prompt for the text after its name. */
export interface PluginCommand {
  readonly name: string
  readonly description: string
  readonly run: (text: string, context: { readonly cwd: string }) => string | Promise<string>
}

/** What people see of a tool's result: a text in place of the model's; undefined leaves it as it is. Called once, and recorded. */
export type PluginRenderer = (
  result: { readonly input: Schema.Json; readonly status: Outcome["status"]; readonly text: string }
) => string | undefined

/**
 * - `routes` are providers by name, as in the setting `providers`, or complete routes.
 * - `renderers` are by tool: the plugin's own tools by their short name, others by the name that the model calls.
 */
export interface PluginModule {
  readonly tools?: ReadonlyArray<PluginTool>
  readonly routes?: Readonly<Record<string, ProviderSettings>> | ReadonlyArray<Route>
  readonly sources?: ReadonlyArray<PluginSource>
  readonly commands?: ReadonlyArray<PluginCommand>
  readonly renderers?: Readonly<Record<string, PluginRenderer>>
}
