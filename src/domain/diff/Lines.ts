/**
 * A file as lines: where each begins, and a key to look it up. The text itself stays in one piece, so that 100 MB costs
 * one text and eight bytes a line. A byte order mark belongs to no line; CR LF and LF both end a line.
 */
import { normalizeLine, hash, hashUnits } from "./NormalizeLine.ts"
import type { Units } from "./Levenshtein.ts"

export interface Lines {
  readonly text: string
  readonly count: number
  /** Offset of each line, and at `count` the end of the text. */
  readonly starts: Uint32Array
  /** Hash of each line's folded form. */
  readonly keys: Int32Array
  /** The last line ends with a newline (an empty file counts as ended). */
  readonly isTerminated: boolean
}

const LF = 10
const CR = 13

/** Splits and hashes. O(text), mostly in native code: the text is searched for newlines and converted to bytes. */
export const scan = (text: string): Lines => {
  const codes = unitsOf(text)
  let starts = new Uint32Array((text.length >> 5) + 16)
  let keys = new Int32Array(starts.length)
  let count = 0
  let slash = text.indexOf("\\")
  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length;) {
    if (count + 1 === starts.length) {
      starts = grow(starts, new Uint32Array(starts.length * 2))
      keys = grow(keys, new Int32Array(starts.length))
    }
    const newline = text.indexOf("\n", at)
    const to = newline < 0 ? text.length : newline
    while (slash >= 0 && slash < at) slash = text.indexOf("\\", at)
    starts[count] = at
    const plain = slash < 0 || slash >= to ? keyOf(codes, at, to) : undefined
    keys[count++] = plain ?? hash(normalizeLine(text.slice(at, to)))
    at = to + 1
  }
  starts[count] = text.length
  return { text, count, starts, keys, isTerminated: count === 0 || text.charCodeAt(text.length - 1) === LF }
}

/** The text as an array of its UTF-16 units, one byte each if it is ASCII: much faster to scan than a string. */
export const unitsOf = (text: string): Units => {
  const bytes = encoder.encode(text)
  if (bytes.length === text.length) return bytes
  const units = new Uint16Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  return units
}

const encoder = new TextEncoder()

/** `Fold.hash` of the line without the white space at its ends; nothing if it must be folded first. */
const keyOf = (codes: Units, start: number, end: number): number | undefined => {
  let from = start
  let to = end
  while (from < to && isSpace(codes[from]!)) from++
  while (to > from && isSpace(codes[to - 1]!)) to--
  return codes instanceof Uint8Array || isAscii(codes, from, to) ? hashUnits(codes, from, to) : undefined
}

const isAscii = (codes: Units, from: number, to: number): boolean => {
  let bits = 0
  for (let at = from; at < to; at++) bits |= codes[at]!
  return bits < 128
}

/** What `String.trim` removes. */
export const isSpace = (code: number): boolean => code <= 32 ? code === 32 || code >= 9 && code <= CR : code >= 160 && wideSpaces.has(code)

const wideSpaces = new Set([
  0xa0,
  0x1680,
  0x2000,
  0x2001,
  0x2002,
  0x2003,
  0x2004,
  0x2005,
  0x2006,
  0x2007,
  0x2008,
  0x2009,
  0x200a,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
  0xfeff
])

const grow = <A extends Uint32Array | Int32Array>(source: A, target: A): A => {
  target.set(source)
  return target
}

/** Offset where the line's text ends, before its terminator. */
export const end = ({ count, starts, isTerminated, text }: Lines, line: number): number => {
  const next = starts[line + 1]!
  if (line === count - 1 && !isTerminated) return next
  return next - 2 >= starts[line]! && text.charCodeAt(next - 2) === CR ? next - 2 : next - 1
}

/** The line without its terminator. */
export const at = (lines: Lines, line: number): string => lines.text.slice(lines.starts[line], end(lines, line))

/** Lines `[from, to)` without their terminators. */
export const slice = (lines: Lines, from: number, to: number): Array<string> => {
  const result: Array<string> = []
  for (let line = from; line < to; line++) result.push(at(lines, line))
  return result
}

/** How new lines near this one should end: as it does, or as the previous one if it is the unterminated last line. */
export const terminator = (lines: Lines, line: number): "\n" | "\r\n" => {
  const terminatedLine = Math.min(line, lines.isTerminated ? lines.count - 1 : lines.count - 2)
  return terminatedLine >= 0 && lines.text.charCodeAt(lines.starts[terminatedLine + 1]! - 2) === CR ? "\r\n" : "\n"
}

/** How many lines a text has; a lone byte order mark does not count. O(text). */
export const countLines = (text: string): number => {
  const newlines = countNewlines(text, 0, text.length)
  return text === "" || text === "\ufeff" || text.endsWith("\n") ? newlines : newlines + 1
}

/** Newlines in `[from, to)`. */
export const countNewlines = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}
