/**
 * Prints a change as a unified diff in git's dialect: for approval, for the log, for `git apply`. The shortest line
 * difference comes from jsdiff (Myers 1986), which never sees what the two texts share at both ends.
 */
import { diffArrays } from "diff"

/** The line that names a hunk's surroundings, by the file's language: the patterns of git's userdiff.c, shortened. */
export type Heading = (line: string) => boolean

const script =
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:(?:async\s+)?function\b|class\b|interface\b|enum\b|namespace\b|type\s+\w|(?:const|let|var)\s+[\w$]+\s*(?::.*)?=\s*(?:async\s*)?(?:function\b|\(|[\w$]+\s*=>))|^(?:describe|it|test)\s*\(/
const braces =
  /^\s*(?:(?:public|private|protected|internal|static|final|abstract|sealed|virtual|override|async|inline|extern|template|struct|class|enum|interface|namespace|record|union)\b.*[^;]$)|^[A-Za-z_][\w\s*&:<>,~]*\([^;]*$/

const patterns: ReadonlyArray<readonly [extensions: string, pattern: RegExp]> = [
  ["ts tsx mts cts js jsx mjs cjs", script],
  ["py pyi", /^\s*(?:class|(?:async\s+)?def)\s/],
  ["go", /^(?:func\b|type\s.*(?:struct|interface)\b)/],
  [
    "rs",
    /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:async|const|unsafe|extern(?:\s+"[^"]*")?)\s+)*(?:fn|struct|enum|impl|trait|mod|union|macro_rules!)\b/
  ],
  ["rb", /^\s*(?:class|module|def)\s/],
  ["php", /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:function|class|interface|trait|enum)\b/],
  ["java kt kts cs c h cc cpp cxx hpp hh swift scala", braces],
  ["sh bash zsh", /^\s*(?:function\s+[\w:-]+|[\w:-]+\s*\(\s*\))/],
  ["md markdown", /^ {0,3}#{1,6}\s/],
  ["css scss less", /^[^\s@/}][^;]*[{,]\s*$|^@\w/],
  ["toml ini", /^\s*\[/],
  ["ex exs", /^\s*(?:defmodule|defp?|defmacrop?|test|describe)\s/]
]

const byExtension = new Map(
  patterns.flatMap(([extensions, pattern]) => extensions.split(" ").map((extension) => [extension, pattern] as const))
)

/** Which lines are headings in the language of this path, or nothing if no grammar is known. */
export const heading = (path: string): Heading | undefined => {
  const pattern = byExtension.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())
  return pattern === undefined ? undefined : (line) => line.length < 500 && pattern.test(line)
}

export interface Options {
  readonly path: string
  /** The file's previous path, if it moved. */
  readonly oldPath?: string
  /** Lines around each change: 3 by default. */
  readonly context?: number
}

/** The limit for edit scripts: beyond it the lines in between are shown as removed and added. */
const maxEditLength = 2_000

/**
 * The diff from `oldText` to `newText`; null is a missing file. Without a difference it is the empty text. O(text +
 * changed lines × differences), and never more than the limit above.
 */
export const print = (oldText: string | null, newText: string | null, options: Options): string => {
  const from = lines(oldText ?? "")
  const to = lines(newText ?? "")
  const hunks = group(changes(from, to), options.context ?? 3, from.length, to.length)
  const head = header(oldText, newText, options, hunks.length > 0)
  return head + writeHunks(hunks, from, to, options.path)
}

/** Lines with their terminators, so that a changed line ending is a change. */
const lines = (text: string): Array<string> => {
  const parts = text.split(/(?<=\n)/)
  return parts.length === 1 && parts[0] === "" ? [] : parts
}

/** Lines `[from, fromEnd)` of the old text became `[to, toEnd)` of the new. */
interface Range {
  readonly from: number
  readonly fromEnd: number
  readonly to: number
  readonly toEnd: number
}

const changes = (from: ReadonlyArray<string>, to: ReadonlyArray<string>): ReadonlyArray<Range> => {
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++
  const changedRange: Range = { from: head, fromEnd: from.length - tail, to: head, toEnd: to.length - tail }
  if (changedRange.from === changedRange.fromEnd && changedRange.to === changedRange.toEnd) return []
  const script = diffArrays(from.slice(head, changedRange.fromEnd), to.slice(head, changedRange.toEnd), { maxEditLength: maxEditLength })
  if (script === undefined) return [changedRange]
  const ranges: Array<Range> = []
  let oldIndex = head
  let newIndex = head
  for (const { added, count, removed } of script) {
    const range = {
      from: oldIndex,
      fromEnd: added ? oldIndex : oldIndex + count,
      to: newIndex,
      toEnd: removed ? newIndex : newIndex + count
    }
    if (added || removed) appendRange(ranges, range)
    oldIndex = range.fromEnd
    newIndex = range.toEnd
  }
  return ranges
}

const appendRange = (ranges: Array<Range>, next: Range): void => {
  const last = ranges.at(-1)
  if (last?.fromEnd === next.from && last.toEnd === next.to) {
    ranges[ranges.length - 1] = { from: last.from, fromEnd: next.fromEnd, to: last.to, toEnd: next.toEnd }
  } else {
    ranges.push(next)
  }
}

/** A hunk: its changes, and the range of both texts that it shows. */
interface Hunk extends Range {
  readonly changes: ReadonlyArray<Range>
}

/** Changes whose contexts touch share a hunk. */
const group = (changes: ReadonlyArray<Range>, context: number, oldCount: number, newCount: number): ReadonlyArray<Hunk> => {
  const hunks: Array<Array<Range>> = []
  for (const change of changes) {
    const last = hunks.at(-1)
    if (last !== undefined && change.from - last.at(-1)!.fromEnd <= 2 * context) last.push(change)
    else hunks.push([change])
  }
  return hunks.map((changes): Hunk => {
    const first = changes[0]!
    const last = changes.at(-1)!
    const above = Math.min(context, first.from)
    const below = Math.min(context, oldCount - last.fromEnd, newCount - last.toEnd)
    return { changes, from: first.from - above, fromEnd: last.fromEnd + below, to: first.to - above, toEnd: last.toEnd + below }
  })
}

const writeHunks = (hunks: ReadonlyArray<Hunk>, from: ReadonlyArray<string>, to: ReadonlyArray<string>, path: string): string => {
  const isHeading = heading(path)
  let name = ""
  let lineIndex = 0
  let text = ""
  for (const hunk of hunks) {
    for (; isHeading !== undefined && lineIndex < hunk.from; lineIndex++) {
      if (isHeading(from[lineIndex]!)) name = ` ${from[lineIndex]!.trim().slice(0, 80)}`
    }
    text += `@@ -${span(hunk.from, hunk.fromEnd)} +${span(hunk.to, hunk.toEnd)} @@${name}\n`
    let at = hunk.from
    for (const change of hunk.changes) {
      text += markLines(" ", from, at, change.from) + markLines("-", from, change.from, change.fromEnd) +
        markLines("+", to, change.to, change.toEnd)
      at = change.fromEnd
    }
    text += markLines(" ", from, at, hunk.fromEnd)
  }
  return text
}

/** An empty range is named by the line before it. */
const span = (from: number, end: number): string => {
  const count = end - from
  return count === 1 ? `${from + 1}` : `${count === 0 ? from : from + 1},${count}`
}

const markLines = (mark: string, lines: ReadonlyArray<string>, from: number, end: number): string => {
  let text = ""
  for (let i = from; i < end; i++) {
    const line = lines[i]!
    text += line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`
  }
  return text
}

const header = (oldText: string | null, newText: string | null, { oldPath, path }: Options, isChanged: boolean): string => {
  const isMoved = oldPath !== undefined && oldPath !== path
  const isCreated = oldText === null && newText !== null
  const isDeleted = oldText !== null && newText === null
  if (!isChanged && !isMoved && !isCreated && !isDeleted) return ""
  const from = oldPath ?? path
  const headerLines = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${path}`)}`]
  if (isCreated) headerLines.push("new file mode 100644")
  if (isDeleted) headerLines.push("deleted file mode 100644")
  if (isMoved) headerLines.push(`rename from ${quote(from)}`, `rename to ${quote(path)}`)
  if (isChanged)
    headerLines.push(`--- ${isCreated ? "/dev/null" : headerPath(`a/${from}`)}`, `+++ ${isDeleted ? "/dev/null" : headerPath(`b/${path}`)}`)
  return `${headerLines.join("\n")}\n`
}

/** A tab ends a path with a space in it. */
const headerPath = (path: string): string => path.includes(" ") ? `${quote(path)}\t` : quote(path)

/** As git quotes paths with control characters, quotes or backslashes: C strings with octal escapes. */
const quote = (path: string): string =>
  /[\u0000-\u001f"\\\u007f]/.test(path)
    ? `"${
      path.replace(
        /[\u0000-\u001f"\\\u007f]/g,
        (char) => char === "\"" || char === "\\" ? `\\${char}` : `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`
      )
    }"`
    : path
