/**
 * Folding: the form in which two lines are the same though a model spelled one of them otherwise. White space at both
 * ends goes; typographic quotes, dashes, spaces and the ellipsis become their keyboard forms; characters without width
 * go; a backslash before a quote, a dollar, a slash or another backslash goes (an artefact of escaping for JSON, a
 * shell or a template string). Two lines that agree under any stricter rule agree when folded, so one index serves all.
 */
import type { Units } from "./Levenshtein.ts"

const odd = /[\\\u0080-\uffff]/
const foldable =
  /\\(["'`\\$/])|[\u2018-\u201b\u2032]|[\u201c-\u201f\u2033]|[\u2010-\u2015\u2212]|\u2026|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u200b-\u200d\u2060\ufeff]/g

const keyboard = (text: string, escaped: string | undefined): string => {
  if (escaped !== undefined) return escaped
  const code = text.charCodeAt(0)
  if (code >= 0x2018 && code <= 0x201b || code === 0x2032) return "'"
  if (code >= 0x201c && code <= 0x201f || code === 0x2033) return '"'
  if (code >= 0x2010 && code <= 0x2015 || code === 0x2212) return "-"
  if (code === 0x2026) return "..."
  return code >= 0x200b && code <= 0x200d || code === 0x2060 || code === 0xfeff ? "" : " "
}

/** The folded form of a line. O(line). */
export const fold = (line: string): string => (odd.test(line) ? line.replace(foldable, keyboard) : line).trim()

/** Removes the backslashes that folding ignores, and nothing else. O(line). */
export const unescape = (line: string): string => line.replace(/\\(["'`\\$/])/g, "$1")

/** How much of either end of a line its hash reads. */
const end = 8

/**
 * The hash of a folded line: 32 bits of its length and of the characters at its ends, where lines of a file differ. Lines
 * that collide are told apart as text.
 */
export const hash = (folded: string): number => {
  const head = Math.min(folded.length, end)
  let key = folded.length
  for (let at = 0; at < head; at++) key = (Math.imul(key, 31) + folded.charCodeAt(at)) | 0
  for (let at = Math.max(head, folded.length - end); at < folded.length; at++) key = (Math.imul(key, 31) + folded.charCodeAt(at)) | 0
  return key
}

/** The same of units `[from, to)`. */
export const hashUnits = (units: Units, from: number, to: number): number => {
  const head = Math.min(to, from + end)
  let key = to - from
  for (let at = from; at < head; at++) key = (Math.imul(key, 31) + units[at]!) | 0
  for (let at = Math.max(head, to - end); at < to; at++) key = (Math.imul(key, 31) + units[at]!) | 0
  return key
}
