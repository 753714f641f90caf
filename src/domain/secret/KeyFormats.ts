/**
 * Secrets that are recognizable by their format: the prefixes that providers give their keys, private keys, JSON web
 * tokens. Every pattern is a prefix and one run of characters, so that a text is read once whatever it contains.
 */
import type { SecretMatch } from "./LooksSecret.ts"
import { isIdentifier, isPlaceholder, isRandom } from "./LooksSecret.ts"

/** `minCharacters`: the minimum number of characters after the prefix for a key. */
interface KeyFormat {
  readonly kind: string
  readonly prefix: string
  readonly body?: string
  readonly minCharacters: number
}

const keyFormats: ReadonlyArray<KeyFormat> = [
  { kind: "anthropic", prefix: "sk-ant-(?:[a-z]{3,5}\\d\\d-)?", minCharacters: 5 },
  { kind: "openrouter", prefix: "sk-or-(?:v1-)?", minCharacters: 16 },
  { kind: "openai", prefix: "sk-(?:proj|svcacct|admin|None|service)-", minCharacters: 16 },
  { kind: "langfuse", prefix: "sk-lf-", minCharacters: 16 },
  { kind: "api-key", prefix: "(?<![A-Za-z0-9_-])sk-", minCharacters: 20 },
  { kind: "cerebras", prefix: "\\bcsk-", minCharacters: 20 },
  { kind: "gemini", prefix: "AIza", minCharacters: 24 },
  { kind: "google-oauth", prefix: "\\bya29\\.", body: "[\\w.-]", minCharacters: 20 },
  { kind: "google-secret", prefix: "GOCSPX-", minCharacters: 16 },
  { kind: "google-refresh", prefix: "(?<![\\w/])1//0", minCharacters: 20 },
  { kind: "groq", prefix: "gsk_", body: "\\w", minCharacters: 20 },
  { kind: "xai", prefix: "\\bxai-", minCharacters: 20 },
  { kind: "perplexity", prefix: "pplx-", minCharacters: 20 },
  { kind: "fireworks", prefix: "\\bfw_", body: "\\w", minCharacters: 20 },
  { kind: "nvidia", prefix: "nvapi-", minCharacters: 20 },
  { kind: "replicate", prefix: "\\br8_", body: "\\w", minCharacters: 20 },
  { kind: "huggingface", prefix: "\\b(?:hf|api_org)_", body: "[A-Za-z0-9]", minCharacters: 20 },
  { kind: "github", prefix: "gh[oprsu]_", body: "[A-Za-z0-9]", minCharacters: 16 },
  { kind: "github", prefix: "github_pat_", body: "\\w", minCharacters: 16 },
  { kind: "gitlab", prefix: "\\bgl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|agent|imt|ffct)-", body: "[\\w.-]", minCharacters: 16 },
  { kind: "bitbucket", prefix: "\\bATBB", body: "[A-Za-z0-9]", minCharacters: 20 },
  { kind: "atlassian", prefix: "\\bATATT3", body: "[\\w=-]", minCharacters: 20 },
  { kind: "aws-id", prefix: "(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)", body: "[A-Z0-9]", minCharacters: 16 },
  { kind: "slack", prefix: "\\bxox[a-z](?:\\.xox[a-z])?-", body: "[\\w.-]", minCharacters: 10 },
  { kind: "slack", prefix: "\\bxapp-", minCharacters: 10 },
  { kind: "slack-webhook", prefix: "hooks\\.slack\\.com/(?:services|workflows|triggers)/", body: "[\\w/]", minCharacters: 20 },
  { kind: "discord-webhook", prefix: "discord(?:app)?\\.com/api/webhooks/", body: "[\\w/-]", minCharacters: 30 },
  { kind: "telegram", prefix: "(?<!\\d)\\d{8,10}:AA", minCharacters: 32 },
  { kind: "stripe", prefix: "\\b(?:sk|rk|pk)_(?:live|test)_", body: "\\w", minCharacters: 16 },
  { kind: "webhook-secret", prefix: "\\bwhsec_", body: "[\\w+/=]", minCharacters: 20 },
  { kind: "sendgrid", prefix: "\\bSG\\.", body: "[\\w.-]", minCharacters: 30 },
  { kind: "mailgun", prefix: "(?<![\\w-])key-", body: "[\\da-f]", minCharacters: 32 },
  { kind: "mailchimp", prefix: "(?<!\\w)[\\da-f]{32}-us", body: "\\d", minCharacters: 1 },
  { kind: "brevo", prefix: "xkeysib-", minCharacters: 20 },
  { kind: "twilio", prefix: "(?<![A-Za-z0-9])SK", body: "[\\da-f]", minCharacters: 32 },
  { kind: "npm", prefix: "\\bnpm_", body: "[A-Za-z0-9]", minCharacters: 20 },
  { kind: "pypi", prefix: "\\bpypi-", minCharacters: 20 },
  { kind: "rubygems", prefix: "rubygems_", body: "[\\da-f]", minCharacters: 32 },
  { kind: "docker", prefix: "dckr_(?:pat|oat)_", minCharacters: 16 },
  { kind: "digitalocean", prefix: "\\bdo[opr]_v1_", body: "[\\da-f]", minCharacters: 32 },
  { kind: "shopify", prefix: "\\bshp(?:at|ca|pa|ss)_", body: "[\\da-fA-F]", minCharacters: 20 },
  { kind: "databricks", prefix: "\\bdapi", body: "[\\da-f-]", minCharacters: 32 },
  { kind: "linear", prefix: "\\blin_(?:api|oauth)_", body: "\\w", minCharacters: 20 },
  { kind: "notion", prefix: "\\b(?:ntn|secret)_", body: "[A-Za-z0-9]", minCharacters: 32 },
  { kind: "figma", prefix: "\\bfig[dou]_", minCharacters: 20 },
  { kind: "postman", prefix: "PMAK-", minCharacters: 20 },
  { kind: "grafana", prefix: "\\bgl(?:c|sa)_", body: "[\\w+/=]", minCharacters: 20 },
  { kind: "sentry", prefix: "\\bsntry[su]_", body: "[\\w+/=-]", minCharacters: 20 },
  { kind: "newrelic", prefix: "\\bNRAK-", minCharacters: 20 },
  { kind: "vault", prefix: "\\bhv[sbr]\\.", minCharacters: 20 },
  { kind: "doppler", prefix: "\\bdp\\.(?:pt|st|ct|sa|scim|audit)\\.", body: "[\\w.]", minCharacters: 20 },
  { kind: "supabase", prefix: "\\bsb(?:p|_secret)_", body: "\\w", minCharacters: 20 },
  { kind: "planetscale", prefix: "\\bpscale_(?:tkn|pw|oauth)_", body: "[\\w.=-]", minCharacters: 20 },
  { kind: "pulumi", prefix: "\\bpul-", body: "[\\da-f]", minCharacters: 32 },
  { kind: "tailscale", prefix: "\\btskey-", minCharacters: 16 },
  { kind: "dropbox", prefix: "\\bsl\\.(?:u\\.)?", minCharacters: 60 },
  { kind: "square", prefix: "\\bsq0(?:atp|csp|idp)-", minCharacters: 20 },
  { kind: "1password", prefix: "\\bops_eyJ", body: "[\\w+/=-]", minCharacters: 40 },
  { kind: "heroku", prefix: "\\bHRKU-", minCharacters: 20 },
  { kind: "age", prefix: "AGE-SECRET-KEY-1", body: "[A-Z0-9]", minCharacters: 20 },
  { kind: "azure-ad", prefix: "(?<![\\w.~-])[\\w.~-]{3}\\dQ~", body: "[\\w.~-]", minCharacters: 31 },
  {
    kind: "azure",
    prefix: "(?<![\\w+/])(?=[A-Za-z0-9+/]{40,80}(?:APIM|ACDb|AIoT|AzCa|AzEG|AzFu|AzSe|\\+ABa|\\+AEh|\\+AMC|\\+ASt))",
    body: "[A-Za-z0-9+/=]",
    minCharacters: 48
  },
  { kind: "terraform", prefix: "(?<!\\w)[A-Za-z0-9]{14}\\.atlasv1\\.", minCharacters: 40 },
  { kind: "bedrock", prefix: "(?<![\\w+/-])ABSK", body: "[\\w+/=]", minCharacters: 60 },
  { kind: "alibaba", prefix: "(?<![\\w+/-])LTAI", body: "[A-Za-z0-9]", minCharacters: 12 },
  { kind: "yandex", prefix: "(?<![\\w+/-])AQVN", minCharacters: 35 },
  { kind: "cloudflare", prefix: "\\bv1\\.0-[\\da-f]{24}-", body: "[\\da-f]", minCharacters: 100 },
  { kind: "turnstile", prefix: "\\b0x4AAAAAAA", minCharacters: 20 },
  { kind: "fly", prefix: "\\bfm[12][ar]?_", body: "[\\w+/=,-]", minCharacters: 40 },
  { kind: "netlify", prefix: "\\bnf[cpou]_", body: "[A-Za-z0-9]", minCharacters: 36 },
  { kind: "render", prefix: "\\brnd_", body: "[A-Za-z0-9]", minCharacters: 24 },
  { kind: "tavily", prefix: "\\btvly-", minCharacters: 24 },
  { kind: "elevenlabs", prefix: "\\bsk_", body: "[\\da-f]", minCharacters: 40 },
  { kind: "pinecone", prefix: "\\bpcsk_", body: "\\w", minCharacters: 40 },
  { kind: "langsmith", prefix: "\\blsv2_(?:pt|sk)_", body: "\\w", minCharacters: 32 },
  { kind: "together", prefix: "\\btgp_v1_", minCharacters: 40 },
  { kind: "jina", prefix: "\\bjina_", body: "[A-Za-z0-9]", minCharacters: 40 },
  { kind: "firecrawl", prefix: "\\bfc-", body: "[\\da-f]", minCharacters: 32 },
  { kind: "airtable", prefix: "\\bpat[A-Za-z0-9]{14}\\.", body: "[\\da-f]", minCharacters: 64 },
  { kind: "hubspot", prefix: "\\bpat-[a-z]{2}\\d-", body: "[\\da-f-]", minCharacters: 36 },
  { kind: "discord", prefix: "(?<![\\w-])[MNO][\\w-]{23,25}\\.[\\w-]{6}\\.", minCharacters: 27 },
  { kind: "mapbox", prefix: "\\bsk\\.eyJ", body: "[\\w.-]", minCharacters: 40 },
  { kind: "posthog", prefix: "\\bphx_", body: "[A-Za-z0-9]", minCharacters: 40 },
  { kind: "paypal", prefix: "\\baccess_token\\$(?:production|sandbox)\\$", body: "[\\w$]", minCharacters: 40 },
  { kind: "facebook", prefix: "(?<![\\w+/-])EAA", body: "[A-Za-z0-9]", minCharacters: 50 },
  { kind: "razorpay", prefix: "\\brzp_(?:live|test)_", body: "[A-Za-z0-9]", minCharacters: 14 },
  { kind: "intercom", prefix: "(?<![\\w+/-])dG9rO[ij]", body: "[\\w+/=]", minCharacters: 40 },
  { kind: "contentful", prefix: "\\bCFPAT-", minCharacters: 40 },
  { kind: "buildkite", prefix: "\\bbk(?:ua|aj|ct)_", body: "\\w", minCharacters: 40 },
  { kind: "circleci", prefix: "\\bCCI(?:PAT|PRJ)_", body: "\\w", minCharacters: 40 },
  { kind: "sonarqube", prefix: "\\bsq[apu]_", body: "[\\da-f]", minCharacters: 40 },
  { kind: "artifactory", prefix: "(?<![\\w+/-])(?:AKCp|cmVmdGtuO)", body: "[A-Za-z0-9]", minCharacters: 50 },
  { kind: "nuget", prefix: "(?<![\\w+/-])oy2", body: "[a-z\\d]", minCharacters: 43 },
  { kind: "crates", prefix: "(?<![\\w+/-])cio", body: "[A-Za-z0-9]", minCharacters: 32 },
  { kind: "clojars", prefix: "\\bCLOJARS_", body: "[\\da-f]", minCharacters: 60 },
  { kind: "prefect", prefix: "\\bpn[ub]_", body: "[A-Za-z0-9]", minCharacters: 36 },
  { kind: "okta", prefix: "(?<=\\bSSWS )00", minCharacters: 40 },
  { kind: "woocommerce", prefix: "\\bc[ks]_", body: "[\\da-f]", minCharacters: 40 },
  { kind: "duffel", prefix: "\\bduffel_(?:live|test)_", minCharacters: 40 },
  { kind: "easypost", prefix: "\\bEZ[AT]K", body: "[A-Za-z0-9]", minCharacters: 54 },
  { kind: "flutterwave", prefix: "\\bFLWSECK(?:_TEST)?-", minCharacters: 32 },
  { kind: "frameio", prefix: "\\bfio-u-", minCharacters: 40 },
  { kind: "readme", prefix: "\\brdme_", body: "[a-z\\d]", minCharacters: 60 },
  { kind: "shippo", prefix: "\\bshippo_(?:live|test)_", body: "[\\da-f]", minCharacters: 40 },
  { kind: "infracost", prefix: "\\bico-", body: "[A-Za-z0-9]", minCharacters: 32 },
  { kind: "typeform", prefix: "\\btfp_", minCharacters: 40 },
  { kind: "resend", prefix: "\\bre_[A-Za-z0-9]{8}_", body: "[A-Za-z0-9]", minCharacters: 20 },
  { kind: "teams-webhook", prefix: "\\.webhook\\.office\\.com/webhookb2/", body: "[\\w/@-]", minCharacters: 60 },
  { kind: "zapier-webhook", prefix: "hooks\\.zapier\\.com/hooks/catch/", body: "[\\w/]", minCharacters: 10 },
  { kind: "password-hash", prefix: "\\$(?:2[abxy]|5|6|y|argon2id?)\\$", body: "[\\w./$=,+]", minCharacters: 40 },
  { kind: "jwt", prefix: "(?<![\\w-])eyJ[\\w-]{6}[\\w-]*\\.eyJ", body: "[\\w.-]", minCharacters: 4 }
]

