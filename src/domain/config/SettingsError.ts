/** A setting or rule that is invalid: what, where, and what was probably meant. */
import * as Schema from "effect/Schema"

/** `where` is a flag, or a file with its line. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  where: Schema.String,
  message: Schema.String
}) {}
