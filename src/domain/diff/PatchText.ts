/** The lines of one hunk as they arrive: context, removed lines, added lines. Both patch formats share them. */
import type { Block } from "./Edit.ts"

/** Belongs to the step that receives it. */
export interface HunkLines {
  readonly search: Array<string>
  readonly replace: Array<string>
  readonly keep: Array<number>
  /** Blank lines without their space: context if the hunk continues after them, else the gap before what follows. */
  blank: number
}

export const initial = (): HunkLines => ({ search: [], replace: [], keep: [], blank: 0 })

export const isEmpty = ({ blank, replace, search }: HunkLines): boolean => search.length === 0 && replace.length === 0 && blank === 0

/** Accepts a line that begins with its mark, or is blank; returns whether it was one. */
export const readLine = (hunk: HunkLines, line: string): boolean => {
  if (line === "") {
    hunk.blank++
    return true
  }
  const rest = line.slice(1)
  switch (line[0]) {
    case " ":
      addContext(hunk, rest)
      return true
    case "-":
      flushBlank(hunk)
      hunk.search.push(rest)
      return true
    case "+":
      flushBlank(hunk)
      hunk.replace.push(rest)
      hunk.keep.push(-1)
      return true
    default:
      return false
  }
}

export const addContext = (hunk: HunkLines, line: string): void => {
  flushBlank(hunk)
  hunk.keep.push(hunk.search.length)
  hunk.search.push(line)
  hunk.replace.push(line)
}

const flushBlank = (hunk: HunkLines): void => {
  for (; hunk.blank > 0; hunk.blank--) {
    hunk.keep.push(hunk.search.length)
    hunk.search.push("")
    hunk.replace.push("")
  }
}

/** How many of the blank lines at the end are context; the rest is the gap before what follows. */
export const closeBlank = (hunk: HunkLines, maxCount: number): void => {
  hunk.blank = Math.min(hunk.blank, Math.max(0, maxCount))
  flushBlank(hunk)
}

export const toBlock = (
  { keep, replace, search }: HunkLines,
  details: Omit<Block, "search" | "replace" | "keep">
): Block => ({ ...details, search, replace, keep })

// Paths as patches write them: prefixed, quoted, followed by a time.

/** The name in a `---` or `+++` line, without git's prefix; null for /dev/null. */
export const headerPath = (text: string, prefix: "a/" | "b/"): string | null => {
  const name = text.startsWith("\"") ? unquote(text) : text.replace(/\t.*$/, "").trimEnd()
  return name === "/dev/null" ? null : stripPrefix(name, prefix)
}

/** Both names of `diff --git a/x b/y`, if they can be told apart. */
export const gitPaths = (text: string): readonly [string | undefined, string | undefined] => {
  const quoted = /^("(?:\\.|[^"\\])*"|\S+) ("(?:\\.|[^"\\])*"|\S+)\s*$/.exec(text)
  if (quoted !== null) return [stripPrefix(unquote(quoted[1]!), "a/"), stripPrefix(unquote(quoted[2]!), "b/")]
  // A name with spaces occurs twice, so the line is split in half.
  const middle = text.length >> 1
  const [from, to] = [stripPrefix(text.slice(0, middle), "a/"), stripPrefix(text.slice(middle + 1), "b/")]
  return from === to ? [from, to] : [undefined, undefined]
}

/** A path as git quotes it, a C string, or as it is. Octal escapes are bytes of UTF-8. */
export const unquote = (text: string): string => {
  const quoted = /^"((?:\\.|[^"\\])*)"/.exec(text)
  if (quoted === null) return text.trimEnd()
  const bytes: Array<number> = []
  const utf8 = new TextEncoder()
  for (const [part, octal, letter] of quoted[1]!.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...utf8.encode(letter === undefined ? part : escapes[letter] ?? letter))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

/** `./x` and `x` are one path. */
export const normalizePath = (path: string): string => path.replace(/^(?:\.\/+)+/, "")

/** Whether a patch that names one path means the other: one may be a suffix of the other. */
export const isSamePath = (patchPath: string, path: string): boolean => {
  const [a, b] = [normalizePath(patchPath), normalizePath(path)]
  return a === b || b.endsWith(`/${a}`) || a.endsWith(`/${b}`)
}

const escapes: Readonly<Record<string, string>> = { a: "\u0007", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" }

const stripPrefix = (path: string, prefix: string): string => path.startsWith(prefix) ? path.slice(prefix.length) : path
