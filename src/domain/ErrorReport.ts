/** How a typed error is reported: what it is about, why it happened, what was probably meant, and what to do next. */
import * as Match from "effect/Match"
import type { ContextError } from "./context/ContextError.ts"
import type { EditError } from "./diff/EditError.ts"
import type { ProviderError } from "./provider/ProviderError.ts"
import type { RuleError } from "./approval/RuleParser.ts"
import type { LogError } from "./session/LogError.ts"
import type { McpError } from "./mcp/McpError.ts"
import type { SettingsError } from "./config/SettingsError.ts"
import type { SandboxError } from "./tool/Sandbox.ts"
import type { ShellError } from "./tool/ShellError.ts"
import type { CheckpointError } from "./workspace/Checkpoint.ts"
import type { FileError, FileReason } from "./workspace/FileError.ts"

/** Every domain error that is reported to someone. */
export type ReportedError =
  | CheckpointError
  | ContextError
  | EditError
  | FileError
  | LogError
  | McpError
  | ProviderError
  | RuleError
  | SandboxError
  | SettingsError
  | ShellError

/**
 * - `headline` names what the error is about; empty if the cause names it.
 * - `cause` is a sentence. `near` are names that may have been meant.
 * - `next` is what a person, and what a model with our tools, can do; empty if the cause says it.
 */
export interface Report {
  readonly headline: string
  readonly cause: string
  readonly near: ReadonlyArray<string>
  readonly next: { readonly person: string; readonly model: string }
}

const noSteps = { person: "", model: "" }

/** A cause that needs no headline. */
const messageOnly = ({ message }: { readonly message: string }): Report => ({ headline: "", cause: message, near: [], next: noSteps })

type Table = { readonly [Tag in ReportedError["_tag"]]: (error: Extract<ReportedError, { readonly _tag: Tag }>) => Report }

const table: Table = {
  CheckpointError: (error) => ({ ...messageOnly(error), next: checkpointSteps[error.reason] }),
  ContextError: messageOnly,
  EditError: (error) => ({ ...messageOnly(error), next: editSteps(error) }),
  FileError: (error) => ({ headline: error.path, cause: error.message, near: error.near ?? [], next: fileSteps[error.reason] }),
  LogError: (error) => ({ ...messageOnly(error), near: error.reason._tag === "NotFound" ? error.reason.near : [] }),
  McpError: ({ message, server }) => messageOnly({ message: `The MCP server ${server} ${message}.` }),
  ProviderError: (error) => ({
    ...messageOnly(error),
    cause: error.requestId === undefined ? error.message : `${error.message} (request ${error.requestId})`,
    near: error.reason._tag === "UnknownModel" ? error.reason.near : []
  }),
  RuleError: messageOnly,
  SandboxError: (error) => ({
    headline: `The requested sandbox (${error.mode}) is not available`,
    cause: error.message,
    near: [],
    next: { person: "Nothing was run. Fix the sandbox, or omit --sandbox to run without one.", model: "" }
  }),
  SettingsError: (error) => ({ ...messageOnly(error), headline: error.where }),
  ShellError: (error) => ({
    headline: `The command could not be started (${error.reason})`,
    cause: error.message,
    near: [],
    next: shellSteps[error.reason]
  })
}

const sameStep = (step: string) => ({ person: step, model: step })
const modelStep = (step: string) => ({ person: "", model: step })

const fileSteps: Readonly<Record<FileReason, Report["next"]>> = {
  NotFound: modelStep("Check the path with list_files or search_files."),
  Outside: { person: "Add its folder with --add-dir.", model: "Only files inside the workspace can be used." },
  Protected: modelStep("Leave it alone, or ask the user to change it."),
  Denied: modelStep("Leave it alone, or ask the user."),
  IsDirectory: modelStep("Use list_files, or name a file in this folder."),
  NotDirectory: noSteps,
  Exists: sameStep("Choose another name, or edit the existing file."),
  Special: noSteps,
  Binary: modelStep("Only text can be read."),
  NotText: sameStep("Convert it with a command such as iconv."),
  TooLarge: modelStep("Find what you need with search_files, or read a part of it with a command such as sed -n."),
  TooManyOpen: sameStep("Try again with fewer at once."),
  DiskFull: { person: "Free some disk space and try again.", model: "Tell the user." },
  ReadOnly: modelStep("Tell the user."),
  BadPattern: modelStep("Fix the pattern and search again."),
  Other: noSteps
}

/** The error's own message names the block, the cause and the nearest match; what remains is how to continue. */
const editSteps = ({ failures, wouldApply }: EditError): Report["next"] =>
  failures.some(({ reason }) => reason === "NotFound")
    ? modelStep("Copy the lines to find from the current file (use read_file), and send the complete edit again.")
    : wouldApply.length > 0 ? modelStep("Fix the problems above, and send the complete edit again.") : noSteps

const shellSteps: Readonly<Record<ShellError["reason"], Report["next"]>> = {
  NoShell: sameStep("Install bash, or put it on PATH."),
  NoFolder: modelStep("Name an existing folder."),
  Limits: modelStep("Use a shorter command, or wait for running commands to finish."),
  Other: noSteps
}

const checkpointSteps: Readonly<Record<CheckpointError["reason"], Report["next"]>> = {
  Refused: noSteps,
  NoGit: { person: "Install git to enable rewind; until then, edits ask for approval.", model: "" },
  NotFound: { person: "Run `dacapo checkpoints list` to see the available checkpoints.", model: "" },
  Failed: noSteps
}

/** What an error says, as data. */
export const of = (error: ReportedError): Report => Match.valueTags(error, table)

/** One line for a person, partly made of foreign text: it is sanitized where it is shown. */
export const forPeople = (error: ReportedError): string => {
  const { cause, headline, near, next } = of(error)
  return [withHeadline(headline, cause), suggestion("Did you mean", notMentioned(near, cause), " or ", "?"), next.person].filter(isNonEmpty)
    .join(" ")
}

/** A few lines for a model. */
export const forModel = (error: ReportedError): string => {
  const { cause, headline, near, next } = of(error)
  return [withHeadline(headline, cause), suggestion("Similar names:", notMentioned(near, cause), ", ", "."), next.model].filter(isNonEmpty)
    .join("\n")
}

const withHeadline = (headline: string, cause: string): string =>
  headline === "" || cause.includes(headline) ? cause : `${headline}: ${cause}`

/** Some causes suggest names themselves. */
const notMentioned = (names: ReadonlyArray<string>, cause: string): ReadonlyArray<string> => names.filter((name) => !cause.includes(name))

const suggestion = (lead: string, near: ReadonlyArray<string>, separator: string, end: string): string =>
  near.length === 0 ? "" : `${lead} ${near.join(separator)}${end}`

const isNonEmpty = (text: string): boolean => text !== ""
