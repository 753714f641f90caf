/** Why a plugin can't be installed or changed. */
import * as Schema from "effect/Schema"

export class PluginError extends Schema.TaggedError<PluginError>()("PluginError", {
  plugin: Schema.String,
  message: Schema.String
}) {}
