/**
 * How an error is reported, in every face: what it is about, why it happened, and what to do next. One table has a row for each tagged
 * error; the terminal, the page, JSON and editors show what these functions return.
 */
import * as Data from "effect/Data"
import type { RuleError } from "./approval/RuleParser.ts"
import type { SettingsError } from "./config/SettingsError.ts"
import type { ContextError } from "./context/ContextError.ts"
import type { ControlError, Detached } from "./control/ControlError.ts"
import type { LanguageServerError } from "./diagnostics/LanguageServers.ts"
import type { EditError } from "./diff/EditError.ts"
import type { PluginError } from "./extension/PluginError.ts"
import type { McpError, McpReason } from "./mcp/McpError.ts"
import type { ImageError } from "./message/ImageError.ts"
import type { BrowserError } from "./network/BrowserError.ts"
import type { WebError } from "./network/WebError.ts"
import type { ProviderError, ProviderReason } from "./provider/ProviderError.ts"
import { alternatives } from "./provider/SimilarNames.ts"
import * as Budget from "./session/Budget.ts"
import type { LogError, LogReason } from "./session/LogError.ts"
import type { Settled } from "./session/SessionEvent.ts"
import type { SandboxError } from "./tool/Sandbox.ts"
import type { ShellError } from "./tool/ShellError.ts"
import type { CheckpointError } from "./workspace/Checkpoint.ts"
import type { DocumentError } from "./workspace/DocumentError.ts"
import type { FileError, FileReason } from "./workspace/FileError.ts"

/** Every domain error that is reported to someone. */
export type ReportedError =
  | BrowserError
  | CheckpointError
  | ContextError
  | ControlError
  | Detached
  | DocumentError
  | EditError
  | FileError
  | ImageError
  | LanguageServerError
  | LogError
  | McpError
  | PluginError
  | ProviderError
  | RuleError
  | SandboxError
  | SettingsError
  | ShellError
  | WebError

/**
 * - `headline` names what the error is about. `isImplied`: the cause is a sentence without it, so that one line leaves it out.
 * - `cause` is a sentence, which may end with steps of its own. `near` are names that may have been meant.
 * - `next` is what a person, and what a model with our tools, can do; not shown to a person whose cause has its own steps.
 */
export interface Report {
  readonly headline: string
  readonly isImplied?: true
  readonly cause: string
  readonly near: ReadonlyArray<string>
  readonly next: { readonly person: string; readonly model: string }
}

/** The parts that every face can show, none of them empty. */
export interface Parts {
  readonly headline: string
  readonly cause: string
  readonly next: string
}

const personStep = (step: string) => ({ person: step, model: "" })
const sameStep = (step: string) => ({ person: step, model: step })
const steps = (person: string, model: string) => ({ person, model })

/** A report whose cause is a sentence that needs no headline. */
export const sentence = (headline: string, cause: string, person: string, model = ""): Report => ({
  headline,
  isImplied: true,
  cause,
  near: [],
  next: { person, model }
})

type Table = { readonly [Tag in ReportedError["_tag"]]: (error: Extract<ReportedError, { readonly _tag: Tag }>) => Report }

