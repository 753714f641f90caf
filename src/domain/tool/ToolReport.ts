/** What a tool that could not do its work tells the model: what is wrong, and what to do next. */
import * as ErrorReport from "../ErrorReport.ts"
import type { FileError } from "../workspace/FileError.ts"
import * as Outcome from "./Outcome.ts"
import type { ShellError } from "./ShellError.ts"

/** A failed outcome; a pattern that can't be read is the model's mistake, a path that is not there is not. */
export const fileOutcome = (error: FileError): Outcome.Outcome =>
  (error.reason === "BadPattern" ? Outcome.mistaken : Outcome.failed)(ErrorReport.forModel(error))

/** A command that could not be started. */
export const shell = (error: ShellError): string => ErrorReport.forModel(error)

interface Hint {
  readonly when: RegExp
  readonly say: (match: RegExpExecArray) => string
}

const names: Readonly<Record<string, string>> = { python: "python3", pip: "pip3", node: "nodejs", vim: "vi", make: "cmake" }

const hints: ReadonlyArray<Hint> = [
  {
    when: /(?:^|: )([\w.+-]+): (?:command )?not found/m,
    say: ([, name = ""]) => {
      const other = names[name]
      return `${name} is not installed or not on PATH.${other === undefined ? "" : ` Try ${other}.`}`
    }
  },
  {
    when: /(?:Cannot find (?:module|package)|ModuleNotFoundError: No module named) ['"]([^'"]+)['"]/,
    say: ([, name]) => `The module ${name} is missing: install the project's dependencies, or check the import's path.`
  },
  { when: /EADDRINUSE|[Aa]ddress already in use/, say: () => "The port is in use: stop what listens there, or choose another." },
  {
    when: /ENOTFOUND|EAI_AGAIN|Could not resolve host|Temporary failure in name resolution|Network is unreachable/,
    say: () => "The network can't be reached from here; work with what is on the machine."
  },
  { when: /ENOSPC|No space left on device/, say: () => "The disk is full; tell the user." },
  { when: /EACCES|[Pp]ermission denied/, say: () => "Permission is denied: check the owner and mode of the file, and do not use sudo." }
]

/** What the output of a command that failed suggests, one line each. */
export const commandHints = (output: string): ReadonlyArray<string> =>
  hints.flatMap(({ say, when }) => {
    const match = when.exec(output)
    return match === null ? [] : [say(match)]
  })
