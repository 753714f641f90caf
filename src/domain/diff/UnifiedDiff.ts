/**
 * Unified diffs, as `diff -u` and git print them and as models write them from memory: line numbers and counts are
 * hints, prose and code fences may stand around, `@@` may lack its numbers, a line of context may have lost its space.
 * The format: POSIX `diff -u`, with git's extended headers.
 */
import * as Result from "effect/Result"
import type { Block, Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as HunkLines from "./PatchText.ts"
import * as LineFeed from "./LineReader.ts"
import * as PatchPath from "./PatchPath.ts"

/** One file's part of the diff. A name is undefined until a header gives it, and null for /dev/null. */
interface Section {
  from: string | null | undefined
  to: string | null | undefined
  renamed: boolean
  readonly blocks: Array<Block>
  /** The new side ends without a newline, says the diff. */
  unended: boolean
  crlf: boolean
}

/** The hunk that is arriving, with the counts that its header claims. */
interface Open {
  readonly line: number
  readonly lines: HunkLines.HunkLines
  readonly oldStart: number | undefined
  readonly oldLines: number | undefined
  readonly newLines: number | undefined
  readonly scopes: ReadonlyArray<string>
  /** The mark of the last line, for `\ No newline at end of file` to speak of. */
  mark: string
  oldUnended: boolean
  newUnended: boolean
}

/** Belongs to the step that takes it. */
export interface State {
  readonly feed: LineFeed.LineFeed
  readonly files: Array<FileEdit>
  readonly warnings: Array<string>
  section: Section | undefined
  open: Open | undefined
  /** Lines waiting for the two after them: only those tell whether `---` begins a file or is a line taken out. */
  readonly ahead: Array<LineFeed.Line>
  /** The next line, `+++`, was read with the one before it. */
  skip: boolean
  /** Every hunk so far, of all files. */
  readonly blocks: Array<Block>
  /** The file of each. */
  readonly owners: Array<string | undefined>
  error: EditError | undefined
}

/** Before the first character. */
export const initial = (): State => ({
  feed: LineFeed.initial(),
  files: [],
  warnings: [],
  section: undefined,
  open: undefined,
  ahead: [],
  skip: false,
  blocks: [],
  owners: [],
  error: undefined
})

/** Takes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineFeed.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the whole input. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineFeed.end(state.feed, (line) => step(state, line))
  while (state.ahead.length > 0) shift(state)
  closeSection(state)
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.files.length === 0) return Result.fail(fail("NoEdit", "there is no hunk of a unified diff in the input"))
  return Result.succeed({ format: "unified-diff", files: state.files, warnings: state.warnings })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** A line that only a unified diff begins with; `---` counts with the `+++` after it. */
export const opens = (line: string): boolean => line.startsWith("diff --git ") || /^@@(?:\s|$)/.test(line)

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? ?@@/
const bareHeader = /^@@\s*(.*?)\s*(?:@@)?\s*$/

const step = (state: State, line: LineFeed.Line): void => {
  state.ahead.push(line)
  if (state.ahead.length === 3) shift(state)
}

const shift = (state: State): void => {
  const [line, next, afterNext] = state.ahead
  state.ahead.shift()
  if (state.skip) {
    state.skip = false
  } else if (line!.text.startsWith("--- ") && next?.text.startsWith("+++ ") === true && isHeader(state.open, afterNext)) {
    state.skip = true
    openFile(state, line!.text.slice(4), next.text.slice(4))
  } else {
    take(state, line!)
  }
}

/**
 * Inside a hunk, `--- x` and `+++ y` may be lines `-- x` and `++ y` taken out and put in: they are when the hunk lacks
 * just these two, or when no hunk of another file follows.
 */
const isHeader = (open: Open | undefined, afterNext: LineFeed.Line | undefined): boolean => {
  if (open === undefined) return true
  const left = missing(open)
  if (left !== undefined && left.old === 1 && left.new === 1) return false
  return afterNext?.text.startsWith("@@") === true || left !== undefined && left.old <= 0 && left.new <= 0
}

/** How many lines the hunk still lacks by its header's counts, where it has them. */
const missing = ({ lines, newLines, oldLines }: Open): { readonly old: number; readonly new: number } | undefined =>
  oldLines === undefined || newLines === undefined ? undefined : {
    old: oldLines - lines.search.length - lines.blank,
    new: newLines - lines.replace.length - lines.blank
  }

const take = (state: State, line: LineFeed.Line): void => {
  const { text } = line
  if (text.startsWith("@@")) openHunk(state, line)
  else if (text.startsWith("diff --git ")) openGit(state, text.slice(11))
  else if (state.open !== undefined) inHunk(state, state.open, line)
  else if (state.section !== undefined) inHeader(state.section, text)
}

const inHeader = (section: Section, text: string): void => {
  if (text.startsWith("rename from ")) {
    section.renamed = true
    section.from = PatchPath.unquote(text.slice(12))
  } else if (text.startsWith("rename to ")) {
    section.renamed = true
    section.to = PatchPath.unquote(text.slice(10))
  } else if (text.startsWith("new file mode ")) {
    section.from = null
  } else if (text.startsWith("deleted file mode ")) {
    section.to = null
  }
}

const inHunk = (state: State, open: Open, line: LineFeed.Line): void => {
  const { text } = line
  if (text.startsWith("\\")) {
    if (open.mark !== "+") open.oldUnended = true
    if (open.mark !== "-") open.newUnended = true
    return
  }
  const left = missing(open)
  const signature = text === "-- " && left !== undefined && left.old <= 0 && left.new <= 0
  if (!signature && HunkLines.take(open.lines, text)) {
    open.mark = text[0] ?? " "
    if (open.mark === "+" && state.section !== undefined) state.section.crlf &&= line.crlf
  } else if (!text.startsWith("```") && (left !== undefined && left.old > 0 && left.new > 0 || goesOn(state))) {
    HunkLines.context(open.lines, text)
    open.mark = " "
    state.warnings.push(`line ${line.number}: took a line without its leading space for context`)
  } else {
    closeHunk(state)
  }
}

/** The line after this one is a line of a hunk, so this one is too: a hunk must not end in its middle unseen. */
const goesOn = ({ ahead: [next] }: State): boolean => next !== undefined && /^[ +-]/.test(next.text) && !next.text.startsWith("--- ")

const openHunk = (state: State, { number, text }: LineFeed.Line): void => {
  closeHunk(state)
  state.section ??= section(undefined, undefined)
  const found = hunkHeader.exec(text)
  const name = found === null ? bareHeader.exec(text)?.[1] ?? "" : ""
  state.open = {
    line: number,
    lines: HunkLines.initial(),
    oldStart: found === null ? undefined : Number(found[1]),
    oldLines: found === null ? undefined : Number(found[2] ?? 1),
    newLines: found === null ? undefined : Number(found[3] ?? 1),
    scopes: /\w/.test(name) ? [name] : [],
    mark: "",
    oldUnended: false,
    newUnended: false
  }
}

const closeHunk = (state: State): void => {
  const { open, section } = state
  if (open === undefined || section === undefined) return
  state.open = undefined
  const left = missing(open)
  HunkLines.closeBlank(open.lines, left === undefined ? 0 : open.lines.blank + Math.min(left.old, left.new, 0))
  if (HunkLines.isEmpty(open.lines)) return
  section.unended = open.newUnended
  const block = HunkLines.toBlock(open.lines, {
    index: state.blocks.length + 1,
    line: open.line,
    ...(open.oldStart === undefined ? {} : { hint: open.oldStart }),
    ...(open.scopes.length === 0 ? {} : { scopes: open.scopes }),
    ...(open.oldUnended === open.newUnended ? {} : { finalNewline: open.oldUnended })
  })
  section.blocks.push(block)
  state.blocks.push(block)
  state.owners.push(section.to ?? section.from ?? undefined)
}

const section = (from: string | null | undefined, to: string | null | undefined): Section =>
  ({ from, to, renamed: false, blocks: [], unended: false, crlf: true })

/** `diff --git a/x b/x`: what it says of names is overruled by the headers after it. */
const openGit = (state: State, names: string): void => {
  closeSection(state)
  const [from, to] = PatchPath.pair(names)
  state.section = section(from, to)
}

/** `--- a/x` and `+++ b/x`: the second half of git's header, or a new file. */
const openFile = (state: State, minus: string, plus: string): void => {
  const git = state.open === undefined && state.section?.blocks.length === 0 ? state.section : undefined
  if (git === undefined) closeSection(state)
  state.section = section(PatchPath.header(minus, "a/"), PatchPath.header(plus, "b/"))
  state.section.renamed = git?.renamed ?? false
}

const closeSection = (state: State): void => {
  closeHunk(state)
  const { section } = state
  state.section = undefined
  if (section !== undefined) toFile(state, section)
}

const toFile = (state: State, { blocks, crlf, from, renamed, to, unended }: Section): void => {
  if (from === null && typeof to === "string") {
    const eol = crlf ? "\r\n" : "\n"
    const lines = blocks.flatMap(({ replace }) => replace)
    const content = lines.join(eol) + (unended || lines.length === 0 ? "" : eol)
    state.files.push({ _tag: "Add", path: to, content })
  } else if (to === null) {
    state.files.push({ _tag: "Delete", blocks, ...(typeof from === "string" ? { path: from } : {}) })
  } else if (renamed && typeof from === "string" && to !== undefined) {
    state.files.push({ _tag: "Update", path: from, moveTo: to, blocks, inOrder: true })
  } else if (blocks.length > 0) {
    state.files.push({ _tag: "Update", blocks, inOrder: true, ...(to === undefined ? {} : { path: to }) })
  } else {
    state.warnings.push(`${to ?? "a file"}: the diff has no hunk for it`)
  }
}
