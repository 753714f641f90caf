/** The environment that a command gets: the user's, without secrets, without what would make a shell mean something else. */

export type Variables = Readonly<Record<string, string | undefined>>

/** What is left of `variables`, with what keeps programs from asking. CI is not set: it changes what tests and builds do. */
export const scrub = (variables: Variables): Record<string, string> => {
  const left: Record<string, string> = {}
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && !changesShell(name) && !isSecret(name, value)) left[name] = value
  }
  return { ...left, ...quiet }
}

/** No pager, no editor, no question, no colour. */
const quiet: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  NO_COLOR: "1",
  TERM: "dumb"
}

const shellVariables: ReadonlySet<string> = new Set([
  "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE", "EXECIGNORE",
  "BASH_XTRACEFD", "BASH_COMPAT", "BASH_LOADABLES_PATH", "POSIXLY_CORRECT", "FORCE_COLOR", "CLICOLOR_FORCE"
])

const changesShell = (name: string): boolean => shellVariables.has(name) || name.startsWith("BASH_FUNC_")

/** Whether a variable holds a secret: by the words of its name, or by a value in the shape of a known key. */
export const isSecret = (name: string, value: string): boolean =>
  telling.test(name) || (!proxy.test(name) && keyShapes.some((shape) => shape.test(value)))

/** A proxy's address stays, even with a password in it: without it nothing could be installed. */
const proxy = /_PROXY$/i

const telling = new RegExp(
  [
    "(?:^|_)(?:API|ACCESS|AUTH|PRIVATE|SIGNING|ENCRYPTION|MASTER|SERVICE|DEPLOY|LICENSE|ACCOUNT)_?KEYS?(?:_|$)",
    "(?:^|_)(?:APIKEY|TOKENS?|PASS|PASSWD|PASSPHRASE|PAT|CREDENTIALS?|CREDS|COOKIE|JWT|BEARER|AUTHTOKEN)(?:_|$)",
    "TOKEN$|SECRET|PASSWORD|_KEY$|_KEY_B(?:ASE)?64$|_AUTH$"
  ].join("|"),
  "i"
)

const keyShapes: ReadonlyArray<RegExp> = [
  /^sk-[\w-]{16,}/,
  /^gh[oprsu]_\w{20,}/,
  /^github_pat_\w{20,}/,
  /^glpat-[\w-]{16,}/,
  /^xox[abeprs]-[\w-]{10,}/,
  /^A(?:KIA|SIA)[A-Z0-9]{16}/,
  /^AIza[\w-]{30,}/,
  /^npm_\w{30,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i
]