const table: Table = {
  BrowserError: ({ message, reason }) => sentence("Browser", message, browserSteps[reason]),
  CheckpointError: ({ message, reason }) => ({ ...sentence("Checkpoints", message, ""), next: checkpointSteps[reason] }),
  ContextError: ({ message }) => sentence("Context window", message, taskSteps.context),
  ControlError: ({ message, reason }) => sentence("Request", message, controlSteps[reason]),
  Detached: ({ message, seq }) => sentence("Connection", message, `Connect again from event ${seq + 1}.`),
  DocumentError: ({ message, reason }) => sentence("Document", message, documentSteps[reason]),
  EditError: (error) => ({ ...sentence("Edit", error.message, ""), next: editSteps(error) }),
  FileError: ({ message, near = [], path, reason }) => ({ headline: path, cause: message, near, next: fileSteps[reason] }),
  ImageError: ({ message }) => sentence("Image", message, "Use a smaller or another image."),
  LanguageServerError: ({ message }) =>
    sentence("Language server", message, "Check that it runs in a terminal, or turn it off with \"languageServers\" in the settings."),
  LogError: ({ message, reason, session }) => ({
    ...sentence(session === "" ? "Session store" : `Session ${session}`, message, logSteps[reason._tag]),
    near: reason._tag === "NotFound" ? reason.near : []
  }),
  McpError: ({ message, reason, server }) => sentence(`MCP server ${server}`, `The MCP server ${server} ${message}.`, mcpSteps[reason]),
  PluginError: ({ message, plugin }) =>
    sentence(`Plugin ${plugin}`, `The plugin ${plugin} ${message}.`, "Run `dacapo plugin list` to list the installed plugins."),
  ProviderError: ({ message, provider, reason, requestId }) => ({
    ...sentence(
      `Provider ${provider}`,
      requestId === undefined ? message : `${message} (request ${requestId})`,
      providerSteps[reason._tag]
    ),
    near: reason._tag === "UnknownModel" ? reason.near : []
  }),
  RuleError: ({ message }) => sentence("Permission rule", message, "Correct the rule; docs/security.md has their syntax."),
  SandboxError: ({ message, mode }) => ({
    headline: `The requested sandbox (${mode}) is not available`,
    cause: message,
    near: [],
    next: personStep("Nothing was run. Fix the sandbox, or omit --sandbox to run without one.")
  }),
  SettingsError: ({ message, where }) => ({
    headline: where,
    cause: message,
    near: [],
    next: personStep("Correct it, and try again.")
  }),
  ShellError: ({ message, reason }) => ({
    headline: `The command could not be started (${reason})`,
    cause: message,
    near: [],
    next: shellSteps[reason]
  }),
  WebError: ({ message, reason }) => sentence("Web page", message, webSteps[reason])
}

const fileSteps: Readonly<Record<FileReason, Report["next"]>> = {
  NotFound: steps("Check the path.", "Check the path with list_files or search_files."),
  Outside: steps("Add its folder with --add-dir.", "Only files inside the workspace can be used."),
  Protected: steps("Change it yourself, in an editor.", "Leave it alone, or ask the user to change it."),
  Denied: steps("Check its permissions, and the ignore files and rules that close it.", "Leave it alone, or ask the user."),
  IsDirectory: steps("Name a file in it.", "Use list_files, or name a file in this folder."),
  NotDirectory: steps("Name a folder.", ""),
  Exists: sameStep("Choose another name, or edit the existing file."),
  Special: steps("Name an ordinary file.", ""),
  Binary: steps("Name a text file.", "Only text can be read."),
  NotText: sameStep("Convert it with a command such as iconv."),
  TooLarge: steps(
    "Name a part of it, or a smaller file.",
    "Find what you need with search_files, or read a part of it with a command such as sed -n."
  ),
  TooManyOpen: sameStep("Try again with fewer at once."),
  DiskFull: steps("Free some disk space and try again.", "Tell the user."),
  ReadOnly: steps("Make it writable, or choose another place.", "Tell the user."),
  BadPattern: steps("Correct the pattern.", "Fix the pattern and search again."),
  Other: steps("Check the file, and try again.", "")
}

const modelEditSteps = {
  notFound: "Copy the lines to find from the current file (use read_file), and send the complete edit again.",
  others: "Fix the problems above, and send the complete edit again."
}

/** The error's own message names the block, the cause and the nearest match; what remains is how to continue. */
const editSteps = ({ failures, wouldApply }: EditError): Report["next"] =>
  steps(
    "Correct the edit, and apply it again.",
    failures.some(({ reason }) => reason === "NotFound") ? modelEditSteps.notFound : wouldApply.length > 0 ? modelEditSteps.others : ""
  )

const shellSteps: Readonly<Record<ShellError["reason"], Report["next"]>> = {
  NoShell: sameStep("Install bash, or put it on PATH."),
  NoFolder: sameStep("Name an existing folder."),
  Limits: sameStep("Use a shorter command, or wait for running commands to finish."),
  Other: personStep("Run `dacapo doctor` to check the installation.")
}

const checkpointSteps: Readonly<Record<CheckpointError["reason"], Report["next"]>> = {
  Refused: personStep("Work in a smaller folder to enable rewind; until then, edits ask for approval."),
  NoGit: personStep("Install git to enable rewind; until then, edits ask for approval."),
  NotFound: personStep("Run `dacapo checkpoints list` to see the available checkpoints."),
  Failed: personStep("Run `dacapo doctor` to check the installation.")
}

