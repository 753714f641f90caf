/**
 * Secrets that are known by how they look: the prefixes that providers give their keys, private keys, JSON web
 * tokens. Every pattern is a prefix and one run of characters, so that a text is read once whatever it holds.
 */
import type { Found } from "./Found.ts"
import { isIdentifier, isPlaceholder, isRandom } from "./LooksSecret.ts"

/** `least`: characters after the prefix from which on it is a key. */
interface Shape {
  readonly kind: string
  readonly prefix: string
  readonly body?: string
  readonly least: number
}

const shapes: ReadonlyArray<Shape> = [
  { kind: "anthropic", prefix: "sk-ant-(?:[a-z]{3,5}\\d\\d-)?", least: 5 },
  { kind: "openrouter", prefix: "sk-or-(?:v1-)?", least: 16 },
  { kind: "openai", prefix: "sk-(?:proj|svcacct|admin|None|service)-", least: 16 },
  { kind: "langfuse", prefix: "sk-lf-", least: 16 },
  { kind: "api-key", prefix: "(?<![A-Za-z0-9_-])sk-", least: 20 },
  { kind: "cerebras", prefix: "\\bcsk-", least: 20 },
  { kind: "gemini", prefix: "AIza", least: 24 },
  { kind: "google-oauth", prefix: "\\bya29\\.", body: "[\\w.-]", least: 20 },
  { kind: "google-secret", prefix: "GOCSPX-", least: 16 },
  { kind: "google-refresh", prefix: "(?<![\\w/])1//0", least: 20 },
  { kind: "groq", prefix: "gsk_", body: "\\w", least: 20 },
  { kind: "xai", prefix: "\\bxai-", least: 20 },
  { kind: "perplexity", prefix: "pplx-", least: 20 },
  { kind: "fireworks", prefix: "\\bfw_", body: "\\w", least: 20 },
  { kind: "nvidia", prefix: "nvapi-", least: 20 },
  { kind: "replicate", prefix: "\\br8_", body: "\\w", least: 20 },
  { kind: "huggingface", prefix: "\\b(?:hf|api_org)_", body: "[A-Za-z0-9]", least: 20 },
  { kind: "github", prefix: "gh[oprsu]_", body: "[A-Za-z0-9]", least: 16 },
  { kind: "github", prefix: "github_pat_", body: "\\w", least: 16 },
  { kind: "gitlab", prefix: "\\bgl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent|imt|ffct)-", body: "[\\w.-]", least: 16 },
  { kind: "bitbucket", prefix: "\\bATBB", body: "[A-Za-z0-9]", least: 20 },
  { kind: "atlassian", prefix: "\\bATATT3", body: "[\\w=-]", least: 20 },
  { kind: "aws-id", prefix: "(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)", body: "[A-Z0-9]", least: 16 },
  { kind: "slack", prefix: "\\bxox[a-z](?:\\.xox[a-z])?-", body: "[\\w.-]", least: 10 },
  { kind: "slack", prefix: "\\bxapp-", least: 10 },
  { kind: "slack-webhook", prefix: "hooks\\.slack\\.com/(?:services|workflows|triggers)/", body: "[\\w/]", least: 20 },
  { kind: "discord-webhook", prefix: "discord(?:app)?\\.com/api/webhooks/", body: "[\\w/-]", least: 30 },
  { kind: "telegram", prefix: "(?<!\\d)\\d{8,10}:AA", least: 32 },
  { kind: "stripe", prefix: "\\b(?:sk|rk|pk)_(?:live|test)_", body: "\\w", least: 16 },
  { kind: "webhook-secret", prefix: "\\bwhsec_", body: "[\\w+/=]", least: 20 },
  { kind: "sendgrid", prefix: "\\bSG\\.", body: "[\\w.-]", least: 30 },
  { kind: "mailgun", prefix: "(?<![\\w-])key-", body: "[\\da-f]", least: 32 },
  { kind: "mailchimp", prefix: "(?<!\\w)[\\da-f]{32}-us", body: "\\d", least: 1 },
  { kind: "brevo", prefix: "xkeysib-", least: 20 },
  { kind: "twilio", prefix: "(?<![A-Za-z0-9])SK", body: "[\\da-f]", least: 32 },
  { kind: "npm", prefix: "\\bnpm_", body: "[A-Za-z0-9]", least: 20 },
  { kind: "pypi", prefix: "\\bpypi-", least: 20 },
  { kind: "rubygems", prefix: "rubygems_", body: "[\\da-f]", least: 32 },
  { kind: "docker", prefix: "dckr_(?:pat|oat)_", least: 16 },
  { kind: "digitalocean", prefix: "\\bdo[opr]_v1_", body: "[\\da-f]", least: 32 },
  { kind: "shopify", prefix: "\\bshp(?:at|ca|pa|ss)_", body: "[\\da-fA-F]", least: 20 },
  { kind: "databricks", prefix: "\\bdapi", body: "[\\da-f-]", least: 32 },
  { kind: "linear", prefix: "\\blin_(?:api|oauth)_", body: "\\w", least: 20 },
  { kind: "notion", prefix: "\\b(?:ntn|secret)_", body: "[A-Za-z0-9]", least: 32 },
  { kind: "figma", prefix: "\\bfig[dou]_", least: 20 },
  { kind: "postman", prefix: "PMAK-", least: 20 },
  { kind: "grafana", prefix: "\\bgl(?:c|sa)_", body: "[\\w+/=]", least: 20 },
  { kind: "sentry", prefix: "\\bsntry[su]_", body: "[\\w+/=-]", least: 20 },
  { kind: "newrelic", prefix: "\\bNRAK-", least: 20 },
  { kind: "vault", prefix: "\\bhv[sbr]\\.", least: 20 },
  { kind: "doppler", prefix: "\\bdp\\.(?:pt|st|ct|sa|scim|audit)\\.", body: "[\\w.]", least: 20 },
  { kind: "supabase", prefix: "\\bsb(?:p|_secret)_", body: "\\w", least: 20 },
  { kind: "planetscale", prefix: "\\bpscale_(?:tkn|pw|oauth)_", body: "[\\w.=-]", least: 20 },
  { kind: "pulumi", prefix: "\\bpul-", body: "[\\da-f]", least: 32 },
  { kind: "tailscale", prefix: "\\btskey-", least: 16 },
  { kind: "dropbox", prefix: "\\bsl\\.(?:u\\.)?", least: 60 },
  { kind: "square", prefix: "\\bsq0(?:atp|csp|idp)-", least: 20 },
  { kind: "1password", prefix: "\\bops_eyJ", body: "[\\w+/=-]", least: 40 },
  { kind: "heroku", prefix: "\\bHRKU-", least: 20 },
  { kind: "age", prefix: "AGE-SECRET-KEY-1", body: "[A-Z0-9]", least: 20 },
  { kind: "jwt", prefix: "(?<![\\w-])eyJ[\\w-]{6,}\\.eyJ", body: "[\\w.-]", least: 4 }
]

