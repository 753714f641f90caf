/** Secrets that are known by the name beside them: assignments, headers, cookies, options of commands, URLs. */
import type { Found } from "./Found.ts"
import { covered, isIdentifier, isPlaceholder, isRandom } from "./LooksSecret.ts"

/** How much a name tells: of a `word` any value is secret, of a `key` one that looks random. */
type Told = "word" | "key" | undefined

const wordName = /pass(?:word|wd|phrase|code)|(?:^|[_.-])(?:pass|pwd|secret)$|secret(?:$|[_.-]?(?:key|access|token|value|base))|private[_.-]?key/i
const keyName =
  /(?:api|access|auth|account|admin|app|client|consumer|deploy|encryption|integration|license|master|service|session|shared|signing|storage|subscription|webhook|ssh|secret|private|license)[_.-]?keys?$|(?:^|[_.-])(?:x-)?(?:api)?key[_.-]?(?:secret|value)$|apikey|token$|_token_|credentials?$|(?:^|[_.-])(?:auth|bearer|jwt|pat|creds|sig|signature|sid|sess|session)$|cookie$|sessid|_key$|_auth$/i

/** Names that only speak of a secret: of its place, its kind, how long it may be; and keys that are public. */
const aboutName =
  /(?:^|[_.-])(?:max|min|num|total|prompt|completion|input|output|cached?|reasoning|public|pub|primary|foreign|sort|partition|unique|index|cache|row|map|hot|next|page|start|stop|end|eos|bos|pad|sep|unk|mask|csrf[_.-]?param)[_.-]?(?:key|token)s?$|(?:id|ids|name|path|file|dir|url|uri|type|kind|count|length|limit|size|ttl|expires?|expiry|expiration|policy|field|label|hint|format|regex|pattern|version|algorithm|alg|column|prompt|rules?|schema|validator?|strength|error|message|required|enabled|prefix|env|var|ref|reset|manager|store|helper|provider|fingerprint|at|in)$/i

const told = (name: string): Told => {
  const plain = name.replace(/([a-z\d])([A-Z])/g, "$1_$2")
  if (aboutName.test(plain)) return undefined
  return wordName.test(name) || wordName.test(plain) ? "word" : keyName.test(plain) || keyName.test(name) ? "key" : undefined
}

/** Names that tell in a query string alone. */
const queryName = /^(?:key|sig|signature|code|auth|token|access|apikey|password|pass|pwd|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|awsaccesskeyid)$/i

/** Everything that a name gives away, in order of finding. */
export const find = (text: string): ReadonlyArray<Found> => [...headers(text), ...assignments(text), ...options(text), ...addresses(text), ...elements(text)]

