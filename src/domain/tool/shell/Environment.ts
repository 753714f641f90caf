/** Variables that a command may set without asking: they control colours and formats, and start nothing. */
import type { Word } from "./Syntax.ts"

const harmlessName =
  /^(?:CI|CLICOLOR|CLICOLOR_FORCE|COLUMNS|DEBIAN_FRONTEND|FORCE_COLOR|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|LANG|LANGUAGE|LC_[A-Z]+|LINES|NODE_ENV|NO_COLOR|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|RUST_BACKTRACE|TZ)$/

/** Plain words and zone names; a path would make some libraries read a file. */
const plainValue = /^(?:\w[\w.+,:-]*(?:\/[\w.+-]+)*)?$/

/** Why setting this variable for a command needs attention. `command` is its program: `IFS= read` reads whole lines. */
export const assignmentHazard = (name: string, value: Word | undefined, command?: string): string | undefined => {
  if (command === "read" && name === "IFS" && value?.kind === "literal" && value.text === "") return undefined
  if (!harmlessName.test(name)) return `it sets ${name}, which may change what runs`
  return value?.kind === "literal" && plainValue.test(value.text) && !value.text.includes("..") ? undefined
    : `it sets ${name} to something other than a plain word`
}

/** Lower-case variables are the program's own, except the few that other programs read as well. */
export const isPrivateVariable = (name: string): boolean => /^[a-z_][a-z0-9_]*$/.test(name) && !/^(?:_|.*_proxy|npm_.*)$/.test(name)
