/**
 * Removes secrets from outgoing text: each becomes `[REDACTED:kind:tag]`, where the tag is a keyed hash, so that the
 * same secret has the same placeholder and guesses can't be checked without the key. Look-alikes stay: commit hashes,
 * UUIDs, checksums, ids of calls and requests, placeholders in documents. Time is linear in the text.
 */
import * as CommandSecrets from "./CommandSecrets.ts"
import * as Encoded from "./Encoded.ts"
import type { SecretMatch } from "./LooksSecret.ts"
import * as KnownSecrets from "./KnownSecrets.ts"
import * as NamedSecrets from "./NamedSecrets.ts"
import * as KeyFormats from "./KeyFormats.ts"
import { maskCharacter } from "./LooksSecret.ts"

/** A text as a person would read it, without invisible characters, with the original position of each character. */
interface VisibleText {
  readonly text: string
  /** The original position of a position in `text`. */
  readonly origin: (at: number) => number
}

/** Escape sequences of terminals, NULs (of text in UTF-16), zero-width characters. */
const invisiblePattern =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0\x1b\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g

const visibleTextOf = (original: string): VisibleText => {
  const starts: Array<readonly [at: number, origin: number]> = []
  const pieces: Array<string> = []
  let length = 0
  let from = 0
  const pushPiece = (to: number) => {
    if (to > from) {
      starts.push([length, from])
      pieces.push(original.slice(from, to))
      length += to - from
    }
  }
  for (const { 0: match, index } of original.matchAll(invisiblePattern)) {
    pushPiece(index)
    from = index + match.length
  }
  if (from === 0) return { text: original, origin: (at) => at }
  pushPiece(original.length)
  return { text: pieces.join(""), origin: (at) => originOf(starts, at) }
}

const originOf = (starts: ReadonlyArray<readonly [number, number]>, at: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]![0] <= at) low = middle
    else high = middle - 1
  }
  const [start, origin] = starts[low] ?? [0, 0]
  return origin + at - start
}

/** A text without its secrets. */
export type Redact = (text: string) => string

/**
 * - `tag`: a short keyed hash of a secret, letters and digits only; the same for the same secret.
 * - `secrets`: secrets that we hold; they are matched in every spelling, whatever they look like.
 */
export interface Options {
  readonly tag: (secret: string) => string
  readonly secrets?: ReadonlyArray<string>
}

/** Existing placeholders stay, so that redacting twice equals redacting once; they hide nothing beside them. */
const placeholder = /\[REDACTED:[\w-]+:\w+\]/g

/** The function that removes known secrets, those of a known format, and those recognizable by their name. */
export const make = ({ secrets = [], tag }: Options): Redact => {
  const findKnownSecrets = KnownSecrets.makeFinder(secrets)
  const redactOnce: Redact = (text) => {
    const { origin, text: visibleText } = visibleTextOf(text)
    const maskedText = visibleText.replace(placeholder, (old) => maskCharacter.repeat(old.length))
    const matches = mergeMatches(
      [
        ...findKnownSecrets(maskedText),
        ...KeyFormats.find(maskedText),
        ...NamedSecrets.find(maskedText),
        ...CommandSecrets.find(maskedText),
        ...Encoded.find(maskedText)
      ].flatMap((match) => unmaskedParts(maskedText, match))
    )
    let out = ""
    let from = 0
    for (const { end, kind, start } of matches) {
      out += `${text.slice(from, origin(start))}[REDACTED:${kind}:${tag(visibleText.slice(start, end).replace(/\s/g, ""))}]`
      from = origin(end - 1) + 1
    }
    return out + text.slice(from)
  }
  // A secret hidden by another may become visible once that is removed: then it is removed too.
  return (text) => {
    let previous = text
    for (let pass = 0; pass < maxPasses; pass++) {
      const after = redactOnce(previous)
      if (after === previous) break
      previous = after
    }
    return previous
  }
}

/** Enough for any text that was not crafted to need more; the time stays proportional to the text. */
const maxPasses = 6

/** The pieces of a match that no placeholder covers. */
const unmaskedParts = (text: string, { end, kind, start }: SecretMatch): ReadonlyArray<SecretMatch> => {
  let next = start
  return text.slice(start, end).split(maskCharacter).flatMap(({ length }) => {
    const from = next
    next += length + maskCharacter.length
    return length === 0 ? [] : [{ kind, start: from, end: from + length }]
  })
}

/** Merges overlapping ones, named for the first. */
const mergeMatches = (matches: ReadonlyArray<SecretMatch>): ReadonlyArray<SecretMatch> => {
  const out: Array<SecretMatch> = []
  for (const match of [...matches].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1)
    if (last === undefined || match.start >= last.end) out.push(match)
    else out[out.length - 1] = { ...last, end: Math.max(last.end, match.end) }
  }
  return out
}
