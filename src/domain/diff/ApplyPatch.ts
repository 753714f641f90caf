/**
 * V4A, the patch format that OpenAI's models write for `apply_patch`: several files in one envelope, hunks located by
 * their context and by the `@@` headers above them. Follows the grammar of openai/codex, apply-patch/src/parser.rs.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { Block, Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as PatchText from "./PatchText.ts"
import * as LineReader from "./LineReader.ts"
import { normalizePath } from "./PatchText.ts"

/** The file whose section is arriving. */
interface Section {
  readonly kind: "Add" | "Update" | "Delete"
  readonly line: number
  readonly path: string
  moveTo: string | undefined
  readonly blocks: Array<Block>
  /** The lines of an added file. */
  readonly addedLines: Array<string>
  /** Blank lines without their `+`: content if the file continues after them. */
  blankCount: number
  crlf: boolean
}

interface OpenHunk {
  readonly line: number
  readonly lines: PatchText.HunkLines
  readonly scopes: Array<string>
  hint: number | undefined
  atEnd: boolean
}

/** Belongs to the step that receives it. */
export interface State {
  readonly feed: LineReader.LineFeed
  readonly files: Array<FileEdit>
  readonly warnings: Array<string>
  /** Paths that sections have named. */
  readonly paths: Set<string>
  position: "before" | "inside" | "after"
  /** The indentation before `*** Begin Patch`, and then before every line of the patch. */
  indent: string
  /** The end of a code fence or heredoc around the patch. */
  closing: string | undefined
  /** Such a line inside the patch, followed by blank lines: the end of the patch if nothing else follows. */
  readonly pending: Array<LineReader.Line>
  section: Section | undefined
  open: OpenHunk | undefined
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
  paths: new Set(),
  position: "before",
  indent: "",
  closing: undefined,
  pending: [],
  section: undefined,
  open: undefined,
  blocks: [],
  owners: [],
  error: undefined
})

/** Processes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineReader.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the complete input. A patch without its End is accepted with a warning. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineReader.end(state.feed, (line) => step(state, line))
  if (state.position === "inside") {
    state.warnings.push("`*** End Patch` is missing; treated the end of the input as the end of the patch")
    closeSection(state)
  }
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.position === "before") return Result.fail(fail("Malformed", "`*** Begin Patch` is missing"))
  if (state.files.length === 0) return Result.fail(fail("NoEdit", "the patch changes no file"))
  return Result.succeed({ format: "apply-patch", files: state.files, warnings: state.warnings })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** A line that only this format begins with. */
export const isStart = (line: string): boolean => beginPatch.test(line) || fileMarker.test(line)

