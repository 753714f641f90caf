/** Secrets that are recognizable by the name beside them: assignments, headers, cookies, command options, URLs. */
import type { SecretMatch } from "./LooksSecret.ts"
import { maskCharacter, isIdentifier, isMixed, isPlaceholder, isRandom } from "./LooksSecret.ts"

/** How much a name reveals: after a `word` any value is secret, after a `key` one that looks random. */
type NameClass = "word" | "key" | undefined

const passwordName =
  /pass(?:word|wd|phrase|code)|(?:^|[_.-])(?:pass|pwd|psk|secret)$|mnemonic$|seed[_.-]?phrase$|secret(?:$|[_.-]?(?:key|access|token|value|base))|private[_.-]?key/i
const keyName =
  /(?:api|access|auth|account|admin|app|client|consumer|deploy|encryption|integration|license|master|service|session|shared|signing|storage|subscription|webhook|ssh|secret|private|license)[_.-]?keys?$|(?:^|[_.-])key[_.-]data$|(?:^|[_.-])(?:x-)?(?:api)?key[_.-]?(?:secret|value)$|apikey|token$|_token_|credentials?$|(?:^|[_.-])(?:auth|bearer|jwt|pat|creds|sig|signature|sid|sess|session)$|cookie$|sessid|_key$|_auth$/i

/** Names that only refer to a secret: its location, its kind, its maximum length; and public keys. */
const metadataName =
  /(?:^|[_.-])(?:max|min|num|total|prompt|completion|input|output|cached?|reasoning|public|pub|primary|foreign|sort|partition|unique|index|cache|row|map|hot|next|page|start|stop|end|eos|bos|pad|sep|unk|mask|csrf[_.-]?param)[_.-]?(?:key|token)s?$|(?:id|ids|name|path|file|dir|url|uri|type|kind|count|length|limit|size|ttl|expires?|expiry|expiration|policy|field|label|hint|format|regex|pattern|version|algorithm|alg|column|prompt|rules?|schema|validator?|strength|error|message|required|enabled|prefix|env|var|ref|reset|manager|store|helper|provider|fingerprint|[_.-]at|[_.-]in)$/i

const classifyName = (name: string): NameClass => {
  const plain = name.replace(/([a-z\d])([A-Z])/g, "$1_$2")
  if (metadataName.test(plain)) return undefined
  return passwordName.test(name) || passwordName.test(plain) ? "word" : keyName.test(plain) || keyName.test(name) ? "key" : undefined
}

/** Names that count only in a query string. */
const queryName =
  /^(?:key|sig|signature|code|auth|token|access|apikey|password|pass|pwd|x-amz-(?:signature|credential|security-token)|x-goog-(?:signature|credential)|awsaccesskeyid)$/i

/** Everything that a name reveals, in order of occurrence. */
export const find = (
  text: string
): ReadonlyArray<SecretMatch> => [
  ...headers(text),
  ...assignments(text),
  ...options(text),
  ...addresses(text),
  ...elements(text),
  ...pairs(text)
]

