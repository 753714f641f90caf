/**
 * A file as lines: where each begins, and a key by which to find it. The text itself is kept whole, so that 100 MB
 * costs one text and eight bytes a line. A byte order mark belongs to no line; CR LF and LF end a line alike.
 */
import { fold, hash } from "./Fold.ts"

export interface Lines {
  readonly text: string
  readonly count: number
  /** Offset of each line, and at `count` the end of the text. */
  readonly starts: Uint32Array
  /** Hash of each line's folded form. */
  readonly keys: Int32Array
  /** The last line ends with a newline (an empty file counts as ended). */
  readonly terminated: boolean
}

const LF = 10
const CR = 13
const BACKSLASH = 92

/** Splits and hashes in one pass: O(text). */
export const scan = (text: string): Lines => {
  let starts = new Uint32Array((text.length >> 5) + 16)
  let keys = new Int32Array(starts.length)
  let count = 0
  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  while (at < text.length) {
    if (count + 1 === starts.length) {
      starts = grow(starts, new Uint32Array(starts.length * 2))
      keys = grow(keys, new Int32Array(starts.length))
    }
    starts[count] = at
    let running = 0
    let key = 0
    let code = 0
    let begun = false
    for (; at < text.length && (code = text.charCodeAt(at)) !== LF; at++) {
      if (code > 32 && code !== BACKSLASH && code < 128) {
        running = (Math.imul(running, 31) + code) | 0
        key = running
        begun = true
      } else if (code === 32 || code >= 9 && code <= CR) {
        if (begun) running = (Math.imul(running, 31) + code) | 0
      } else {
        const newline = text.indexOf("\n", at)
        const end = newline < 0 ? text.length : newline
        key = hash(fold(text.slice(starts[count]!, end)))
        at = end
        break
      }
    }
    keys[count++] = key
    at++
  }
  starts[count] = text.length
  return { text, count, starts, keys, terminated: count === 0 || text.charCodeAt(text.length - 1) === LF }
}

const grow = <A extends Uint32Array | Int32Array>(from: A, into: A): A => {
  into.set(from)
  return into
}

/** Offset where the line's text ends, before its terminator. */
export const end = ({ count, starts, terminated, text }: Lines, line: number): number => {
  const next = starts[line + 1]!
  if (line === count - 1 && !terminated) return next
  return next - 2 >= starts[line]! && text.charCodeAt(next - 2) === CR ? next - 2 : next - 1
}

/** The line without its terminator. */
export const at = (lines: Lines, line: number): string => lines.text.slice(lines.starts[line], end(lines, line))

/** Lines `[from, to)` without their terminators. */
export const slice = (lines: Lines, from: number, to: number): Array<string> => {
  const found: Array<string> = []
  for (let line = from; line < to; line++) found.push(at(lines, line))
  return found
}

/** How new lines near this one should end: as it does, or its neighbour before where it is the unended last line. */
export const terminator = (lines: Lines, line: number): "\n" | "\r\n" => {
  const ended = Math.min(line, lines.terminated ? lines.count - 1 : lines.count - 2)
  return ended >= 0 && lines.text.charCodeAt(lines.starts[ended + 1]! - 2) === CR ? "\r\n" : "\n"
}

/** The line (0-based) that holds the offset. O(log lines). */
export const lineOf = ({ count, starts }: Lines, offset: number): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset && middle < count) low = middle
    else high = middle - 1
  }
  return low
}

/** A small text as lines, terminators dropped. */
export const split = (text: string): Array<string> => {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

/** How many lines a text has; a byte order mark alone is none. O(text). */
export const countLines = (text: string): number => {
  const ended = countNewlines(text, 0, text.length)
  return text === "" || text === "\ufeff" || text.endsWith("\n") ? ended : ended + 1
}

/** Newlines in `[from, to)`. */
export const countNewlines = (text: string, from: number, to: number): number => {
  let count = 0
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++
  return count
}
