/** What a failed tool tells the model: what is wrong, and what to do next. */
import * as Table from "../Table.ts"
import * as ErrorReport from "../ErrorReport.ts"
import type { FileError } from "../workspace/FileError.ts"
import * as Outcome from "./Outcome.ts"
import type { ShellError } from "./ShellError.ts"

/** A failed outcome; an invalid pattern is the model's mistake, a missing path is not. */
export const fileOutcome = (error: FileError): Outcome.Outcome =>
  (error.reason === "BadPattern" ? Outcome.mistaken : Outcome.failed)(ErrorReport.forModel(error))

/** A command that could not be started. */
export const shell = (error: ShellError): string => ErrorReport.forModel(error)

interface Hint {
  readonly pattern: RegExp
  readonly message: (match: RegExpExecArray) => string
}

const alternatives: Readonly<Record<string, string>> = { python: "python3", pip: "pip3", node: "nodejs", vim: "vi", make: "cmake" }

const hints: ReadonlyArray<Hint> = [
  {
    pattern: /(?:^|: )([\w.+-]+): (?:command )?not found/m,
    message: ([, name = ""]) => {
      const alternative = Table.entry(alternatives, name)
      return `${name} is not installed or not on PATH.${alternative === undefined ? "" : ` Try ${alternative}.`}`
    }
  },
  {
    pattern: /(?:Cannot find (?:module|package)|ModuleNotFoundError: No module named) ['"]([^'"]+)['"]/,
    message: ([, name]) => `The module ${name} is missing: install the project's dependencies, or check the import's path.`
  },
  {
    pattern: /EADDRINUSE|[Aa]ddress already in use/,
    message: () => "The port is in use. Stop the process listening on it, or choose another port."
  },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution|Network is unreachable/,
    message: () => "The network is unreachable. Work with what is available locally."
  },
  { pattern: /ENOSPC|No space left on device/, message: () => "The disk is full; tell the user." },
  { pattern: /EACCES|[Pp]ermission denied/, message: () => "Permission denied. Check the owner and mode of the file; do not use sudo." }
]

/** Hints drawn from the output of a failed command, one line each. */
export const commandHints = (output: string): ReadonlyArray<string> =>
  hints.flatMap(({ message, pattern }) => {
    const match = pattern.exec(output)
    return match === null ? [] : [message(match)]
  })
