/** The sandbox that was asked for is not to be had here; nothing runs without it. */
import * as Schema from "effect/Schema"

export class SandboxError extends Schema.TaggedError<SandboxError>()("SandboxError", {
  mode: Schema.String,
  message: Schema.String
}) {}
