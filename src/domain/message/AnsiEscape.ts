/**
 * Separates terminal escape sequences from text, even if a sequence is split between two chunks. Grammar: ECMA-48
 * (control sequences, control strings, two-character escapes) in 7-bit and 8-bit spelling.
 */

/** Text without escapes (other control characters may occur), or one complete sequence. */
export type Token =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Sequence"; readonly sequence: string }

/** The start of a sequence whose end has not arrived yet. */
export type State = string

export const initial: State = ""

/** A control string without an end within this many characters is treated as text. */
const maxSequenceCharacters = 4096

/** Splits new input, continuing pending input. Linear in the length of the text. */
export const push = (state: State, text: string): readonly [State, ReadonlyArray<Token>] => {
  const input = state === "" ? text : state + text
  const tokens: Array<Token> = []
  let from = 0
  while (from < input.length) {
    introducer.lastIndex = from
    const match = introducer.exec(input)
    const start = match?.index ?? input.length
    // Of several escapes in a row only the last can begin a sequence.
    const at = match === null ? start : start + match[0].length - 1
    if (start > from) tokens.push({ _tag: "Text", text: input.slice(from, start) })
    if (at === input.length) break
    const end = endOf(input, at)
    if (end === undefined) {
      if (input.length - at <= maxSequenceCharacters) return [input.slice(at), tokens]
      from = at + introducerLength(input, at)
      continue
    }
    if (end > at + 1 || input.charCodeAt(at) !== 0x1b) tokens.push({ _tag: "Sequence", sequence: input.slice(at, end) })
    from = end
  }
  return [initial, tokens]
}

/** Everything but the sequences of a complete text; an unterminated one is dropped. */
export const strip = (text: string): string => push(initial, text)[1].map((token) => token._tag === "Text" ? token.text : "").join("")

const introducer = /\x1b+|[\x80-\x9f]/g

const introducerLength = (input: string, at: number): number => input.charCodeAt(at) === 0x1b ? 2 : 1

/** Where the sequence that begins at `at` ends; undefined if that is not known yet. A lone escape is one character. */
const endOf = (input: string, at: number): number | undefined => {
  const first = input.charCodeAt(at)
  if (first !== 0x1b) {
    return first === 0x9b ? controlEnd(input, at + 1) : opensString(first - 0x40) ? stringEnd(input, at + 1) : at + 1
  }
  if (at + 1 === input.length) return undefined
  const next = input.charCodeAt(at + 1)
  if (next === 0x5b) return controlEnd(input, at + 2)
  if (opensString(next)) return stringEnd(input, at + 2)
  if (next >= 0x20 && next <= 0x2f) return intermediateEnd(input, at + 1)
  return (next >= 0x30 && next <= 0x5f) || independent.has(next) ? at + 2 : at + 1
}

/** Of the independent functions (0x60 to 0x7e) only those that terminals know: elsewhere a letter is a letter. */
const independent = new Set(["c", "l", "m", "n", "o", "|", "}", "~"].map((letter) => letter.charCodeAt(0)))

/** DCS, SOS, OSC, PM, APC by their 7-bit letter. */
const opensString = (code: number): boolean => code === 0x50 || code === 0x58 || (code >= 0x5d && code <= 0x5f)

/** Parameters, intermediates, one final character; anything else ends it without being part of it. */
const controlEnd = (input: string, from: number): number | undefined => {
  let at = from
  while (at < input.length && isInRange(input, at, 0x30, 0x3f)) at++
  return intermediateEnd(input, at)
}

const intermediateEnd = (input: string, from: number): number | undefined => {
  let at = from
  while (at < input.length && isInRange(input, at, 0x20, 0x2f)) at++
  return at === input.length ? undefined : isInRange(input, at, 0x30, 0x7e) ? at + 1 : at
}

const stringEnd = (input: string, from: number): number | undefined => {
  terminator.lastIndex = from
  const match = terminator.exec(input)
  if (match === null || match.index - from > maxSequenceCharacters) return match === null ? undefined : from
  if (match[0] !== "\x1b") return match.index + match[0].length
  return match.index + 1 === input.length ? undefined : match.index
}

/** Bell, string terminator, cancel, or the start of another sequence. */
const terminator = /\x1b\\|[\x07\x18\x1a\x1b\x9c]/g

const isInRange = (input: string, at: number, low: number, high: number): boolean => {
  const code = input.charCodeAt(at)
  return code >= low && code <= high
}
