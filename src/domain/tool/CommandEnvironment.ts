/** The environment of a command: the user's, without secrets and without variables that change how a shell behaves. */
import * as Encoded from "../secret/Encoded.ts"
import * as NamedSecrets from "../secret/NamedSecrets.ts"
import * as KeyFormats from "../secret/KeyFormats.ts"
import { isIdentifier, isMixed, isRandom } from "../secret/LooksSecret.ts"

export type Variables = Readonly<Record<string, string | undefined>>

/**
 * What remains of `variables`, plus settings that keep programs from prompting. CI is not set: it changes what tests and builds do.
 */
export const scrub = (variables: Variables): Record<string, string> => {
  const entries = Object.entries(withoutSecrets(variables)).filter(([name]) => !changesShell(name))
  return { ...Object.fromEntries(entries), ...quietVariables }
}

/** The variables that hold no secret, for a program chosen by the user. */
export const withoutSecrets = (variables: Variables): Record<string, string> => {
  const secretNames = secrets(variables)
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && !secretNames.has(name)) result[name] = value
  }
  return result
}

/** The variables that hold a secret, by name: also those that repeat another one's value under an innocuous name. */
export const secrets = (variables: Variables): ReadonlyMap<string, string> => {
  const entries = Object.entries(variables).flatMap(([name, value]) => value === undefined ? [] : [[name, value] as const])
  const secretEntries = entries.filter(([name, value]) => isSecret(name, value))
  const keys = secretEntries.map(([, value]) => value).filter((value) => isRandom(value, 16))
  const copies = entries.filter(([name, value]) => !proxyName.test(name) && keys.some((key) => value.includes(key)))
  return new Map([...secretEntries, ...copies])
}

/** No pager, no editor, no prompts, no colour. */
const quietVariables: Readonly<Record<string, string>> = {
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
  "BASH_ENV",
  "ENV",
  "SHELLOPTS",
  "BASHOPTS",
  "PS4",
  "PROMPT_COMMAND",
  "IFS",
  "CDPATH",
  "GLOBIGNORE",
  "EXECIGNORE",
  "BASH_XTRACEFD",
  "BASH_COMPAT",
  "BASH_LOADABLES_PATH",
  "POSIXLY_CORRECT",
  "FORCE_COLOR",
  "CLICOLOR_FORCE"
])

const changesShell = (name: string): boolean => shellVariables.has(name) || name.startsWith("BASH_FUNC_")

/**
 * Whether a variable holds a secret: judged by the words of its name, or by a value that the redactor would match or
 * that looks random.
 */
export const isSecret = (name: string, value: string): boolean =>
  secretName.test(name)
  || passwordName.test(name) && !isPath(value)
  || !proxyName.test(name) &&
    (KeyFormats.containsKey(value) || urlWithPassword.test(value) || hasNamedSecret(value) || Encoded.find(value).length > 0 ||
      isRandomToken(value))

/** A proxy's address stays, even with a password in it: without it nothing could be installed. */
const proxyName = /_PROXY$/i

const secretName = new RegExp(
  [
    "(?:^|_)(?:API|ACCESS|AUTH|PRIVATE|SIGNING|ENCRYPTION|MASTER|SERVICE|DEPLOY|LICENSE|ACCOUNT)_?KEYS?(?:_|$)",
    "(?:^|_)(?:APIKEY|TOKENS?|PASS|PASSWD|PASSPHRASE|PAT|CREDS|COOKIE|JWT|BEARER|AUTHTOKEN|MNEMONIC|SEED_PHRASE|TOTP|HMAC|PSK|SALT|DSN|WEBHOOK|WEBHOOK_URL|SAS_URL)(?:_|$)",
    "TOKEN$|SECRET|PASSWORD|CREDENTIALS?(?:_|$)|SSHPASS$|_KEY$|_KEY_(?:B(?:ASE)?64|DATA|PEM)$|CONN(?:ECTION)?_?STR(?:ING)?S?(?:_|$)",
    "_AUTH(?:_?(?:CONFIG|DATA|STRING|HEADERS?|JSON|INFO|B(?:ASE)?64|VALUE))?$|^(?:BW|OP|FASTLANE)_SESSION|^BUNDLE_\\w+__\\w+"
  ].join("|"),
  "i"
)

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i

/** `PWD` can mean a password, and is the shell's variable for the current folder. */
const passwordName = /(?:^|_)PWD$/i

const isPath = (value: string): boolean => /^(?:[/~.]|[A-Z]:\\)/i.test(value)

/** Names inside a value: a connection string, a header, a URL. */
const hasNamedSecret = (value: string): boolean => /[=:]/.test(value) && NamedSecrets.find(value).length > 0

/** A run of letters and digits that nobody wrote by hand. */
const isRandomToken = (value: string): boolean =>
  /^[\w+/=-]{32,}$/.test(value) && !isPath(value) && !isIdentifier(value) && isRandom(value, 32) && isMixed(value)
