/** A model: its name, what it can do, and what it costs. */
import * as Schema from "effect/Schema"
import { Price } from "../session/Usage.ts"
import { type Effort, efforts } from "./ModelRequest.ts"

/**
 * `provider/id`; `window` and `maxOutput` are in tokens. `price` is absent if none is published.
 * - `effort`: how to set the amount of thinking, by a named effort or a token budget; absent if it can't be set.
 * - `think`: the effort that the user requested in the name (`provider/id:high`).
 * - `echo`: the field in which it expects its own reasoning back (Chat Completions).
 * - `cheaper`: the provider's cheapest model with at least the same window, if one costs less.
 * - `catalogue`: the hash of the catalogue that describes it.
 * - `margin`: the share of the window that is used, for a model whose token counts are unreliable.
 * - `assumed`: it has no description, and these are defaults. Then `similar` are similar names in the catalogue.
 * - `wire`: the wire that it is called on, where its provider has had several. A session continues and replays on its own.
 * - `cacheMarks`: whether its requests carry cache marks; absent if its wire decides.
 * - `unstatedOutput`: nobody states its output limit. `maxOutput` is planned with, and sent only where a wire requires a limit.
 */
export const Model = Schema.Struct({
  provider: Schema.String,
  id: Schema.String,
  name: Schema.String,
  window: Schema.Int,
  maxOutput: Schema.Int,
  nativeTools: Schema.Boolean,
  reasoning: Schema.Boolean,
  images: Schema.Boolean,
  documents: Schema.Boolean,
  temperature: Schema.Boolean,
  price: Schema.optionalKey(Price),
  effort: Schema.optionalKey(Schema.Union([
    Schema.Struct({ kind: Schema.Literal("named"), values: Schema.Array(Schema.String) }),
    Schema.Struct({ kind: Schema.Literal("budget"), min: Schema.Int, max: Schema.optionalKey(Schema.Int) })
  ])),
  think: Schema.optionalKey(Schema.Literals(efforts)),
  echo: Schema.optionalKey(Schema.String),
  cheaper: Schema.optionalKey(Schema.String),
  catalogue: Schema.optionalKey(Schema.String),
  margin: Schema.optionalKey(Schema.Finite),
  assumed: Schema.optionalKey(Schema.Boolean),
  similar: Schema.optionalKey(Schema.Array(Schema.String)),
  wire: Schema.optionalKey(Schema.String),
  unstatedOutput: Schema.optionalKey(Schema.Boolean),
  cacheMarks: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

/** The model of a session before its first event names one. */
export const unknown: Model = {
  provider: "",
  id: "",
  name: "",
  window: 0,
  maxOutput: 0,
  nativeTools: false,
  reasoning: false,
  images: false,
  documents: false,
  temperature: false
}

/** `provider/id`, as users write it. */
export const title = ({ id, provider }: Model): string => `${provider}/${id}`

/** `provider/id[:effort]`: the name that describes exactly this model. */
export const nameWithEffort = (model: Model): string => model.think === undefined ? title(model) : `${title(model)}:${model.think}`

/** `provider/model[:effort]`, parsed. Only a valid effort counts as one: ids of local models contain colons, too. */
export interface Name {
  readonly provider: string
  readonly id: string
  readonly effort?: Effort
}

export const parseName = (name: string): Name => {
  const slash = name.indexOf("/")
  const provider = slash === -1 ? "" : name.slice(0, slash)
  const rest = name.slice(slash + 1)
  const colon = rest.lastIndexOf(":")
  const effort = efforts.find((effort) => colon > 0 && effort === rest.slice(colon + 1))
  return effort === undefined ? { provider, id: rest } : { provider, id: rest.slice(0, colon), effort }
}

/** The share of a context window that is used if nobody knows how the model counts tokens. */
const assumedMargin = 0.85

/** Families whose models see images. */
const seesImages = /claude|gemini|gpt-(?:4o|4\.1|[5-9])|grok-[4-9]|pixtral|llava|-vl\b|vision|llama-?4|gemma-?[3-9]|kimi-k[3-9]/i

/** A model without an entry, with native tool calls, which nearly all have today. `window` is what its server reports, if it does. */
export const assumed = (provider: string, id: string, options: { readonly local: boolean; readonly window?: number }): Model => ({
  provider,
  id,
  name: id,
  window: options.window ?? (options.local ? 8_192 : 128_000),
  maxOutput: options.local ? 4_096 : 16_384,
  nativeTools: true,
  reasoning: false,
  images: seesImages.test(id),
  documents: false,
  temperature: true,
  margin: assumedMargin,
  assumed: true,
  unstatedOutput: true
})

/** How tools are described and called: natively on the wire, or as XML in text. */
export const ToolFormat = Schema.Literals(["native", "xml"])
export type ToolFormat = typeof ToolFormat.Type

/** A model, and how its tools are called. */
export const ModelChoice = Schema.Struct({ model: Model, toolFormat: ToolFormat }).annotate({ identifier: "Choice" })
export type ModelChoice = typeof ModelChoice.Type

/** `provider/id`: what a user types, and what reasoning is marked with. */
export const fullName = (model: Model): string => `${model.provider}/${model.id}`

/** Whether a name from a log refers to this model, with or without an effort. */
export const isNamed = (model: Model, name: string): boolean => {
  const full = fullName(model)
  return name === full || name === model.id || name.startsWith(`${full}:`)
}

/** Ids of Claude models as gateways write them: `claude-…`, `anthropic/claude-…`, `bedrock/us.anthropic.claude-…`. */
const claude = /claude/i

/**
 * Whether requests to a model carry cache marks: as the user set it, else by the model's id, for Claude caches only what is marked, also
 * behind a gateway with another wire. Undefined where the wire decides, and on the user's own machine.
 */
export const cacheMarks = (
  { local, wire }: { readonly local: boolean; readonly wire: string },
  id: string,
  setting: boolean | undefined
): boolean | undefined => setting ?? (wire === "openai-chat" && !local && claude.test(id) ? true : undefined)
