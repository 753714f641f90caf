/**
 * Folding: the form in which two lines are equal though a model spelled one of them differently. White space at both
 * ends is removed; typographic quotes, dashes, spaces and the ellipsis become their keyboard forms; zero-width
 * characters are removed; so is a backslash before a quote, a dollar, a slash or another backslash (an artefact of
 * escaping for JSON, a shell or a template string). Two lines that agree under any stricter rule agree when folded, so
 * one index serves all.
 */
import type { Units } from "./Levenshtein.ts"

const specialCharacter = /[\\\u0080-\uffff]/
const replaceable =
  /\\(["'`\\$/])|[\u2018-\u201b\u2032]|[\u201c-\u201f\u2033]|[\u2010-\u2015\u2212]|\u2026|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]|[\u200b-\u200d\u2060\ufeff]/g

const keyboardForm = (text: string, escaped: string | undefined): string => {
  if (escaped !== undefined) return escaped
  const code = text.charCodeAt(0)
  if (code >= 0x2018 && code <= 0x201b || code === 0x2032) return "'"
  if (code >= 0x201c && code <= 0x201f || code === 0x2033) return "\""
  if (code >= 0x2010 && code <= 0x2015 || code === 0x2212) return "-"
  if (code === 0x2026) return "..."
  return code >= 0x200b && code <= 0x200d || code === 0x2060 || code === 0xfeff ? "" : " "
}

/** The folded form of a line. O(line). */
export const normalizeLine = (line: string): string => (specialCharacter.test(line) ? line.replace(replaceable, keyboardForm) : line).trim()

/** Removes the backslashes that folding ignores, and nothing else. O(line). */
export const unescape = (line: string): string => line.replace(/\\(["'`\\$/])/g, "$1")

/** How much of either end of a line its hash reads. */
const edgeLength = 8

/**
 * The hash of a folded line: 32 bits from its length and the characters at its ends, where lines of a file differ.
 * Colliding lines are distinguished as text.
 */
export const hash = (line: string): number => {
  const head = Math.min(line.length, edgeLength)
  let key = line.length
  for (let at = 0; at < head; at++) key = (Math.imul(key, 31) + line.charCodeAt(at)) | 0
  for (let at = Math.max(head, line.length - edgeLength); at < line.length; at++) key = (Math.imul(key, 31) + line.charCodeAt(at)) | 0
  return key
}

/** The same of units `[from, to)`. */
export const hashUnits = (units: Units, from: number, to: number): number => {
  const head = Math.min(to, from + edgeLength)
  let key = to - from
  for (let at = from; at < head; at++) key = (Math.imul(key, 31) + units[at]!) | 0
  for (let at = Math.max(head, to - edgeLength); at < to; at++) key = (Math.imul(key, 31) + units[at]!) | 0
  return key
}
