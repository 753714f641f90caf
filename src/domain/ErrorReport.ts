/** What is told of a typed error: what it is about, why, what may have been meant, what can be done next. */
import type { ContextError } from "./context/ContextError.ts"
import type { EditError } from "./diff/EditError.ts"
import type { ProviderError } from "./provider/ProviderError.ts"
import type { RuleError } from "./approval/RuleError.ts"
import type { LogError } from "./session/LogError.ts"
import type { McpError } from "./mcp/McpError.ts"
import type { SettingsError } from "./config/SettingsError.ts"
import type { SandboxError } from "./tool/SandboxError.ts"
import type { ShellError } from "./tool/ShellError.ts"
import type { CheckpointError } from "./workspace/Checkpoint.ts"
import type { FileError, FileReason } from "./workspace/FileError.ts"

/** Every error of the domain that someone is told of. */
export type Reported =
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
 * - `headline` names what the error is about; empty where the cause names it.
 * - `cause` is a sentence. `near` are names that may have been meant.
 * - `next` is what a person, and what a model with our tools, can do; empty where the cause says it.
 */
export interface Report {
  readonly headline: string
  readonly cause: string
  readonly near: ReadonlyArray<string>
  readonly next: { readonly person: string; readonly model: string }
}

const nothing = { person: "", model: "" }

/** A cause that stands for itself. */
const plain = ({ message }: { readonly message: string }): Report => ({ headline: "", cause: message, near: [], next: nothing })

type Table = { readonly [Tag in Reported["_tag"]]: (error: Extract<Reported, { readonly _tag: Tag }>) => Report }

const table: Table = {
  CheckpointError: (error) => ({ ...plain(error), next: checkpointSteps[error.reason] }),
  ContextError: plain,
  EditError: (error) => ({ ...plain(error), next: editSteps(error) }),
  FileError: (error) => ({ headline: error.path, cause: error.message, near: error.near ?? [], next: fileSteps[error.reason] }),
  LogError: (error) => ({ ...plain(error), near: error.reason._tag === "NotFound" ? error.reason.near : [] }),
  McpError: ({ message, server }) => plain({ message: `The MCP server ${server} ${message}.` }),
  ProviderError: (error) => ({
    ...plain(error),
    cause: error.requestId === undefined ? error.message : `${error.message} (request ${error.requestId})`,
    near: error.reason._tag === "UnknownModel" ? error.reason.near : []
  }),
  RuleError: plain,
  SandboxError: (error) => ({
    headline: `The sandbox that was asked for (${error.mode}) is not to be had`,
    cause: error.message,
    near: [],
    next: { person: "Nothing was run. Mend that, or leave --sandbox out to run without one.", model: "" }
  }),
  SettingsError: (error) => ({ ...plain(error), headline: error.where }),
  ShellError: (error) => ({ headline: `The command was not started (${error.reason})`, cause: error.message, near: [], next: shellSteps[error.reason] })
}

const both = (step: string) => ({ person: step, model: step })
const model = (step: string) => ({ person: "", model: step })

const fileSteps: Readonly<Record<FileReason, Report["next"]>> = {
  NotFound: model("Check the path with list_files or search_files."),
  Outside: { person: "Add its folder with --add-dir.", model: "Only files inside the workspace can be used." },
  Protected: model("Leave it, or ask the user to change it."),
  Denied: model("Leave it, or ask the user."),
  IsDirectory: model("Use list_files, or name a file in it."),
  NotDirectory: nothing,
  Exists: both("Choose another name, or change the file that is there."),
  Special: nothing,
  Binary: model("Only text can be read."),
  NotText: both("Convert it with a command such as iconv."),
  TooLarge: model("Look for what you need with search_files, or read a part with a command such as sed -n."),
  TooManyOpen: both("Try again with fewer at once."),
  DiskFull: { person: "Make room and try again.", model: "Tell the user." },
  ReadOnly: model("Tell the user."),
  BadPattern: model("Mend the pattern and search again."),
  Other: nothing
}

/** Which block, why and what is nearest to it is the error's own message; what is left to say is how to go on. */
const editSteps = ({ failures, wouldApply }: EditError): Report["next"] =>
  failures.some(({ reason }) => reason === "NotFound")
    ? model("Copy the lines to find from the file as it is now (read_file shows it), and send the whole edit again.")
    : wouldApply.length > 0 ? model("Mend what is named here, and send the whole edit again.") : nothing

const shellSteps: Readonly<Record<ShellError["reason"], Report["next"]>> = {
  NoShell: both("Install bash, or put it on PATH."),
  NoFolder: model("Name a folder that is there."),
  Limits: model("Use a shorter command, or wait for what runs to end."),
  Other: nothing
}

const checkpointSteps: Readonly<Record<CheckpointError["reason"], Report["next"]>> = {
  Refused: nothing,
  NoGit: { person: "Install git to be able to go back; until then edits ask.", model: "" },
  NotFound: { person: "`dacapo checkpoints list` shows those that there are.", model: "" },
  Failed: nothing
}

/** What an error says, as data. */
export const of = (error: Reported): Report => (table[error._tag] as (error: Reported) => Report)(error)

/** One line for a person, in foreign words in part: it is made printable where it is shown. */
export const forPeople = (error: Reported): string => {
  const { cause, headline, near, next } = of(error)
  return [headed(headline, cause), suggestion("Did you mean", unsaid(near, cause), " or ", "?"), next.person].filter(isSaid).join(" ")
}

/** A few lines for a model. */
export const forModel = (error: Reported): string => {
  const { cause, headline, near, next } = of(error)
  return [headed(headline, cause), suggestion("Near it:", unsaid(near, cause), ", ", "."), next.model].filter(isSaid).join("\n")
}

const headed = (headline: string, cause: string): string => headline === "" || cause.includes(headline) ? cause : `${headline}: ${cause}`

/** Some causes name what may have been meant themselves. */
const unsaid = (names: ReadonlyArray<string>, cause: string): ReadonlyArray<string> => names.filter((name) => !cause.includes(name))

const suggestion = (lead: string, near: ReadonlyArray<string>, between: string, end: string): string =>
  near.length === 0 ? "" : `${lead} ${near.join(between)}${end}`

const isSaid = (text: string): boolean => text !== ""