const beginPatch = /^(\s*)\*\*\* Begin Patch\s*$/
const endPatch = /^\*\*\* End Patch\s*$/
const fileMarker = /^\*\*\* (Add|Update|Delete) File:\s*(.*?)\s*$/
const moveMarker = /^\*\*\* Move to:\s*(.*?)\s*$/
const endOfFile = /^\*\*\* End of File\s*$/
const heredoc = /<<-?\s*['"]?(\w+)['"]?\s*$/
const fence = /^\s*(`{3,}|~{3,})/
const hunkNumbers = /^-(\d+)(?:,\d+)? \+\d+(?:,\d+)?(?: @@\s*(.*))?$/

const step = (state: State, input: LineReader.Line): void => {
  if (state.error !== undefined) return
  const line = outdent(state, input)
  const beginMatch = state.position === "inside" ? null : beginPatch.exec(line.text)
  if (state.position === "inside") {
    if (state.pending.length > 0 && line.text.trim() !== "" && state.section !== undefined) {
      for (const pendingLine of state.pending.splice(0)) sectionLine(state, state.section, pendingLine)
    }
    patchLine(state, line)
  } else if (beginMatch !== null) {
    state.position = "inside"
    state.indent = beginMatch[1]!
  } else if (state.position === "before") {
    state.closing = heredoc.exec(line.text)?.[1] ?? fence.exec(line.text)?.[1] ?? state.closing
    if (fileMarker.test(line.text)) state.error = malformed(line, "`*** Begin Patch` is missing before it")
  }
}

/** If the entire patch is indented, the indentation is removed; if only its first line is, nothing is. */
const outdent = (state: State, line: LineReader.Line): LineReader.Line => {
  if (state.indent === "") return line
  if (line.text.startsWith(state.indent)) return { ...line, text: line.text.slice(state.indent.length) }
  if (state.section === undefined && line.text.trim() !== "") state.indent = ""
  return line
}

const patchLine = (state: State, line: LineReader.Line): void => {
  const { text } = line
  const file = text.startsWith("***") ? fileMarker.exec(text) : null
  if (file !== null) {
    openSection(state, line, file[1] as Section["kind"], file[2]!)
  } else if (endPatch.test(text)) {
    closeSection(state)
    state.position = "after"
  } else if (state.section === undefined) {
    if (text.trim() !== "" && text.trim() !== state.closing) state.error = malformed(line, "a line before the first `*** … File:`")
  } else if (state.pending.length > 0 || text === state.closing) {
    state.pending.push(line)
  } else {
    sectionLine(state, state.section, line)
  }
}

const sectionLine = (state: State, section: Section, line: LineReader.Line): void => {
  const { text } = line
  switch (section.kind) {
    case "Add":
      addLine(state, section, line)
      break
    case "Delete":
      if (text.trim() !== "") state.error = malformed(line, "a line under `*** Delete File:`, which takes none")
      break
    case "Update":
      if (text.startsWith("***") && updateLine(state, section, line)) break
      if (text.startsWith("@@")) openHunk(state, line)
      else hunkLine(state, line)
      break
  }
}

const addLine = (state: State, section: Section, { crlf, number, text }: LineReader.Line): void => {
  if (text === "") {
    section.blankCount++
    return
  }
  for (; section.blankCount > 0; section.blankCount--) section.addedLines.push("")
  if (!text.startsWith("+")) state.warnings.push(`line ${number}: treated a line without its + as content`)
  section.addedLines.push(text.startsWith("+") ? text.slice(1) : text)
  section.crlf &&= crlf
}

/** `*** Move to:` and `*** End of File`; anything else is a line of the hunk. */
const updateLine = (state: State, section: Section, line: LineReader.Line): boolean => {
  const move = moveMarker.exec(line.text)
  if (move !== null) {
    section.moveTo = claim(state, line, move[1]!)
    return true
  }
  if (!endOfFile.test(line.text)) return false
  if (state.open !== undefined) state.open.atEnd = true
  closeHunk(state, section)
  return true
}

/** `@@`, `@@ header`, or the numbers of a unified diff, which serve as a hint. Consecutive headers are nested. */
const openHunk = (state: State, { number, text }: LineReader.Line): void => {
  if (state.open !== undefined && !PatchText.isEmpty(state.open.lines)) closeHunk(state, state.section!)
  const open = state.open ??= hunk(number)
  const header = text.slice(2).trim()
  const numbersMatch = hunkNumbers.exec(header)
  if (numbersMatch !== null) open.hint = Number(numbersMatch[1])
  const scope = numbersMatch === null ? header.replace(/\s*@@$/, "") : numbersMatch[2] ?? ""
  if (scope !== "") open.scopes.push(scope)
}

const hunkLine = (state: State, line: LineReader.Line): void => {
  const open = state.open ??= hunk(line.number)
  if (PatchText.readLine(open.lines, line.text)) return
  PatchText.addContext(open.lines, line.text)
  state.warnings.push(`line ${line.number}: treated a line without its leading space as context`)
}

const hunk = (line: number): OpenHunk => ({ line, lines: PatchText.initial(), scopes: [], hint: undefined, atEnd: false })

const closeHunk = (state: State, section: Section): void => {
  const { open } = state
  state.open = undefined
  if (open === undefined) return
  PatchText.closeBlank(open.lines, 0)
  if (PatchText.isEmpty(open.lines)) return
  const block = PatchText.toBlock(open.lines, {
    index: state.blocks.length + 1,
    line: open.line,
    ...optional({ hint: open.hint }),
    ...(open.scopes.length === 0 ? {} : { scopes: open.scopes }),
    ...(open.atEnd ? { atEnd: true } : {})
  })
  section.blocks.push(block)
  state.blocks.push(block)
  state.owners.push(section.path)
}

const openSection = (state: State, line: LineReader.Line, kind: Section["kind"], path: string): void => {
  closeSection(state)
  if (path === "") state.error ??= malformed(line, `\`*** ${kind} File:\` names no file`)
  state.section = {
    kind,
    line: line.number,
    path: claim(state, line, path),
    moveTo: undefined,
    blocks: [],
    addedLines: [],
    blankCount: 0,
    crlf: true
  }
}

/** A path may occur in only one section of a patch, as its file or as its new location. */
const claim = (state: State, { number }: LineReader.Line, path: string): string => {
  const name = normalizePath(path)
  if (state.paths.has(name)) {
    state.error ??= fail("PathTwice", "the patch names this file twice: make it one section", { path, line: number })
  }
  state.paths.add(name)
  return path
}

const closeSection = (state: State): void => {
  const { section } = state
  if (section === undefined) return
  closeHunk(state, section)
  state.section = undefined
  const { addedLines, blocks, crlf, kind, line, moveTo, path } = section
  const eol = crlf ? "\r\n" : "\n"
  if (kind === "Add") {
    state.files.push({ _tag: "Add", path, content: addedLines.map((line) => line + eol).join("") })
  } else if (kind === "Delete") {
    state.files.push({ _tag: "Delete", path })
  } else if (blocks.length > 0 || moveTo !== undefined) {
    state.files.push({ _tag: "Update", path, blocks, inOrder: true, ...optional({ moveTo }) })
  } else {
    state.error ??= fail("Malformed", "`*** Update File:` has no hunk and no `*** Move to:`", { path, line })
  }
}

const malformed = ({ number }: LineReader.Line, message: string): EditError => fail("Malformed", message, { line: number })