/** A name, its separator, and where the value begins. A name is read once, from its first character. */
const assignment = /(?<![\w.$-])-{0,2}([\w$][\w.$-]*)(\\?["'`]?\]?)(?:([ \t]{0,8}(?:=>|:=|\?=|==?=?|:)[ \t]{0,8})(?!=)|[ \t]is:?[ \t]+)/g

const assignments = function*(text: string): Generator<SecretMatch> {
  let from = 0
  for (const { 0: match, 1: name = "", 2: quote = "", 3: sign = "", index } of text.matchAll(assignment)) {
    if (index < from || name.length > 120) continue
    const nameClass = classifyName(name) ?? (/[?&]/.test(text[index - 1] ?? "") && queryName.test(name) ? "key" : undefined)
    const value = nameClass === undefined ? undefined : read(text, index + match.length)
    // A header's cookies are read pair by pair.
    if (value === undefined || nameClass === undefined || /cookie2?$/i.test(name) && /^[\w.-]+=/.test(value.text)) continue
    const isLineStart = /^[ \t]*(?:- )?(?:export )?["']?$/.test(lineBefore(text, index))
    const context: ValueContext = {
      nameClass,
      isLineStart,
      name,
      isQuoted: value.quote !== undefined,
      isEnv: sign === "=" && (/^[A-Z\d_]+$/.test(name) || /[?&]/.test(text[index - 1] ?? "") || match.startsWith("--")),
      isNameQuoted: quote !== ""
    }
    if (!isSecret(value.text, context, text.slice(value.end, value.end + 2))) continue
    from = valueEnd(text, value)
    yield { kind: kindOf(nameClass, name), start: value.start, end: from }
  }
}

const kindOf = (nameClass: "word" | "key", name: string): string =>
  /pass|pwd/i.test(name) ? "password"
    : /cookie|sess|sid/i.test(name) ? "cookie" : /token|bearer|jwt|pat$/i.test(name) ? "token" : nameClass === "word" ? "secret" : "key"

/** The text before a place on its line, as far as it matters. */
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

/** How much of a value is read to judge it; a longer one that is secret is followed to its end. */
const maxJudgedCharacters = 256

const quotedValue = /(\\*["'`])((?:(?!\1)(?:\\[^\n]|[^\n\\]))*)/y
const bareValue = /[^\s"'`,;&<>\\|]+/y

/** The value after the sign: in quotes, after a scheme such as `Bearer`, or bare up to its delimiter. */
const read = (text: string, from: number): Value | undefined => {
  const scheme = /^(?:\\?["'`])?(?:Bearer|Basic|Token)[ \t]+/i.exec(text.slice(from, from + 24))?.[0] ?? ""
  const start = from + scheme.length
  const window = text.slice(start, start + maxJudgedCharacters)
  const pattern = scheme === "" && /^\\*["'`]/.test(window) ? quotedValue : bareValue
  pattern.lastIndex = 0
  const match = pattern.exec(window)
  if (match === null) return undefined
  const [fullText, quote = "", content = ""] = match
  if (pattern === quotedValue) return { text: content, start: start + quote.length, end: start + fullText.length, quote }
  const bareText = /^\S*\(/.test(fullText) ? fullText : fullText.replace(/[)\]}.:]+$/, "")
  return { text: bareText, start, end: start + bareText.length, quote: scheme === "" ? undefined : scheme }
}

/** Where a partly read value ends. */
const valueEnd = (text: string, { end, quote, start }: Value): number => {
  if (end < start + maxJudgedCharacters - 8) return end
  const remainder = quote === undefined || !/["'`]$/.test(quote) ? bareValue : /[^\n"'`\\]*/y
  remainder.lastIndex = end
  return end + (remainder.exec(text)?.[0].length ?? 0)
}

interface ValueContext {
  readonly nameClass: "word" | "key"
  readonly isQuoted: boolean
  /** The name begins its line. */
  readonly isLineStart: boolean
  readonly name: string
  /** `NAME=value`, as in a file of variables, an option or a query, where no code is expected. */
  readonly isEnv: boolean
  readonly isNameQuoted: boolean
}

const isSecret = (
  rawValue: string,
  { isEnv, isLineStart, name, isQuoted, isNameQuoted, nameClass }: ValueContext,
  after: string
): boolean => {
  const value = rawValue.replaceAll(maskCharacter, "")
  if (value.length < 3 || isPlaceholder(value)) return false
  if (isSameText(value, name)) return false
  if (/^\d+(?:\.\d+)?$/.test(value)) return /pass(?:word|wd|code)|pin$/i.test(name) && value.length >= 6
  if (!isQuoted && isCode(value, after)) return false
  if (/\s/.test(value)) return nameClass === "word" && !isProse(value)
  if (nameClass === "word") {
    if (isQuoted) return value.length >= 4 && !/^[A-Z][a-z]+$/.test(value)
    if (isEnv) return true
    return /\d|[^\w.-]/.test(value) || (isLineStart && value.length >= 6 && /^[a-z-]+$/.test(value)) || isNameQuoted
  }
  if (/^(?:msg|toolu|req|call)_/.test(value) || /^(?:md5|sha\d+)[:-]/i.test(value)) return false
  if (value.length < (isQuoted || isEnv ? 8 : 16)) return false
  if (!isQuoted && !isEnv && isIdentifier(value) && !/^[\da-f-]{32,}$/i.test(value)) return false
  return /\d/.test(value) || isRandom(value, 20) || isEnv
}

const isSameText = (value: string, name: string): boolean => {
  const normalize = (text: string) => text.replace(/[\W_]/g, "").toLowerCase()
  return normalize(value) === normalize(name)
}

/** A call, a member, a type, a reference to a variable: code that handles a secret without containing one. */
const isCode = (value: string, after: string): boolean =>
  /^[\w$.?!]+\(|^[!=]|^[a-z]+[A-Z][A-Za-z]*$|^[A-Z][A-Za-z]+$|^(?:process|os|env|config|settings|self|this|secrets|vars|Deno|import)\b[.[]|^[A-Za-z_$][\w$]*\[/
    .test(value)
  || /^\s*\(/.test(after)
  || /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+[!?]?$/.test(value) &&
    !value.split(".").some((part) => isRandom(part, 16) && (/\d/.test(part) || isMixed(part)))

/** A sentence: a label, a message or a document about a secret. */
const isProse = (value: string): boolean =>
  /^[A-Z][\w']*(?: [\w',;:()/-]+)+[.!?:…]?$/.test(value) ||
  /\b(?:must|should|is|are|was|not|your|the|please|enter|password|token|key|secret)\b/i.test(value)

/** Headers whose entire value is secret: cookies pair by pair, authorization after its scheme. */
const headers = function*(text: string): Generator<SecretMatch> {
  let from = 0
  for (
    const { 0: head, 1: name = "", index } of text.matchAll(
      /(?<![\w-])(set-cookie2?|cookie)["']?[ \t]*[:=][ \t]*["']?(?=[\w!#$%&'*+.^`|~-]{1,256}=)/gi
    )
  ) {
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
  for (
    const { 0: head, index } of text.matchAll(
      /(?<![\w-])(?:proxy-)?authorization["']?[ \t]*[:=,][ \t]*["'`]?(?:(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256)[ \t]+)?/gi
    )
  ) {
    const start = index + head.length
    const value = /^[^\s"'`,;<>]+/.exec(text.slice(start, start + 8192))?.[0]
    if (value !== undefined && value.length >= 6 && !isPlaceholder(value) && !isCode(value, ""))
      yield { kind: "authorization", start, end: start + value.length }
  }
  for (const { 0: head, index } of text.matchAll(/(?<![\w-])(?:Bearer|Basic)[ \t]+(?=[\w+/.~-]{16})/g)) {
    const start = index + head.length
    const value = /^[\w+/.=~-]+/.exec(text.slice(start, start + 8192))![0]
    if (isRandom(value, 16) && /\d|[A-Z].*[a-z].*[A-Z]/.test(value) && !isPlaceholder(value) && !isIdentifier(value))
      yield { kind: "authorization", start, end: start + value.length }
  }
}

/** `--password x`, and the lines of .pgpass. */
const options = function*(text: string): Generator<SecretMatch> {
  for (const { 0: head, 1: name = "", index } of text.matchAll(/(?<![\w-])--([a-z][\w-]*)[ \t]+(?=[^\s-])/gi)) {
    const nameClass = classifyName(name)
    const value = nameClass === undefined ? undefined : read(text, index + head.length)
    if (
      value !== undefined && nameClass !== undefined &&
      isSecret(value.text, { nameClass, isQuoted: true, isLineStart: false, isEnv: true, name, isNameQuoted: false }, "")
    ) {
      yield { kind: kindOf(nameClass, name), start: value.start, end: value.end }
    }
  }
  for (
    const { 0: match, 1: value = "", index } of text.matchAll(
      /^[\w.*-]{1,200}:(?:\d{2,5}|\*):[\w*-]{1,100}:[\w*-]{1,100}:([^\s:]{3,200})$/gm
    )
  ) {
    yield { kind: "password", start: index + match.length - value.length, end: index + match.length }
  }
}

/** The password of a URL, or the token in place of the user. */
const addresses = function*(text: string): Generator<SecretMatch> {
  for (
    const { 0: match, 1: user = "", index } of text.matchAll(
      /(?<![\w+.-])[a-z][a-z\d+.-]{0,30}:\/\/([\w.~%-]{16,400})(?::(?:x-oauth-basic)?)?@/gi
    )
  ) {
    const start = index + match.indexOf(user)
    if ((isRandom(user, 16) && /\d/.test(user) || /^[\da-f]{32,}$/i.test(user)) && !isPlaceholder(user))
      yield { kind: "token", start, end: start + user.length }
  }
  for (
    const { 0: match, 1: password = "", index } of text.matchAll(/(?<!\w)jdbc:oracle:\w{1,10}:[^\s/@:]{1,100}\/([^\s/@"']{3,200})(?=@)/g)
  ) {
    yield { kind: "password", start: index + match.length - password.length, end: index + match.length }
  }
  for (
    const { 0: match, 1: password = "", index } of text.matchAll(
      /(?<![\w+.-])[a-z][a-z\d+.-]{0,30}:\/\/[^\s/:@"'<>?#]{0,200}:([^\s/"'<>]{1,400})@/gi
    )
  ) {
    const start = index + match.length - 1 - password.length
    if (!isPlaceholder(password) || /^[a-z]+$/i.test(password) && password.length >= 4) {
      if (!/^(?:[<$[{%*]|your|pass(?:word)?$|x+$|x-oauth-basic$)/i.test(password))
        yield { kind: "password", start, end: start + password.length }
    }
  }
}

/** `<password>x</password>`. */
const elements = function*(text: string): Generator<SecretMatch> {
  for (const { 0: match, 1: name = "", 2: value = "", index } of text.matchAll(/<([\w:.-]{1,80})>([^<>\s]{3,400})(?=<\/)/g)) {
    const nameClass = classifyName(name)
    if (
      nameClass !== undefined &&
      isSecret(value, { nameClass, isQuoted: true, isLineStart: false, isEnv: false, name, isNameQuoted: true }, "")
    ) {
      yield { kind: kindOf(nameClass, name), start: index + match.length - value.length, end: index + match.length }
    }
  }
}

/**
 * A name and its value as two values: `{"name": "DB_PASSWORD", "value": "x"}`, `define('DB_PASSWORD', 'x')`, and the private
 * parts of a JSON web key.
 */
const pairs = function*(text: string): Generator<SecretMatch> {
  for (const { 0: match, 1: name = "", 2: value = "", index } of text.matchAll(pair)) {
    const nameClass = classifyName(name)
    const isSecretPair = nameClass !== undefined &&
      isSecret(value, { nameClass, isQuoted: true, isLineStart: false, isEnv: false, name, isNameQuoted: true }, "")
    if (isSecretPair && (isRandom(value, 8) || /\d/.test(value)))
      yield { kind: kindOf(nameClass, name), start: index + match.length - value.length, end: index + match.length }
  }
  if (!/"kty"/.test(text)) return
  for (const { 0: match, 1: value = "", index } of text.matchAll(/"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,8}:[ \t]{0,8}"([\w-]{20,2000})(?=")/g)) {
    yield { kind: "private-key", start: index + match.length - value.length, end: index + match.length }
  }
}

const pair =
  /(?:(?<!\w)(?:key|name)["']?[ \t]{0,8}[:=][ \t]{0,8}["']?|[([]["'])(?<name>[\w.-]{1,80})(?:["']?,?\s{1,80}["']?value["']?[ \t]{0,8}[:=][ \t]{0,8}["']?|["'],[ \t]{0,8}["'])(?<value>[^\s"'<>]{3,400})/g
