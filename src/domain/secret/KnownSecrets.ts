/** Secrets that we hold ourselves, in every spelling in which they may come back: as they are, in URLs, in JSON, in base64. */
import * as Base64 from "effect/encoding/Base64"
import type { Found } from "./Found.ts"

/** Shorter ones would be found everywhere. */
const shortest = 6

/** A function that finds them; `secrets` shorter than six characters are left out. */
export const finder = (secrets: ReadonlyArray<string>): (text: string) => ReadonlyArray<Found> => {
  const usual = [...new Set(secrets)].filter(({ length }) => length >= shortest)
  const plain = pattern(usual.flatMap(spellings))
  const encoded = pattern(usual.flatMap(inBase64), "[\\w+/-]*", "[\\w+/-]*={0,2}")
  return (text) => [plain, encoded].flatMap((each) =>
    each === undefined ? [] : [...text.matchAll(each)].map(({ 0: whole, index }) => ({ kind: "known", start: index, end: index + whole.length })))
}

const pattern = (texts: ReadonlyArray<string>, before = "", after = ""): RegExp | undefined => {
  if (texts.length === 0) return undefined
  const any = [...new Set(texts)].sort((a, b) => b.length - a.length).map((text) => text.replace(/[$()*+./?[\\\]^{|}-]/g, "\\$&")).join("|")
  // A run is entered at its beginning alone, so that it is read once.
  return new RegExp(before === "" ? any : `(?<![\\w+/-])${before}?(?:${any})${after}`, "g")
}

const spellings = (secret: string): ReadonlyArray<string> => {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const strict = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, encoded, strict, encoded.replaceAll("%20", "+"), encoded.toLowerCase(), json, JSON.stringify(json).slice(1, -1), json.replaceAll("/", "\\/")]
}

/** What stays the same of its base64 wherever it stands in a longer text: at each of three offsets, without the borders. */
const inBase64 = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length)
    padded.set(bytes, offset)
    const first = offset === 0 ? 0 : offset + 1
    const last = Math.floor(padded.length / 3) * 4
    const core = Base64.encode(padded).slice(first, last)
    return core.length < shortest ? [] : [core, core.replaceAll("+", "-").replaceAll("/", "_")]
  })
}
