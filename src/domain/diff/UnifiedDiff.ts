/**
 * Unified diffs, as `diff -u` and git print them and as models write them from memory: line numbers and counts are
 * hints, prose and code fences may surround them, `@@` may lack its numbers, a line of context may have lost its space.
 * The format: POSIX `diff -u`, with git's extended headers.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { Block, Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as PatchText from "./PatchText.ts"
import * as LineReader from "./LineReader.ts"

/** One file's part of the diff. A name is undefined until a header gives it, and null for /dev/null. */
interface Section {
  from: string | null | undefined
  to: string | null | undefined
  isRenamed: boolean
  readonly blocks: Array<Block>
  /** The diff says that the new side ends without a newline. */
  isUnterminated: boolean
  crlf: boolean
}

/** The hunk that is arriving, with the counts that its header claims. */
interface OpenHunk {
  readonly line: number
  readonly lines: PatchText.HunkLines
  readonly oldStart: number | undefined
  readonly oldLines: number | undefined
  readonly newLines: number | undefined
  readonly scopes: ReadonlyArray<string>
  /** The mark of the last line, for a following `\ No newline at end of file`. */
  mark: string
  isOldUnterminated: boolean
  isNewUnterminated: boolean
}

/** Belongs to the step that receives it. */
export interface State {
  readonly feed: LineReader.LineFeed
  readonly files: Array<FileEdit>
  readonly warnings: Array<string>
  section: Section | undefined
  open: OpenHunk | undefined
  /** Lines waiting for the two after them: only those decide whether `---` begins a file or is a removed line. */
  readonly lookahead: Array<LineReader.Line>
  /** The next line, `+++`, was read with the one before it. */
  shouldSkip: boolean
  /** Every hunk so far, of all files. */
  readonly blocks: Array<Block>
  /** The file of each. */
  readonly owners: Array<string | undefined>
  error: EditError | undefined
}

/** Before the first character. */
export const initial = (): State => ({
  feed: LineReader.initial(),
  files: [],
  warnings: [],
  section: undefined,
  open: undefined,
  lookahead: [],
  shouldSkip: false,
  blocks: [],
  owners: [],
  error: undefined
})

/** Processes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineReader.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the complete input. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineReader.end(state.feed, (line) => step(state, line))
  while (state.lookahead.length > 0) shiftLine(state)
  closeSection(state)
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.files.length === 0) return Result.fail(fail("NoEdit", "the input contains no hunk of a unified diff"))
  return Result.succeed({ format: "unified-diff", files: state.files, warnings: state.warnings })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** A line that only a unified diff begins with; `---` counts with the `+++` after it. */
export const isStart = (line: string): boolean => line.startsWith("diff --git ") || /^@@(?:\s|$)/.test(line)

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? ?@@/
const bareHeader = /^@@\s*(.*?)\s*(?:@@)?\s*$/

const step = (state: State, line: LineReader.Line): void => {
  state.lookahead.push(line)
  if (state.lookahead.length === 3) shiftLine(state)
}

const shiftLine = (state: State): void => {
  const [line, next, afterNext] = state.lookahead
  state.lookahead.shift()
  if (state.shouldSkip) {
    state.shouldSkip = false
  } else if (line!.text.startsWith("--- ") && next?.text.startsWith("+++ ") === true && isHeader(state.open, afterNext)) {
    state.shouldSkip = true
    openFile(state, line!.text.slice(4), next.text.slice(4))
  } else {
    readLine(state, line!)
  }
}

/**
 * Inside a hunk, `--- x` and `+++ y` may be lines `-- x` and `++ y` removed and added: they are if the hunk lacks
 * exactly these two, or if no hunk of another file follows.
 */
const isHeader = (open: OpenHunk | undefined, afterNext: LineReader.Line | undefined): boolean => {
  if (open === undefined) return true
  const remaining = remainingLines(open)
  if (remaining !== undefined && remaining.old === 1 && remaining.new === 1) return false
  return afterNext?.text.startsWith("@@") === true || remaining !== undefined && remaining.old <= 0 && remaining.new <= 0
}

/** How many lines the hunk still lacks by its header's counts, if it has them. */
const remainingLines = ({ lines, newLines, oldLines }: OpenHunk): { readonly old: number; readonly new: number } | undefined =>
  oldLines === undefined || newLines === undefined ? undefined : {
    old: oldLines - lines.search.length - lines.blank,
    new: newLines - lines.replace.length - lines.blank
  }

const readLine = (state: State, line: LineReader.Line): void => {
  const { text } = line
  if (text.startsWith("@@")) openHunk(state, line)
  else if (text.startsWith("diff --git ")) openGit(state, text.slice(11))
  else if (state.open !== undefined) readHunkLine(state, state.open, line)
  else if (state.section !== undefined) readHeader(state.section, text)
}

const readHeader = (section: Section, text: string): void => {
  if (text.startsWith("rename from ")) {
    section.isRenamed = true
    section.from = PatchText.unquote(text.slice(12))
  } else if (text.startsWith("rename to ")) {
    section.isRenamed = true
    section.to = PatchText.unquote(text.slice(10))
  } else if (text.startsWith("new file mode ")) {
    section.from = null
  } else if (text.startsWith("deleted file mode ")) {
    section.to = null
  }
}

