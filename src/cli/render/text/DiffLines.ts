/** Renders unified diffs: as they are, with their lines coloured, or as rows with line numbers and the words that changed. */
import { diffArrays } from "diff"
import * as Highlight from "./Highlight.ts"
import type { Theme } from "./Theme.ts"
import type { SafeText } from "../view/DisplayText.ts"

/** Whether a text is a unified diff. */
export const isDiff = (text: string): boolean => /^(diff --git |--- |Index: |@@ )/.test(text)

/** The number of added and removed lines. */
export const counts = (patch: SafeText): { readonly added: number; readonly removed: number } => {
  const all = parse(patch)
  const count = (kind: Row["kind"]) => all.filter((row) => row.kind === kind).length
  return { added: count("added"), removed: count("removed") }
}

/** The diff as it is. */
export const lines = (patch: SafeText, theme: Theme): ReadonlyArray<string> =>
  patch.replace(/\n$/, "").split("\n").map((line) => paint(line, theme))

/** Colours one line by its sign. */
export const paint = (line: string, theme: Theme): string =>
  /^(\+\+\+|---|diff |index |Index: )/.test(line) ? theme.bold(line)
    : line.startsWith("+") ? theme.good(line)
    : line.startsWith("-") ? theme.bad(line)
    : line.startsWith("@@") ? theme.accent(line)
    : line

/** A row of a diff: a line of a file with its number, a path, the gap before a hunk, or any other line. */
interface Row {
  readonly kind: "added" | "context" | "gap" | "note" | "path" | "removed"
  readonly number?: number
  readonly text: SafeText
  /** The file's extension. */
  readonly language?: string
}

/** Headers that say nothing that the rows don't show. */
const isSilent = (line: string): boolean => /^(diff --git |index |--- |new file mode 100644$|deleted file mode 100644$)/.test(line)

const kinds: Readonly<Record<string, Row["kind"]>> = { "+": "added", "-": "removed", " ": "context", "": "context" }

/** The rows of a diff. Within a hunk every line is content, whatever it looks like. */
const parse = (patch: SafeText): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let [language, oldPath] = ["", ""]
  let [old, oldLeft, next, nextLeft] = [0, 0, 0, 0]
  for (const line of patch.replace(/\n$/, "").split("\n") as ReadonlyArray<string> as ReadonlyArray<SafeText>) {
    const kind = kinds[line.slice(0, 1)]
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line)
    if ((oldLeft > 0 || nextLeft > 0) && kind !== undefined) {
      rows.push({ kind, number: kind === "removed" ? old : next, text: line.slice(1) as SafeText, language })
      if (kind !== "added") [old, oldLeft] = [old + 1, oldLeft - 1]
      if (kind !== "removed") [next, nextLeft] = [next + 1, nextLeft - 1]
    } else if (hunk !== null) {
      ;[old, oldLeft, next, nextLeft] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3]), Number(hunk[4] ?? 1)]
      rows.push({ kind: "gap", text: hunk[5] as SafeText })
    } else if (line.startsWith("+++ ") || line.startsWith("--- ")) {
      const path = line.slice(4).replace(/\t.*$/, "").replace(/^"?[ab]\//, "").replace(/"$/, "")
      language = path === "/dev/null" ? language : /\.(\w+)$/.exec(path)?.[1] ?? ""
      if (line.startsWith("--- ")) oldPath = path
      else rows.push({ kind: "path", text: (path === "/dev/null" ? `${oldPath} (deleted)` : path) as SafeText })
    } else if (!isSilent(line)) rows.push({ kind: "note", text: line })
  }
  return rows
}

/** Rows that are painted when they are asked for: of a long diff only the first and last ones are shown. */
export interface Rows {
  readonly length: number
  readonly row: (i: number) => string
}

/** The diff with line numbers. The path of a single file is not repeated where it is shown elsewhere (`showsPath`). */
export const rows = (patch: SafeText, theme: Theme, showsPath = false): ReadonlyArray<string> => {
  const { length, row } = unpainted(patch, theme, showsPath)
  return Array.from({ length }, (_, i) => row(i))
}

/** The same rows, not yet painted. */
export const unpainted = (patch: SafeText, theme: Theme, showsPath = false): Rows => {
  const parsed = parse(patch)
  const hasPaths = showsPath || parsed.filter(({ kind }) => kind === "path").length > 1
  const visible = parsed.filter(({ kind, text }, i) =>
    kind === "path" ? hasPaths : kind !== "gap" || text !== "" || ["added", "context", "removed"].includes(parsed[i - 1]?.kind ?? "")
  )
  const width = String(Math.max(0, ...visible.map(({ number = 0 }) => number))).length
  const words = changedWords(visible)
  return { length: visible.length, row: (i) => paintRow(visible[i]!, words(i), width, theme) }
}