/** A name, what parts it from its value, and where the value begins. A name is read once, from its first character. */
const assignment = /(?<![\w.$-])-{0,2}([\w$][\w.$-]*)(\\?["'`]?\]?)(?:([ \t]{0,8}(?:=>|:=|\?=|==?=?|:)[ \t]{0,8})(?!=)|[ \t]is:?[ \t]+)/g

const assignments = function*(text: string): Generator<Found> {
  let from = 0
  for (const { 0: whole, 1: name = "", 2: quote = "", 3: sign = "", index } of text.matchAll(assignment)) {
    if (index < from || name.length > 120) continue
    const tells = told(name) ?? (/[?&]/.test(text[index - 1] ?? "") && queryName.test(name) ? "key" : undefined)
    const value = tells === undefined ? undefined : read(text, index + whole.length)
    // A header's cookies are read pair by pair.
    if (value === undefined || tells === undefined || /cookie2?$/i.test(name) && /^[\w.-]+=/.test(value.text)) continue
    const line = /^[ \t]*(?:- )?(?:export )?["']?$/.test(lineBefore(text, index))
    const how: How = { tells, line, name, quoted: value.quote !== undefined, env: sign === "=" && /^[A-Z\d_]+$/.test(name), quotedName: quote !== "" }
    if (!isSecret(value.text, how, text.slice(value.end, value.end + 2))) continue
    from = wholeEnd(text, value)
    yield { kind: kindOf(tells, name), start: value.start, end: from }
  }
}

const kindOf = (tells: "word" | "key", name: string): string =>
  /pass|pwd/i.test(name) ? "password" : /cookie|sess|sid/i.test(name) ? "cookie" : /token|bearer|jwt|pat$/i.test(name) ? "token" : tells === "word" ? "secret" : "key"

/** What stands before a place on its line, as far as it matters. */
const lineBefore = (text: string, index: number): string => {
  const before = text.slice(Math.max(0, index - 40), index)
  return before.slice(before.lastIndexOf("\n") + 1)
}

interface Value {
  readonly text: string
  readonly start: number
  readonly end: number
  /** What opens it: a quote, a scheme; undefined for a bare one. */
  readonly quote: string | undefined
}

/** As much of a value is read to judge it; a longer one that is secret is followed to its end. */
const judged = 256

const quotedValue = /(\\*["'`])((?:(?!\1)(?:\\[^\n]|[^\n\\]))*)/y
const bareValue = /[^\s"'`,;&<>\\|]+/y

/** What stands after the sign: in quotes, after a scheme such as `Bearer`, or bare up to what ends it. */
const read = (text: string, from: number): Value | undefined => {
  const scheme = /^(?:\\?["'`])?(?:Bearer|Basic|Token)[ \t]+/i.exec(text.slice(from, from + 24))?.[0] ?? ""
  const start = from + scheme.length
  const window = text.slice(start, start + judged)
  const pattern = scheme === "" && /^\\*["'`]/.test(window) ? quotedValue : bareValue
  pattern.lastIndex = 0
  const match = pattern.exec(window)
  if (match === null) return undefined
  const [whole, quote = "", inside = ""] = match
  if (pattern === quotedValue) return { text: inside, start: start + quote.length, end: start + whole.length, quote }
  const bare = /^\S*\(/.test(whole) ? whole : whole.replace(/[)\]}.:]+$/, "")
  return { text: bare, start, end: start + bare.length, quote: scheme === "" ? undefined : scheme }
}

/** Where a value ends that was read in part. */
const wholeEnd = (text: string, { end, quote, start }: Value): number => {
  if (end < start + judged - 8) return end
  const rest = quote === undefined || !/["'`]$/.test(quote) ? bareValue : /[^\n"'`\\]*/y
  rest.lastIndex = end
  return end + (rest.exec(text)?.[0].length ?? 0)
}

interface How {
  readonly tells: "word" | "key"
  readonly quoted: boolean
  /** The name begins its line. */
  readonly line: boolean
  readonly name: string
  /** `NAME=value`, as in a file of variables. */
  readonly env: boolean
  readonly quotedName: boolean
}

const isSecret = (whole: string, { env, line, name, quoted, quotedName, tells }: How, after: string): boolean => {
  const value = whole.replaceAll(covered, "")
  if (value.length < 3 || isPlaceholder(value)) return false
  if (same(value, name)) return false
  if (/^\d+(?:\.\d+)?$/.test(value)) return /pass(?:word|wd|code)|pin$/i.test(name) && value.length >= 6
  if (!quoted && isCode(value, after)) return false
  if (/\s/.test(value)) return tells === "word" && !isProse(value)
  if (tells === "word") {
    if (quoted) return value.length >= 4 && !/^[A-Z][a-z]+$/.test(value)
    if (env) return true
    return /\d|[^\w.-]/.test(value) || (line && value.length >= 6 && /^[a-z-]+$/.test(value)) || quotedName
  }
  if (/^(?:msg|toolu|req|call)_/.test(value) || /^(?:md5|sha\d+)[:-]/i.test(value)) return false
  if (value.length < (quoted || env ? 8 : 16)) return false
  if (!quoted && !env && isIdentifier(value) && !/^[\da-f-]{32,}$/i.test(value)) return false
  return /\d/.test(value) || isRandom(value, 20) || env
}

const same = (value: string, name: string): boolean => {
  const plain = (text: string) => text.replace(/[\W_]/g, "").toLowerCase()
  return plain(value) === plain(name)
}

/** A call, a member, a type, a reference to a variable: code that handles a secret and holds none. */
const isCode = (value: string, after: string): boolean =>
  /^[\w$.?!]+\(|^[!=]|^[a-z]+[A-Z][A-Za-z]*$|^[A-Z][A-Za-z]+$|^(?:process|os|env|config|settings|self|this|secrets|vars|Deno|import)\b[.[]|^[A-Za-z_$][\w$]*\[/.test(value)
  || /^\s*\(/.test(after)
  || /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?$/.test(value) && !value.split(".").some((part) => /\d/.test(part) && isRandom(part, 16))

/** A sentence: what a label, a message or a document says of a secret. */
const isProse = (value: string): boolean =>
  /^[A-Z][\w']*(?: [\w',;:()/-]+)+[.!?:…]?$/.test(value) || /\b(?:must|should|is|are|was|not|your|the|please|enter|password|token|key|secret)\b/i.test(value)

/** Headers whose whole value is secret: cookies pair by pair, authorisation after its scheme. */
const headers = function*(text: string): Generator<Found> {
  let from = 0
  for (const { 0: head, 1: name = "", index } of text.matchAll(/(?<![\w-])(set-cookie2?|cookie)["']?[ \t]*[:=][ \t]*["']?(?=[\w!#$%&'*+.^`|~-]{1,256}=)/gi)) {
    if (index < from) continue
    let start = index + head.length
    from = start + /^[^\r\n"]*/.exec(text.slice(start))![0].length
    for (const pair of text.slice(start, from).split(";", name.toLowerCase() === "cookie" ? undefined : 1)) {
      const at = start + pair.indexOf("=") + 1
      const value = /^[^\s']*/.exec(text.slice(at, start + pair.length))![0]
      if (pair.includes("=") && value.length >= 6 && !isPlaceholder(value)) yield { kind: "cookie", start: at, end: at + value.length }
      start += pair.length + 1
    }
  }
  for (const { 0: head, index } of text.matchAll(/(?<![\w-])(?:proxy-)?authorization["']?[ \t]*[:=,][ \t]*["'`]?(?:(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256)[ \t]+)?/gi)) {
    const start = index + head.length
    const value = /^[^\s"'`,;<>]+/.exec(text.slice(start, start + 8192))?.[0]
    if (value !== undefined && value.length >= 6 && !isPlaceholder(value) && !isCode(value, "")) yield { kind: "authorization", start, end: start + value.length }
  }
  for (const { 0: head, index } of text.matchAll(/(?<![\w-])(?:Bearer|Basic)[ \t]+(?=[\w+/.~-]{16})/g)) {
    const start = index + head.length
    const value = /^[\w+/.=~-]+/.exec(text.slice(start, start + 8192))![0]
    if (isRandom(value, 16) && /\d|[A-Z].*[a-z].*[A-Z]/.test(value) && !isPlaceholder(value) && !isIdentifier(value)) yield { kind: "authorization", start, end: start + value.length }
  }
}

/** `--password x`, `curl -u user:x`, `sshpass -p x`, and the lines of .netrc. */
const options = function*(text: string): Generator<Found> {
  for (const { 0: head, 1: name = "", index } of text.matchAll(/(?<![\w-])--([a-z][\w-]*)[ \t]+(?=[^\s-])/gi)) {
    const tells = told(name)
    const value = tells === undefined ? undefined : read(text, index + head.length)
    if (value !== undefined && tells !== undefined && isSecret(value.text, { tells, quoted: true, line: false, env: true, name, quotedName: false }, "")) {
      yield { kind: kindOf(tells, name), start: value.start, end: value.end }
    }
  }
  for (const { 0: whole, 1: head = "", 2: value = "", index } of text.matchAll(/((?<![\w-])(?:curl\b[^\n]{0,400}?[ \t](?:-u|--user)[ \t=]*["']?[^\s:"']+:|sshpass[ \t]+-p[ \t]*["']?|login[ \t\r\n]+\S{1,200}[ \t\r\n]+password[ \t\r\n]+))([^\s"']{3,200})/g)) {
    if (!isPlaceholder(value)) yield { kind: "password", start: index + head.length, end: index + whole.length }
  }
  for (const { 0: whole, 1: value = "", index } of text.matchAll(/^[\w.*-]{1,200}:(?:\d{2,5}|\*):[\w*-]{1,100}:[\w*-]{1,100}:([^\s:]{3,200})$/gm)) {
    yield { kind: "password", start: index + whole.length - value.length, end: index + whole.length }
  }
}

/** The password of a URL. */
const addresses = function*(text: string): Generator<Found> {
  for (const { 0: whole, 1: password = "", index } of text.matchAll(/(?<![\w+.-])[a-z][a-z\d+.-]{0,30}:\/\/[^\s/:@"'<>?#]{0,200}:([^\s/"'<>]{1,400})@/gi)) {
    const start = index + whole.length - 1 - password.length
    if (!isPlaceholder(password) || /^[a-z]+$/i.test(password) && password.length >= 4) {
      if (!/^(?:[<$[{%*]|your|pass(?:word)?$|x+$)/i.test(password)) yield { kind: "password", start, end: start + password.length }
    }
  }
}

/** `<password>x</password>`. */
const elements = function*(text: string): Generator<Found> {
  for (const { 0: whole, 1: name = "", 2: value = "", index } of text.matchAll(/<([\w:.-]{1,80})>([^<>\s]{3,400})(?=<\/)/g)) {
    const tells = told(name)
    if (tells !== undefined && isSecret(value, { tells, quoted: true, line: false, env: false, name, quotedName: true }, "")) {
      yield { kind: kindOf(tells, name), start: index + whole.length - value.length, end: index + whole.length }
    }
  }
}
