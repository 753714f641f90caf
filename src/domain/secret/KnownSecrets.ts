/** Secrets that we hold ourselves, in every spelling in which they may reappear: as they are, in URLs, in JSON, in base64. */
import * as Base64 from "effect/encoding/Base64"
import type { SecretMatch } from "./LooksSecret.ts"

/** Shorter ones would match everywhere. */
const minCharacters = 6

/** A function that finds them; `secrets` shorter than six characters are ignored. */
export const makeFinder = (secrets: ReadonlyArray<string>): (text: string) => ReadonlyArray<SecretMatch> => {
  const longSecrets = [...new Set(secrets)].filter(({ length }) => length >= minCharacters)
  const plain = pattern(longSecrets.flatMap(encodedForms))
  const encoded = pattern(longSecrets.flatMap(base64Forms), "[\\w+/-]*", "[\\w+/-]*={0,2}")
  return (text) =>
    [plain, encoded].flatMap((each) =>
      each === undefined ? []
        : [...text.matchAll(each)].map(({ 0: match, index }) => ({ kind: "known", start: index, end: index + match.length }))
    )
}

const pattern = (texts: ReadonlyArray<string>, prefix = "", suffix = ""): RegExp | undefined => {
  if (texts.length === 0) return undefined
  const alternatives = [...new Set(texts)].sort((a, b) => b.length - a.length).map((text) => text.replace(/[$()*+./?[\\\]^{|}-]/g, "\\$&"))
    .join("|")
  // A run is entered only at its beginning, so that it is read once.
  return new RegExp(prefix === "" ? alternatives : `(?<![\\w+/-])${prefix}?(?:${alternatives})${suffix}`, "g")
}

const encodedForms = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const strictlyEncoded = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    encoded,
    strictlyEncoded,
    encoded.replaceAll("%20", "+"),
    encoded.toLowerCase(),
    json,
    JSON.stringify(json).slice(1, -1),
    json.replaceAll("/", "\\/")
  ]
}

/** The part of its base64 that stays the same at any position in a longer text: at each of three offsets, without the borders. */
const base64Forms = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    const first = offset === 0 ? 0 : offset + 1
    const last = Math.floor(padded.length / 3) * 4
    const core = Base64.encode(padded).slice(first, last)
    return core.length < minCharacters ? [] : [core, core.replaceAll("+", "-").replaceAll("/", "_")]
  })
}
