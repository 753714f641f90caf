/** The request does not fit the model's window, with the parts that take the most room. */
import * as Schema from "effect/Schema"

export class ContextError extends Schema.TaggedError<ContextError>()("ContextError", {
  message: Schema.String,
  tokens: Schema.Int,
  window: Schema.Int
}) {}