const browserSteps: Readonly<Record<BrowserError["reason"], string>> = {
  Missing: "Install Chromium; `dacapo doctor` shows whether it is found.",
  Broken: "Run `dacapo doctor` to check the browser.",
  NoPage: "Open a page first.",
  Refused: "Add a WebFetch rule that names the host.",
  Elsewhere: "Open that page, if it is meant.",
  Unreachable: "Check the address and the network.",
  Target: "Name an element of the page."
}

const controlSteps: Readonly<Record<ControlError["reason"], string>> = {
  Answered: "Continue with the requests that are pending.",
  Changed: "Look at the request again, and answer what it asks now.",
  Invalid: "Correct the request, and send it again."
}

const documentSteps: Readonly<Record<DocumentError["reason"], string>> = {
  Damaged: "Check that it opens in its own program.",
  Locked: "Remove its password.",
  TooLarge: "Split it, or save what is needed as text."
}

const logSteps: Readonly<Record<LogReason["_tag"], string>> = {
  NotFound: "Run `dacapo sessions list` to see the available sessions.",
  Locked: "Close the other dacapo, or fork the session.",
  Exists: "Resume it, or begin one with another id.",
  Corrupt: "Run `dacapo fsck` to see what is damaged and what can be repaired.",
  Newer: "Update dacapo to open it.",
  Disk: "Check the disk and the permissions of the data folder; `dacapo doctor` names it.",
  Server: "Check that the server runs, and connect again."
}

const mcpSteps: Readonly<Record<McpReason, string>> = {
  Unknown: "Run `dacapo mcp list` to list the servers.",
  Unwanted: "Run `dacapo mcp list` to see why, and `dacapo mcp allow` to allow it.",
  NotStarted: "Check its command or address; `dacapo mcp list` shows where it is configured.",
  Timeout: "Try again, or raise its \"timeout\" in the settings.",
  Auth: "Log in with `dacapo mcp auth`.",
  Closed: "Try again; `dacapo mcp test` shows what it prints.",
  Refused: "Run `dacapo mcp test` to check it."
}

const providerSteps: Readonly<Record<ProviderReason["_tag"], string>> = {
  Auth: "Run `dacapo auth status` to see where the key comes from.",
  Quota: "Add credit, or use another model (--model).",
  RateLimited: "Wait, or use another model (--model).",
  Overloaded: "Wait, or use another model (--model).",
  ServerFault: "Wait, or use another model (--model).",
  Connection: "Check the network and the base URL; `dacapo doctor` shows the address.",
  StreamBroken: "Continue the session to try again.",
  Idle: "Continue the session to try again, or raise \"timeout\" of the provider in the settings.",
  ContextOverflow: "Compact the conversation, or use a model with a larger context window.",
  BadRequest: "Use another model (--model), or check the settings of the provider.",
  UnknownModel: "Run `dacapo models` to list the models.",
  EmptyAnswer: "Continue the session to try again, or use another model (--model).",
  BadAnswer: "Check the base URL; `dacapo doctor` shows the address."
}

const webSteps: Readonly<Record<WebError["reason"], string>> = {
  Refused: "Add a WebFetch rule that names the host.",
  Elsewhere: "Fetch that address, if it is meant.",
  Kind: "Download it with a command instead.",
  Status: "Check the address.",
  Unreachable: "Check the address and the network.",
  TimedOut: "Try again later."
}

const { $match } = Data.taggedEnum<ReportedError>()

/** What an error says, as data. */
export const of = (error: ReportedError): Report => $match(error, table)

/** One line for a person, partly made of foreign text: it is sanitized where it is shown. */
export const line = ({ cause, headline, isImplied, near, next }: Report): string =>
  [
    isImplied === true ? cause : withHeadline(headline, cause),
    didYouMean(near, cause),
    splitSteps(cause)[1] === "" && near.length === 0 ? next.person : ""
  ].filter(isNonEmpty).map((text, i, all) => i === all.length - 1 ? text : asSentence(text)).join(" ")

/** The same in parts. */
export const parts = ({ cause, headline, near, next }: Report): Parts => {
  const [why, ownSteps] = splitSteps(cause)
  const guess = didYouMean(near, cause)
  return { headline, cause: why, next: ownSteps !== "" ? ownSteps : guess !== "" ? guess : next.person }
}

/** A domain error as one line for a person. */
export const forPeople = (error: ReportedError): string => line(of(error))

