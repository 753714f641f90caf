/** Secrets inside base64: a private key in a kubeconfig, a value of a Kubernetes secret, a settings file in a variable. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { SecretMatch } from "./LooksSecret.ts"
import * as NamedSecrets from "./NamedSecrets.ts"
import * as KeyFormats from "./KeyFormats.ts"

/** `{24}…*`: V8 runs out of stack where `{24,}` meets 10 million characters, and does not for a repetition of one class. */
const encodedPattern = /(?<![\w+/-])[A-Za-z0-9+/_-]{24}[A-Za-z0-9+/_-]*={0,2}/g

/** How much of a run is searched for names; key formats are searched for in all of it. */
const maxDecodedCharacters = 8192

/** Every run whose decoded content is a text with a secret, as a whole. */
export const find = (text: string): ReadonlyArray<SecretMatch> => {
  const matches: Array<SecretMatch> = []
  for (const { 0: encoded, index } of text.matchAll(encodedPattern)) {
    const decoded = textOf(encoded)
    const match = decoded === undefined ? undefined
      : KeyFormats.find(decoded)[0] ?? (decoded.length > maxDecodedCharacters ? undefined : NamedSecrets.find(decoded)[0])
    if (match !== undefined) matches.push({ kind: match.kind, start: index, end: index + encoded.length })
  }
  return matches
}

/** What a run encodes; undefined if its beginning shows that it is not text: a hash, an image, an identifier. */
const textOf = (encoded: string): string | undefined => {
  const head = decode(encoded.slice(0, 24))
  return head === undefined || !/^[\t\r\n -~]*$/.test(head) ? undefined : decode(encoded)
}

const decode = (encoded: string): string | undefined => {
  const base64 = encoded.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/")
  const trimmed = base64.length % 4 === 1 ? base64.slice(0, -1) : base64
  const bytes = Base64.decode(trimmed.padEnd(Math.ceil(trimmed.length / 4) * 4, "="))
  return Result.isSuccess(bytes) ? new TextDecoder().decode(bytes.success) : undefined
}
