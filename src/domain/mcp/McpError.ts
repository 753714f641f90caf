/** A server that did not do what it was asked to. */
import * as Schema from "effect/Schema"

/** `Unwanted`: rules, the user or missing trust prevent it from starting. `Refused`: it responded with an error of its own. */
export const McpReason = Schema.Literals(["Unknown", "Unwanted", "NotStarted", "Timeout", "Auth", "Closed", "Refused"])
export type McpReason = typeof McpReason.Type

export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  server: Schema.String,
  reason: McpReason,
  message: Schema.String
}) {}
