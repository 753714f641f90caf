/** What can be wrong before any work begins: how the command was called, or what it was given. */
import * as Schema from "effect/Schema"

/** The command line itself: an unknown flag, a value that none can take. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** What was asked for is written down in a folder that the user does not trust. */
export class Untrusted extends Schema.TaggedError<Untrusted>()("Untrusted", { message: Schema.String }) {}

/** What it was given to work on: no prompt, a prompt that is no UTF-8, a folder that can't be read. */
export class InputError extends Schema.TaggedError<InputError>()("InputError", { message: Schema.String }) {}

/** What would be done needs a yes, and nobody said it. */
export class Unconfirmed extends Schema.TaggedError<Unconfirmed>()("Unconfirmed", { message: Schema.String }) {}

/** Standard output does not take what is written: nobody listens (`EPIPE`), or its disk is full (`ENOSPC`). */
export class OutputError extends Schema.TaggedError<OutputError>()("OutputError", {
  code: Schema.String,
  message: Schema.String
}) {}
