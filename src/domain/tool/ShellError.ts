/** A command that could not be started; one that ran and failed is a result. */
import * as Schema from "effect/Schema"

export class ShellError extends Schema.TaggedError<ShellError>()("ShellError", {
  command: Schema.String,
  reason: Schema.Literals(["NoShell", "NoFolder", "Limits", "Other"]),
  message: Schema.String
}) {}
