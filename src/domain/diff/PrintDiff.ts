/**
 * A change as a unified diff in git's dialect: for approval, for the log, for `git apply`. The shortest difference of
 * lines is jsdiff's (Myers 1986); it never sees what the two texts share at both ends.
 */
import { diffArrays } from "diff"
import { heading } from "./Heading.ts"

export interface Options {
  readonly path: string
  /** Where the file was before, if it moved. */
  readonly oldPath?: string
  /** Lines around each change: 3 unless told. */
  readonly context?: number
}

/** Edit scripts longer than this are not searched for: the lines between are shown as taken out and put in. */
const longest = 2_000

/**
 * The diff from `before` to `after`; null is a file that is not there. Without a difference it is the empty text.
 * O(text + lines in doubt × differences), and never more than `longest` differences.
 */
export const print = (before: string | null, after: string | null, options: Options): string => {
  const from = lines(before ?? "")
  const to = lines(after ?? "")
  const hunks = group(changes(from, to), options.context ?? 3, from.length, to.length)
  const head = header(before, after, options, hunks.length > 0)
  return head + write(hunks, from, to, options.path)
}

/** Lines with their terminators, so that a changed line ending is a change. */
const lines = (text: string): Array<string> => {
  const found = text.split(/(?<=\n)/)
  return found.length === 1 && found[0] === "" ? [] : found
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
  const whole: Range = { from: head, fromEnd: from.length - tail, to: head, toEnd: to.length - tail }
  if (whole.from === whole.fromEnd && whole.to === whole.toEnd) return []
  const script = diffArrays(from.slice(head, whole.fromEnd), to.slice(head, whole.toEnd), { maxEditLength: longest })
  if (script === undefined) return [whole]
  const found: Array<Range> = []
  let old = head
  let now = head
  for (const { added, count, removed } of script) {
    const range = { from: old, fromEnd: added ? old : old + count, to: now, toEnd: removed ? now : now + count }
    if (added || removed) join(found, range)
    old = range.fromEnd
    now = range.toEnd
  }
  return found
}

const join = (found: Array<Range>, next: Range): void => {
  const last = found.at(-1)
  if (last?.fromEnd === next.from && last.toEnd === next.to) {
    found[found.length - 1] = { from: last.from, fromEnd: next.fromEnd, to: last.to, toEnd: next.toEnd }
  } else {
    found.push(next)
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

const write = (hunks: ReadonlyArray<Hunk>, from: ReadonlyArray<string>, to: ReadonlyArray<string>, path: string): string => {
  const isHeading = heading(path)
  let name = ""
  let read = 0
  let text = ""
  for (const hunk of hunks) {
    for (; isHeading !== undefined && read < hunk.from; read++) {
      if (isHeading(from[read]!)) name = ` ${from[read]!.trim().slice(0, 80)}`
    }
    text += `@@ -${span(hunk.from, hunk.fromEnd)} +${span(hunk.to, hunk.toEnd)} @@${name}\n`
    let at = hunk.from
    for (const change of hunk.changes) {
      text += marked(" ", from, at, change.from) + marked("-", from, change.from, change.fromEnd) +
        marked("+", to, change.to, change.toEnd)
      at = change.fromEnd
    }
    text += marked(" ", from, at, hunk.fromEnd)
  }
  return text
}

/** An empty range is named by the line before it. */
const span = (from: number, end: number): string => {
  const count = end - from
  return count === 1 ? `${from + 1}` : `${count === 0 ? from : from + 1},${count}`
}

const marked = (mark: string, lines: ReadonlyArray<string>, from: number, end: number): string => {
  let text = ""
  for (let i = from; i < end; i++) {
    const line = lines[i]!
    text += line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`
  }
  return text
}

const header = (before: string | null, after: string | null, { oldPath, path }: Options, changed: boolean): string => {
  const moved = oldPath !== undefined && oldPath !== path
  const made = before === null && after !== null
  const gone = before !== null && after === null
  if (!changed && !moved && !made && !gone) return ""
  const from = oldPath ?? path
  const told = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${path}`)}`]
  if (made) told.push("new file mode 100644")
  if (gone) told.push("deleted file mode 100644")
  if (moved) told.push(`rename from ${quote(from)}`, `rename to ${quote(path)}`)
  if (changed) told.push(`--- ${made ? "/dev/null" : named(`a/${from}`)}`, `+++ ${gone ? "/dev/null" : named(`b/${path}`)}`)
  return `${told.join("\n")}\n`
}

/** A tab ends a path that holds a space. */
const named = (path: string): string => path.includes(" ") ? `${quote(path)}\t` : quote(path)

/** As git quotes paths with control characters, quotes or backslashes: C strings with octal escapes. */
const quote = (path: string): string =>
  /[\u0000-\u001f"\\\u007f]/.test(path)
    ? `"${path.replace(/[\u0000-\u001f"\\\u007f]/g, (char) => char === '"' || char === "\\" ? `\\${char}` : `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`
    : path
