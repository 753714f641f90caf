/** The errors of the command line as reports, beside those of the domain. */
import * as Match from "effect/Match"
import * as ErrorReport from "../../domain/ErrorReport.ts"
import type { Failure } from "./ExitCode.ts"

/** Every error that a command, the server or an editor can report. */
export type Reported = ErrorReport.ReportedError | Failure

/** Errors of the command line; ErrorReport has those of the domain. */
type CliFailure = Exclude<Failure, ErrorReport.ReportedError>
type Table = { readonly [Tag in CliFailure["_tag"]]: (error: Extract<CliFailure, { readonly _tag: Tag }>) => ErrorReport.Report }

const help = "Run `dacapo --help` for usage."

const table: Table = {
  CollectorError: ({ message }) => ErrorReport.sentence("Telemetry collector", message, "Check its address, and that it runs."),
  Diverged: ({ message }) =>
    ErrorReport.sentence("Replay", message, "Run `dacapo fsck` to check the log; another version of dacapo may have recorded it."),
  InputError: ({ message }) => ErrorReport.sentence("Input", message, inputStep(message)),
  OutputError: ({ message }) => ErrorReport.sentence("Standard output", message, "Check the disk and the program that reads it."),
  RegistryError: ({ message }) =>
    ErrorReport.sentence("MCP registry", message, "Check the network; DACAPO_MCP_REGISTRY_URL names another registry."),
  Unconfirmed: ({ message }) => ErrorReport.sentence("Confirmation", message, "Answer Yes, or use --yes."),
  Untrusted: ({ message }) => ErrorReport.sentence("Trust", message, "Run `dacapo trust` to trust this folder."),
  UsageError: ({ message }) => ErrorReport.sentence("Command line", `${ErrorReport.asSentence(message)} ${help}`, help)
}

/** What to do about an error of the system, by its code in the message. */
const codeSteps: ReadonlyArray<readonly [pattern: RegExp, step: string]> = [
  [/\b(?:ENOENT|ENOTDIR)\b/, "Check that the path exists."],
  [/\b(?:EACCES|EPERM|EROFS)\b/, "Check its permissions."],
  [/\bEISDIR\b/, "Name a file, not a folder."],
  [/\b(?:ENOSPC|EDQUOT)\b/, "Free some disk space and try again."],
  [/\bEADDRINUSE\b/, "Choose another port, or stop the program that uses it."],
  [/\b(?:No server answers|connection to|refused:)/, "Check that the server runs, and connect again."],
  [/\bis of another version\b/, "Use the same version of dacapo on both sides."],
  [/\b(?:does not exist|No session|no messages|not an image)\b/i, "Name another one."]
]

const inputStep = (message: string): string => codeSteps.find(([pattern]) => pattern.test(message))?.[1] ?? "Correct it, and try again."

const isCliFailure = (failure: Reported): failure is CliFailure => failure._tag in table

/** What an error says, as data. */
export const report = (failure: Reported): ErrorReport.Report =>
  isCliFailure(failure) ? Match.valueTags(failure, table) : ErrorReport.of(failure)

/** The message of an error. It can contain text from outside, so pass it through View.text before showing it. */
export const sentence = (failure: Reported): string => ErrorReport.line(report(failure))

/** The same for programs: the message, and its parts. */
export const body = (failure: Reported): { readonly message: string; readonly parts: ErrorReport.Parts } => {
  const data = report(failure)
  return { message: ErrorReport.line(data), parts: ErrorReport.parts(data) }
}