/** Characters after the prefix that `anyKey` asks for. */
const sureCharacters = 4
/** `{4}` and `*` for the reason given in Encoded.ts. */
const anyKey = new RegExp(keyFormats.map(({ body = "[\\w-]", prefix }) => `(${prefix}${body}{${sureCharacters}}${body}*)`).join("|"), "g")
const prefixes = keyFormats.map(({ prefix }) => new RegExp(`^${prefix.replace(/^\(\?<[!=][^)]*\)/, "")}`))
const keyStarts = keyFormats.map(({ body = "[\\w-]", prefix }) => new RegExp(`^${prefix}(${body}+)`))

/** Every secret of a known format, in order. */
export const find = (text: string): ReadonlyArray<SecretMatch> => {
  const matches = [...privateKeys(text)]
  for (const match of text.matchAll(anyKey)) {
    const formatIndex = match.findIndex((group, i) => i > 0 && group !== undefined) - 1
    const { kind, minCharacters } = keyFormats[formatIndex]!
    const body = match[0].slice(prefixes[formatIndex]!.exec(match[0])?.[0].length ?? 0)
    const end = match.index + match[0].length
    if (!isKey(kind, body, minCharacters, text.slice(end, end + 3))) continue
    const trimmedEnd = end - /[.-]*$/.exec(match[0])![0].length
    matches.push({ kind, start: match.index, end: kind === "aws-id" ? awsPair(text, trimmedEnd) : continuedEnd(text, trimmedEnd) })
  }
  return matches
}