/** A few lines for a model. */
export const forModel = (error: ReportedError): string => {
  const { cause, headline, isImplied, near, next } = of(error)
  return [
    isImplied === true ? cause : withHeadline(headline, cause),
    suggestion("Similar names:", notMentioned(near, cause).join(", "), "."),
    next.model
  ]
    .filter(isNonEmpty).join("\n")
}

/** Steps that only a model can take. */
const modelSteps: ReadonlySet<string> = new Set([
  ...Object.values(fileSteps).flatMap(({ model, person }) => model === "" || model === person ? [] : [model]),
  ...Object.values(modelEditSteps)
])

/** What a person reads of a report for a model: without a last line that only the model can follow. */
export const withoutModelSteps = (report: string): string => {
  const end = report.lastIndexOf("\n")
  return end > 0 && modelSteps.has(report.slice(end + 1)) ? report.slice(0, end) : report
}

type FailedTask = Extract<Settled, { readonly _tag: "TaskFailed" }>
type TaskFailure = FailedTask["reason"]

/** What to do about a failed task where its message does not say it. */
const taskSteps: Readonly<Record<TaskFailure, string>> = {
  provider: "Continue the session to try again, or use another model (--model).",
  turns: "Raise it with --max-turns, or continue the session.",
  time: "Raise it with --timeout, or continue the session.",
  mistakes: "Continue the session with other instructions, or use another model (--model).",
  repeats: "Continue the session with other instructions, or use another model (--model).",
  budget: "Raise it with --max-budget-usd or --max-tokens-total, and continue the session.",
  approval: "Add a rule that allows it, or continue the session in a terminal.",
  context: "Compact the conversation, or use a model with a larger context window.",
  interrupted: "Continue the session when you are ready.",
  hook: "Change that hook, or continue the session.",
  defect: "Continue the session to try again."
}

const taskHeadlines: Readonly<Record<TaskFailure, string>> = {
  provider: "Provider",
  turns: "Turn limit",
  time: "Time limit",
  mistakes: "Mistakes",
  repeats: "Repeated calls",
  budget: "Budget",
  approval: "Approval",
  context: "Context window",
  interrupted: "Interrupted",
  hook: "Hook",
  defect: "Internal error"
}

/** The report of a failed task, from its last event. */
export const ofTask = ({ message, reason }: Pick<FailedTask, "message" | "reason">): Report =>
  sentence(taskHeadlines[reason], reason === "budget" ? Budget.withSeparators(message) : message, taskSteps[reason])

const withHeadline = (headline: string, cause: string): string =>
  headline === "" || cause.includes(headline) ? cause : `${headline}: ${cause}`

/** Some causes suggest names themselves. */
const notMentioned = (names: ReadonlyArray<string>, cause: string): ReadonlyArray<string> => names.filter((name) => !cause.includes(name))

const suggestion = (lead: string, names: string, end: string): string => names === "" ? "" : `${lead} ${names}${end}`

const didYouMean = (near: ReadonlyArray<string>, cause: string): string =>
  suggestion("Did you mean", alternatives(notMentioned(near, cause)), "?")

const isNonEmpty = (text: string): boolean => text !== ""

/** A text that ends like a sentence, so that another one can follow; what follows a sentence may be in brackets, as in `… (request 1)`. */
export const asSentence = (text: string): string => /[.!?:](?: \([^()]*\))?$/.test(text) ? text : `${text}.`

/** The verbs with which our messages tell what to do. */
const verbs =
  "Add|Ask|Check|Choose|Close|Connect|Continue|Convert|Correct|Create|Delete|Export|Fix|Free|Give|Install|Log in|Name|Omit|Pass|Put|Remove|" +
  "Restart|Run|Set|Start|Try|Update|Use|Wait"

const stepPattern = new RegExp(`(?:^|[.!?)] |; (?=please )|: (?=start a new ))(?=(?:please|start|To \\w|Did you mean|Usage:|${verbs})\\b)`)

/** A message as its cause and the steps at its end; a message of steps alone is its own cause. */
export const splitSteps = (message: string): readonly [cause: string, steps: string] => {
  const match = stepPattern.exec(message)
  if (match === null) return [message, ""]
  const at = match.index + match[0].length
  return at === 0 ? [message, message] : [message.slice(0, at).trim().replace(/[;:]$/, "."), message.slice(at)]
}
