/** Variables that a command may set without asking: they control colours and formats, and start nothing. */
import type { Word } from "./Syntax.ts"

const harmlessNames: ReadonlySet<string> = new Set([
  // The colours and the size of output
  ..."CARGO_TERM_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS FORCE_COLOR LINES NO_COLOR PY_COLORS".split(" "),
  // The language of messages, the order of letters, the time zone (and LC_…)
  ..."LANG LANGUAGE TZ".split(" "),
  // How much is printed, and when
  ..."PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG".split(" "),
  // What a run is for: programs choose their own settings by it
  ..."CI NODE_ENV".split(" "),
  // They only turn something off: questions, locks, cached files
  ..."DEBIAN_FRONTEND GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT PYTHONDONTWRITEBYTECODE".split(" ")
])

const isHarmless = (name: string): boolean => harmlessNames.has(name) || /^LC_[A-Z]+$/.test(name)

/** Plain words and zone names; a path would make some libraries read a file. */
const plainValue = /^(?:\w[\w.+,:-]*(?:\/[\w.+-]+)*)?$/

/** Why setting this variable for a command needs attention. `command` is its program: `IFS= read` reads whole lines. */
export const assignmentHazard = (name: string, value: Word | undefined, command?: string): string | undefined => {
  if (command === "read" && name === "IFS" && value?.kind === "literal" && value.text === "") return undefined
  if (!isHarmless(name)) return `it sets ${name}, which may change what runs`
  return value?.kind === "literal" && plainValue.test(value.text) && !value.text.includes("..") ? undefined
    : `it sets ${name} to something other than a plain word`
}

/**
 * Lower-case variables are the program's own, except the few that other programs read as well; and so are the upper-case names that
 * scripts use for what they are about to read.
 */
export const isPrivateVariable = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? !/^(?:_|.*_proxy|npm_.*)$/.test(name) : scriptNames.has(name)

const scriptNames: ReadonlySet<string> = new Set(
  ("BASE BRANCH CODE COMMIT COUNT CURRENT DEST DIR DIRS END EXIT_CODE EXT F FILE FILES FOUND HASH I ID INPUT J K L LAST LINE LIST M MATCHES MODULE "
    + "MSG N NAME NEW NUM OLD OUT OUTPUT PACKAGE PATTERN PKG PREV RC RESULT RESULTS RET ROOT SHA SIZE SRC START STATUS SUM TAG TARGET TEST "
    + "TESTS TOTAL VALUE VERSION X Y").split(" ")
)
