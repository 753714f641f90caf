/** A server that did not do what it was asked. */
import * as Schema from "effect/Schema"

/** `Unwanted`: rules, the user or trust keep it from starting. `Refused`: it answered, with an error of its own. */
export const McpReason = Schema.Literals(["Unknown", "Unwanted", "NotStarted", "Timeout", "Auth", "Closed", "Refused"])
export type McpReason = typeof McpReason.Type

export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  server: Schema.String,
  reason: McpReason,
  message: Schema.String
}) {}
