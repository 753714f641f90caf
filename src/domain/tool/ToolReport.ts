/** What a tool that could not do its work tells the model: what is wrong, and what to do next. */
import type { FileError, FileReason } from "../workspace/FileError.ts"
import * as Outcome from "./Outcome.ts"
import type { ShellError } from "./ShellError.ts"

/** One sentence of guidance a reason; empty where the message says it all. */
const advice: Readonly<Record<FileReason, string>> = {
  NotFound: "Check the path with list_files or search_files.",
  Outside: "Only files inside the workspace can be used.",
  Protected: "This file is protected; leave it, or ask the user to change it.",
  Denied: "The permissions of the file or an ignore file keep it from being used.",
  IsDirectory: "It is a folder: use list_files, or name a file in it.",
  NotDirectory: "A part of the path is a file, not a folder.",
  Exists: "Choose another name, or edit the file that is there.",
  Special: "It is a device, a socket or a pipe, not a file.",
  Binary: "Only text can be read.",
  NotText: "Its bytes are no text in an encoding that is known.",
  TooLarge: "Look for what you need with search_files, or read a part with a command such as sed -n.",
  TooManyOpen: "Too many files are open; try again with fewer at once.",
  DiskFull: "The disk is full and the file is as it was; tell the user.",
  ReadOnly: "The file system is read-only; tell the user.",
  BadPattern: "Mend the pattern and search again.",
  Other: ""
}

/** A file error, with the names near a missing path. */
export const file = ({ message, near = [], path, reason }: FileError): string =>
  [
    message.includes(path) ? message : `${path}: ${message}`,
    near.length === 0 ? "" : `Near it: ${near.join(", ")}.`,
    advice[reason]
  ].filter((text) => text !== "").join("\n")

/** A failed outcome; a pattern that can't be read is the model's mistake, a path that is not there is not. */
export const fileOutcome = (error: FileError): Outcome.Outcome =>
  (error.reason === "BadPattern" ? Outcome.mistaken : Outcome.failed)(file(error))

/** A command that could not be started. */
export const shell = ({ command, message, reason }: ShellError): string =>
  `The command was not started (${reason}): ${message}\n${command}`

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
