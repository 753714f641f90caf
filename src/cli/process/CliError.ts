/** Errors of the command line and of its input, found before a task starts. */
import * as Schema from "effect/Schema"

/** The command line is wrong: an unknown flag, an invalid value. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** A command was called with a subcommand that it does not have. */
export const unknownAction = (command: string, action: string, expected: ReadonlyArray<string>): UsageError =>
  new UsageError({
    message: `"${action}" is not a valid action of \`dacapo ${command}\`; expected ` +
      `${expected.length === 1 ? "" : "one of "}${expected.join(", ")}.`
  })

/** The command needs something that is defined in an untrusted folder. */
export class UntrustedError extends Schema.TaggedError<UntrustedError>()("Untrusted", { message: Schema.String }) {}

/** The input is wrong: no prompt, a prompt that is not UTF-8, an unreadable folder. */
export class InputError extends Schema.TaggedError<InputError>()("InputError", { message: Schema.String }) {}

/** The action needs a confirmation that was not given. */
export class UnconfirmedError extends Schema.TaggedError<UnconfirmedError>()("Unconfirmed", { message: Schema.String }) {}

/** The telemetry collector can't be reached, or rejected what it was sent. */
export class CollectorError extends Schema.TaggedError<CollectorError>()("CollectorError", { message: Schema.String }) {}

/** The registry of MCP servers can't be reached, or its answer can't be read. */
export class RegistryError extends Schema.TaggedError<RegistryError>()("RegistryError", { message: Schema.String }) {}

/** Writing to standard output failed: its reader is gone (`EPIPE`), or the disk is full (`ENOSPC`). */
export class OutputError extends Schema.TaggedError<OutputError>()("OutputError", {
  code: Schema.String,
  message: Schema.String
}) {}