const whole = new RegExp(shapes.map(({ body = "[\\w-]", prefix }) => `(${prefix}${body}{4,})`).join("|"), "g")
const prefixes = shapes.map(({ prefix }) => new RegExp(`^${prefix.replace(/^\(\?<![^)]*\)/, "")}`))

/** Every secret of a known shape, in order. */
export const find = (text: string): ReadonlyArray<Found> => {
  const found = [...privateKeys(text)]
  for (const match of text.matchAll(whole)) {
    const at = match.findIndex((group, i) => i > 0 && group !== undefined) - 1
    const { kind, least } = shapes[at]!
    const body = match[0].slice(prefixes[at]!.exec(match[0])?.[0].length ?? 0)
    const end = match.index + match[0].length
    if (!isKey(kind, body, least, text.slice(end, end + 3))) continue
    const trimmed = end - /[.-]*$/.exec(match[0])![0].length
    found.push({ kind, start: match.index, end: goesOn(text, trimmed) })
  }
  return found
}

/** Whether a whole value is a secret of a known shape. */
export const holds = (value: string): boolean => find(value).length > 0

/** A key, or the piece of one that an error message quotes. */
const isKey = (kind: string, body: string, least: number, after: string): boolean => {
  if (isPlaceholder(body)) return false
  if (kind === "anthropic" && body.length < 16 || body.length < least) return /^(?:\.\.\.|…|\*{2})/.test(after) && isRandom(body, 4)
  return kind === "api-key" ? body.split(/[-_]/).some((part) => isRandom(part, 16)) : /[\dA-Z]/.test(body) && new Set(body).size >= 6 || least === 1
}

/** A line that was wrapped, or a write that was cut: where the rest of a key stands after what interrupts it. */
const goesOn = (text: string, end: number): number => {
  const rest = /^(?:\r?\n[ \t]*([\w+/=-]{8,})|[^\n\w]{0,8}(?:\w{1,12}[^\n\w]{1,4})?([\w-]{24,}))/.exec(text.slice(end, end + 600))
  if (rest === null) return end
  const [whole, wrapped, cut] = rest
  const part = wrapped ?? cut!
  const isRest = !isIdentifier(part) && isRandom(part, 8) && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)
  return isRest ? goesOn(text, end + whole.length) : end
}

/** PEM and OpenPGP blocks, from their first line to their last, or to the end of what looks like one. */
const privateKeys = function*(text: string): Generator<Found> {
  let begun: number | undefined
  let body = 0
  for (const { 0: line, 1: border, index } of text.matchAll(/-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    if (border === "BEGIN") {
      if (begun !== undefined) yield { kind: "private-key", start: begun, end: blockEnd(text, body, index) }
      begun = index
      body = index + line.length
    } else if (begun !== undefined) {
      yield { kind: "private-key", start: begun, end: index + line.length }
      begun = undefined
    }
  }
  if (begun !== undefined) yield { kind: "private-key", start: begun, end: blockEnd(text, body, text.length) }
}

/** The end of a block that was cut: its lines of base64 and headers. */
const blockEnd = (text: string, from: number, before: number): number =>
  from + /^(?:[\w+/=:,. -]|\\[nr]|[\r\n])*/.exec(text.slice(from, Math.min(from + 16_384, before)))![0].length