const readHunkLine = (state: State, open: OpenHunk, line: LineReader.Line): void => {
  const { text } = line
  if (text.startsWith("\\")) {
    if (open.mark !== "+") open.isOldUnterminated = true
    if (open.mark !== "-") open.isNewUnterminated = true
    return
  }
  const remaining = remainingLines(open)
  const isSignature = text === "-- " && remaining !== undefined && remaining.old <= 0 && remaining.new <= 0
  if (!isSignature && PatchText.readLine(open.lines, text)) {
    open.mark = text[0] ?? " "
    if (open.mark === "+" && state.section !== undefined) state.section.crlf &&= line.crlf
  } else if (!text.startsWith("```") && (remaining !== undefined && remaining.old > 0 && remaining.new > 0 || isHunkContinued(state))) {
    PatchText.addContext(open.lines, text)
    open.mark = " "
    state.warnings.push(`line ${line.number}: treated a line without its leading space as context`)
  } else {
    closeHunk(state)
  }
}

/** The line after this one is a line of a hunk, so this one is too: a hunk must not silently end in the middle. */
const isHunkContinued = ({ lookahead: [next] }: State): boolean =>
  next !== undefined && /^[ +-]/.test(next.text) && !next.text.startsWith("--- ")

const openHunk = (state: State, { number, text }: LineReader.Line): void => {
  closeHunk(state)
  state.section ??= newSection(undefined, undefined)
  const match = hunkHeader.exec(text)
  const name = match === null ? bareHeader.exec(text)?.[1] ?? "" : ""
  state.open = {
    line: number,
    lines: PatchText.initial(),
    oldStart: match === null ? undefined : Number(match[1]),
    oldLines: match === null ? undefined : Number(match[2] ?? 1),
    newLines: match === null ? undefined : Number(match[3] ?? 1),
    scopes: /\w/.test(name) ? [name] : [],
    mark: "",
    isOldUnterminated: false,
    isNewUnterminated: false
  }
}

const closeHunk = (state: State): void => {
  const { open, section } = state
  if (open === undefined || section === undefined) return
  state.open = undefined
  const remaining = remainingLines(open)
  PatchText.closeBlank(open.lines, remaining === undefined ? 0 : open.lines.blank + Math.min(remaining.old, remaining.new, 0))
  if (PatchText.isEmpty(open.lines)) return
  section.isUnterminated = open.isNewUnterminated
  const block = PatchText.toBlock(open.lines, {
    index: state.blocks.length + 1,
    line: open.line,
    ...optional({ hint: open.oldStart }),
    ...(open.scopes.length === 0 ? {} : { scopes: open.scopes }),
    ...(open.isOldUnterminated === open.isNewUnterminated ? {} : { finalNewline: open.isOldUnterminated })
  })
  section.blocks.push(block)
  state.blocks.push(block)
  state.owners.push(section.to ?? section.from ?? undefined)
}

const newSection = (from: string | null | undefined, to: string | null | undefined): Section => ({
  from,
  to,
  isRenamed: false,
  blocks: [],
  isUnterminated: false,
  crlf: true
})

/** `diff --git a/x b/x`: its names are overruled by the headers after it. */
const openGit = (state: State, names: string): void => {
  closeSection(state)
  const [from, to] = PatchText.gitPaths(names)
  state.section = newSection(from, to)
}

/** `--- a/x` and `+++ b/x`: the second half of git's header, or a new file. */
const openFile = (state: State, minus: string, plus: string): void => {
  const gitSection = state.open === undefined && state.section?.blocks.length === 0 ? state.section : undefined
  if (gitSection === undefined) closeSection(state)
  state.section = newSection(PatchText.headerPath(minus, "a/"), PatchText.headerPath(plus, "b/"))
  state.section.isRenamed = gitSection?.isRenamed ?? false
}

const closeSection = (state: State): void => {
  closeHunk(state)
  const { section } = state
  state.section = undefined
  if (section !== undefined) toFile(state, section)
}

const toFile = (state: State, { blocks, crlf, from, isRenamed, to, isUnterminated }: Section): void => {
  if (from === null && typeof to === "string") {
    const eol = crlf ? "\r\n" : "\n"
    const lines = blocks.flatMap(({ replace }) => replace)
    const content = lines.join(eol) + (isUnterminated || lines.length === 0 ? "" : eol)
    state.files.push({ _tag: "Add", path: to, content })
  } else if (to === null) {
    state.files.push({ _tag: "Delete", blocks, ...(typeof from === "string" ? { path: from } : {}) })
  } else if (isRenamed && typeof from === "string" && to !== undefined) {
    state.files.push({ _tag: "Update", path: from, moveTo: to, blocks, inOrder: true })
  } else if (blocks.length > 0) {
    state.files.push({ _tag: "Update", blocks, inOrder: true, ...optional({ path: to }) })
  } else {
    state.warnings.push(`${to ?? "a file"}: the diff has no hunk for it`)
  }
}
