/** A setting or rule that can't be taken as it stands: what, where, and what was meant. */
import * as Schema from "effect/Schema"

/** `where` is a flag, or a file with its line. */
export class SettingsError extends Schema.TaggedError<SettingsError>()("SettingsError", {
  where: Schema.String,
  message: Schema.String
}) {}
