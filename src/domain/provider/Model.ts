/** A model: its name, what it can do, and what it costs. */
import * as Schema from "effect/Schema"
import { Price } from "../session/Usage.ts"
import { efforts } from "./ModelRequest.ts"

/**
 * `provider/id`; tokens for `window` and `maxOutput`. `price` is absent where nobody published one.
 * - `effort` is how the model is told to think more or less: a named effort, a budget of tokens, or not at all.
 * - `think` is what the user asked of it in its name (`provider/id:high`), where they did.
 * - `echo` is the field in which it wants its own reasoning back (Chat Completions).
 * - `cheaper` is the name of the provider's cheapest model that holds as much, where one costs less.
 * - `catalogue` is the hash of the catalogue that describes it, where one does.
 * - `margin` is the share of its window that is planned with, of a model that counts loosely.
 * - `assumed`: nobody described this model; its figures are careful defaults.
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
  assumed: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

/** What a session holds before its first event names a model. */
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

/** `provider/id[:effort]`: what describes to this very model. */
export const spelled = (model: Model): string => model.think === undefined ? title(model) : `${title(model)}:${model.think}`

/** How tool calls are told and read: through the wire's own calls, or as XML in text. */
export const ToolFormat = Schema.Literals(["native", "xml"])
export type ToolFormat = typeof ToolFormat.Type

/** What a user types, and what reasoning is marked with: `provider/id`. */
export const fullName = (model: Model): string => `${model.provider}/${model.id}`

/** Whether a name as it stands in a log means this model; an effort after it makes no difference. */
export const is = (model: Model, name: string): boolean => {
  const full = fullName(model)
  return name === full || name === model.id || name.startsWith(`${full}:`)
}