/**
 * Whether a value contains a secret of a known format, or begins like one: examples in documents count too. Of a value that is no
 * key of at least `sureCharacters`, only the formats of shorter keys are tried: each pattern takes long to compile.
 */
export const containsKey = (value: string): boolean => {
  const firstKey = value.search(anyKey)
  if (firstKey < 0 ? privateKeys(value).next().done !== true : find(value).length > 0) return true
  return keyFormats.some(({ minCharacters }, i) =>
    (firstKey === 0 || minCharacters < sureCharacters) && (keyStarts[i]!.exec(value)?.[1]?.length ?? -1) >= minCharacters
  )
}

/** A key, or the piece of one that an error message quotes. */
const isKey = (kind: string, body: string, minCharacters: number, after: string): boolean => {
  if (isPlaceholder(body)) return false
  if (kind === "anthropic" && body.length < 16 || body.length < minCharacters) return /^(?:\.\.\.|…|\*{2})/.test(after) && isRandom(body, 4)
  return kind === "api-key" ? body.split(/[-_]/).some((part) => isRandom(part, 16))
    : /[\dA-Z]/.test(body) && new Set(body).size >= 6 || minCharacters === 1
}

/** The secret after an AWS id, as AWS lists its keys. */
const awsPair = (text: string, end: number): number =>
  end + (/^["']?[,;:|\s]["' ]?[A-Za-z0-9+/]{40}(?![\w+/])/.exec(text.slice(end, end + 50))?.[0].length ?? 0)

/** A line that was wrapped, or a write that was cut: where the rest of a key follows the interruption. */
const continuedEnd = (text: string, end: number): number => {
  const match = /^(?:\r?\n[ \t]*([\w+/=-]{8,})|[^\n\w]{0,8}(?:\w{1,12}[^\n\w]{1,4})?([\w-]{24,}))/.exec(text.slice(end, end + 600))
  if (match === null) return end
  const [anyKey, wrappedLine, continuation] = match
  const part = wrappedLine ?? continuation!
  const isContinuation = !isIdentifier(part) && isRandom(part, 8) && /\d/.test(part) && /[a-z]/.test(part) && /[A-Z]/.test(part)
  return isContinuation ? continuedEnd(text, end + anyKey.length) : end
}

/** PEM, OpenPGP and PuTTY blocks, from their first line to their last, or to the end of what looks like one. */
const privateKeys = function*(text: string): Generator<SecretMatch> {
  let blockStart: number | undefined
  let body = 0
  for (const { 0: line, 1: border, index } of text.matchAll(/-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g)) {
    if (border === "BEGIN") {
      if (blockStart !== undefined) yield { kind: "private-key", start: blockStart, end: blockEnd(text, body, index) }
      blockStart = index
      body = index + line.length
    } else if (blockStart !== undefined) {
      yield { kind: "private-key", start: blockStart, end: index + line.length }
      blockStart = undefined
    }
  }
  if (blockStart !== undefined) yield { kind: "private-key", start: blockStart, end: blockEnd(text, body, text.length) }
  for (const { 0: head, index } of text.matchAll(/^Private-Lines: \d{1,3}\r?\n/gm)) {
    const start = index + head.length
    const { length } = /^(?:[\w+/=]{1,80}(?:\r?\n|$))*/.exec(text.slice(start, start + 16_384))![0]
    yield { kind: "private-key", start, end: start + text.slice(start, start + length).trimEnd().length }
  }
}

/** The end of a block that was cut: its lines of base64 and headers. */
const blockEnd = (text: string, from: number, limit: number): number =>
  from + /^(?:[\w+/=:,. -]|\\[nr]|[\r\n])*/.exec(text.slice(from, Math.min(from + 16_384, limit)))![0].length
