/** A model: its name, what it can do, and what it costs. */
import * as Schema from "effect/Schema"
import { Price } from "../session/Usage.ts"

/** `provider/id`; tokens for `window` and `maxOutput`. `price` is absent where nobody published one. */
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
  price: Schema.optionalKey(Price)
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

/** How tool calls are told and read: through the wire's own calls, or as XML in text. */
export const ToolFormat = Schema.Literals(["native", "xml"])
export type ToolFormat = typeof ToolFormat.Type
