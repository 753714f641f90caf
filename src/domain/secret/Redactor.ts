/**
 * Takes secrets out of a text that leaves: each becomes `[REDACTED:kind:tag]`, where the tag is a keyed hash, so that
 * the same secret has the same placeholder and nobody without the key can try guesses. Look-alikes stay: commit
 * hashes, UUIDs, checksums, ids of calls and requests, placeholders of documents. Time grows with the text alone.
 */
import type { Found } from "./Found.ts"
import * as Known from "./KnownSecrets.ts"
import * as Named from "./NamedSecrets.ts"
import * as Readable from "./Readable.ts"
import * as Shapes from "./KeyFormats.ts"
import { covered } from "./LooksSecret.ts"

/** A text without its secrets. */
export type Redact = (text: string) => string

/**
 * - `tag`: a short keyed hash of a secret, letters and digits alone; the same for the same secret.
 * - `known`: secrets that we hold; they are found in every spelling, whatever they look like.
 */
export interface Options {
  readonly tag: (secret: string) => string
  readonly known?: ReadonlyArray<string>
}

/** What was redacted before is left as it is, so that redacting twice is redacting once; it hides nothing beside it. */
const placeholder = /\[REDACTED:[\w-]+:\w+\]/g

/** The function that takes out known secrets, those that look like one, and those whose name says so. */
export const make = ({ known = [], tag }: Options): Redact => {
  const findKnown = Known.finder(known)
  const once: Redact = (text) => {
    const { origin, text: seen } = Readable.of(text)
    const open = seen.replace(placeholder, (old) => covered.repeat(old.length))
    const found = joined([...findKnown(open), ...Shapes.find(open), ...Named.find(open)].flatMap((each) => uncovered(open, each)))
    let out = ""
    let from = 0
    for (const { end, kind, start } of found) {
      out += `${text.slice(from, origin(start))}[REDACTED:${kind}:${tag(seen.slice(start, end).replace(/\s/g, ""))}]`
      from = origin(end - 1) + 1
    }
    return out + text.slice(from)
  }
  // What was hidden by a secret may be seen once that is gone: then it is taken out too.
  return (text) => {
    let before = text
    for (let pass = 0; pass < mostPasses; pass++) {
      const after = once(before)
      if (after === before) break
      before = after
    }
    return before
  }
}

/** More are not needed by any text that was not made for it; the time stays in proportion to the text. */
const mostPasses = 6

/** The pieces of what was found that no placeholder covers. */
const uncovered = (text: string, { end, kind, start }: Found): ReadonlyArray<Found> =>
  [...text.slice(start, end).matchAll(pieces)].map(({ 0: piece, index }) => ({ kind, start: start + index, end: start + index + piece.length }))

const pieces = new RegExp(`[^${covered}]+`, "g")

/** Those that overlap become one, named for the first. */
const joined = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const out: Array<Found> = []
  for (const each of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1)
    if (last === undefined || each.start >= last.end) out.push(each)
    else out[out.length - 1] = { ...last, end: Math.max(last.end, each.end) }
  }
  return out
}