const signs = { added: "+", removed: "-", context: " " } as const

const paintRow = (row: Row, words: ReadonlyArray<Range>, width: number, theme: Theme): string => {
  const { kind, language = "", number = 0, text } = row
  if (kind === "path") return theme.bold(text)
  if (kind === "note") return theme.dim(text)
  if (kind === "gap") return `${" ".repeat(width - 1)}${theme.dim(`⋮${text === "" ? "" : ` ${text}`}`)}`
  const gutter = `${" ".repeat(width - `${number}`.length)}${theme.dim(`${number}`)} ${signs[kind]} `
  const shade = kind === "context" ? undefined : theme.shades?.[kind]
  if (shade !== undefined) {
    const code = mark(highlight(text, language, theme), words, open(shade.word), open(shade.line))
    return `${open(shade.line)}${gutter}${code}${open("49")}`
  }
  const code = theme.color && kind !== "context" ? mark(text, words, open("1"), open("22")) : text
  return kind === "added" ? theme.good(`${gutter}${code}`)
    : kind === "removed" ? theme.bad(`${gutter}${code}`)
    : `${gutter}${theme.shades === undefined ? code : highlight(text, language, theme)}`
}

const highlight = (text: SafeText, language: string, theme: Theme): string => Highlight.line(text, language, theme, (code) => code)

const open = (parameters: string): string => `\u001b[${parameters}m`

/** UTF-16 offsets in a line. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Puts escapes around ranges of a text that has escapes already; offsets do not count these. */
const mark = (styled: string, ranges: ReadonlyArray<Range>, opened: string, closed: string): string => {
  if (ranges.length === 0) return styled
  let offset = 0
  return styled.split(/(\u001b\[[\d;]*m)/).map((piece, i) => {
    if (i % 2 === 1) return piece
    const start = offset
    offset += piece.length
    let painted = ""
    let at = 0
    for (const { from, to } of ranges) {
      const [first, last] = [Math.max(at, from - start), Math.min(piece.length, to - start)]
      if (first >= last) continue
      painted += `${piece.slice(at, first)}${opened}${piece.slice(first, last)}${closed}`
      at = last
    }
    return painted + piece.slice(at)
  }).join("")
}

interface ChangedPair {
  readonly removed: number
  readonly added: number
  words?: ReturnType<typeof compareWords>
}

/** The changed words of removed lines and the added lines that replace them, by row; two lines are compared once, and only if asked for. */
const changedWords = (all: ReadonlyArray<Row>): (i: number) => ReadonlyArray<Range> => {
  const pairs = new Map<number, ChangedPair>()
  for (let first = 0; first < all.length; first++) {
    if (all[first]!.kind !== "removed") continue
    const middle = endOf(all, first, "removed")
    const end = endOf(all, middle, "added")
    for (let i = 0; i < Math.min(middle - first, end - middle); i++) {
      const pair: ChangedPair = { removed: first + i, added: middle + i }
      pairs.set(pair.removed, pair).set(pair.added, pair)
    }
    first = Math.max(first, end - 1)
  }
  return (i) => {
    const pair = pairs.get(i)
    if (pair === undefined) return []
    const [removed, added] = pair.words ??= compareWords(all[pair.removed]!.text, all[pair.added]!.text)
    return i === pair.removed ? removed : added
  }
}

const endOf = (all: ReadonlyArray<Row>, from: number, kind: Row["kind"]): number => {
  let end = from
  while (all[end]?.kind === kind) end++
  return end
}

/** Lines beyond this length are not compared. */
const maxCompared = 500

/** The ranges that differ between two lines; none if they have less than a third of their text in common. */
const compareWords = (before: string, after: string): readonly [ReadonlyArray<Range>, ReadonlyArray<Range>] => {
  if (Math.max(before.length, after.length) > maxCompared) return [[], []]
  const [removed, added]: [Array<Range>, Array<Range>] = [[], []]
  let [from, to, shared] = [0, 0, 0]
  for (const change of diffArrays(tokens(before), tokens(after))) {
    const { length } = change.value.join("")
    if (change.removed) removed.push({ from, to: from + length })
    else if (change.added) added.push({ from: to, to: to + length })
    else shared += change.value.join("").trim().length
    if (!change.added) from += length
    if (!change.removed) to += length
  }
  return shared * 3 < Math.max(before.trim().length, after.trim().length) ? [[], []] : [removed, added]
}

const tokens = (line: string): Array<string> => line.match(/[\p{L}\p{N}_$]+|\s+|[^]/gu) ?? []
