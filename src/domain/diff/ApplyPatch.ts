/**
 * V4A, the patch format that OpenAI's models write for `apply_patch`: several files in one envelope, hunks found by
 * their context and by the `@@` headers above them. After the grammar of openai/codex, apply-patch/src/parser.rs.
 */
import * as Result from "effect/Result"
import type { Block, Edits, FileEdit } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as HunkLines from "./PatchText.ts"
import * as LineFeed from "./LineReader.ts"
import { normal } from "./PatchPath.ts"

/** The file whose section is arriving. */
interface Section {
  readonly kind: "Add" | "Update" | "Delete"
  readonly line: number
  readonly path: string
  moveTo: string | undefined
  readonly blocks: Array<Block>
  /** The lines of an added file. */
  readonly added: Array<string>
  /** Blank lines without their `+`: content if the file goes on after them. */
  blank: number
  crlf: boolean
}

interface Open {
  readonly line: number
  readonly lines: HunkLines.HunkLines
  readonly scopes: Array<string>
  hint: number | undefined
  atEnd: boolean
}

/** Belongs to the step that takes it. */
export interface State {
  readonly feed: LineFeed.LineFeed
  readonly files: Array<FileEdit>
  readonly warnings: Array<string>
  /** Paths that sections have named. */
  readonly paths: Set<string>
  where: "before" | "inside" | "after"
  /** What stands before `*** Begin Patch`, and then before every line of the patch. */
  indent: string
  /** What a code fence or heredoc around the patch ends with. */
  closing: string | undefined
  /** Such a line inside the patch, with blank lines after it: the end of the patch if nothing else follows. */
  readonly held: Array<LineFeed.Line>
  section: Section | undefined
  open: Open | undefined
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
  paths: new Set(),
  where: "before",
  indent: "",
  closing: undefined,
  held: [],
  section: undefined,
  open: undefined,
  blocks: [],
  owners: [],
  error: undefined
})

/** Takes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineFeed.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the whole input. A patch without its End is accepted with a warning. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineFeed.end(state.feed, (line) => step(state, line))
  if (state.where === "inside") {
    state.warnings.push("`*** End Patch` is missing; took the end of the input for it")
    closeSection(state)
  }
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.where === "before") return Result.fail(fail("Malformed", "`*** Begin Patch` is missing"))
  if (state.files.length === 0) return Result.fail(fail("NoEdit", "the patch changes no file"))
  return Result.succeed({ format: "apply-patch", files: state.files, warnings: state.warnings })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** A line that only this format begins with. */
export const opens = (line: string): boolean => begin.test(line) || fileMarker.test(line)

const begin = /^(\s*)\*\*\* Begin Patch\s*$/
const endPatch = /^\*\*\* End Patch\s*$/
const fileMarker = /^\*\*\* (Add|Update|Delete) File:\s*(.*?)\s*$/
const moveMarker = /^\*\*\* Move to:\s*(.*?)\s*$/
const endOfFile = /^\*\*\* End of File\s*$/
const heredoc = /<<-?\s*['"]?(\w+)['"]?\s*$/
const fence = /^\s*(`{3,}|~{3,})/
const numbers = /^-(\d+)(?:,\d+)? \+\d+(?:,\d+)?(?: @@\s*(.*))?$/

const step = (state: State, given: LineFeed.Line): void => {
  if (state.error !== undefined) return
  const line = outdented(state, given)
  const begun = state.where === "inside" ? null : begin.exec(line.text)
  if (state.where === "inside") {
    if (state.held.length > 0 && line.text.trim() !== "" && state.section !== undefined) {
      for (const held of state.held.splice(0)) inSection(state, state.section, held)
    }
    inside(state, line)
  } else if (begun !== null) {
    state.where = "inside"
    state.indent = begun[1]!
  } else if (state.where === "before") {
    state.closing = heredoc.exec(line.text)?.[1] ?? fence.exec(line.text)?.[1] ?? state.closing
    if (fileMarker.test(line.text)) state.error = malformed(line, "`*** Begin Patch` is missing before it")
  }
}

/** A patch that is indented as a whole loses that; where only its first line is, nothing does. */
const outdented = (state: State, line: LineFeed.Line): LineFeed.Line => {
  if (state.indent === "") return line
  if (line.text.startsWith(state.indent)) return { ...line, text: line.text.slice(state.indent.length) }
  if (state.section === undefined && line.text.trim() !== "") state.indent = ""
  return line
}

const inside = (state: State, line: LineFeed.Line): void => {
  const { text } = line
  const file = text.startsWith("***") ? fileMarker.exec(text) : null
  if (file !== null) {
    openSection(state, line, file[1] as Section["kind"], file[2]!)
  } else if (endPatch.test(text)) {
    closeSection(state)
    state.where = "after"
  } else if (state.section === undefined) {
    if (text.trim() !== "" && text.trim() !== state.closing) state.error = malformed(line, "a line before the first `*** … File:`")
  } else if (state.held.length > 0 || text === state.closing) {
    state.held.push(line)
  } else {
    inSection(state, state.section, line)
  }
}

const inSection = (state: State, section: Section, line: LineFeed.Line): void => {
  const { text } = line
  switch (section.kind) {
    case "Add":
      addLine(state, section, line)
      break
    case "Delete":
      if (text.trim() !== "") state.error = malformed(line, "a line under `*** Delete File:`, which takes none")
      break
    case "Update":
      if (text.startsWith("***") && inUpdate(state, section, line)) break
      if (text.startsWith("@@")) openHunk(state, line)
      else hunkLine(state, line)
      break
  }
}

const addLine = (state: State, section: Section, { crlf, number, text }: LineFeed.Line): void => {
  if (text === "") {
    section.blank++
    return
  }
  for (; section.blank > 0; section.blank--) section.added.push("")
  if (!text.startsWith("+")) state.warnings.push(`line ${number}: took a line without its + for content`)
  section.added.push(text.startsWith("+") ? text.slice(1) : text)
  section.crlf &&= crlf
}

/** `*** Move to:` and `*** End of File`; anything else is a line of the hunk. */
const inUpdate = (state: State, section: Section, line: LineFeed.Line): boolean => {
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

/** `@@`, `@@ header`, or the numbers of a unified diff, which are taken for a hint. Headers in a row are nested. */
const openHunk = (state: State, { number, text }: LineFeed.Line): void => {
  if (state.open !== undefined && !HunkLines.isEmpty(state.open.lines)) closeHunk(state, state.section!)
  const open = state.open ??= hunk(number)
  const header = text.slice(2).trim()
  const numbered = numbers.exec(header)
  if (numbered !== null) open.hint = Number(numbered[1])
  const scope = numbered === null ? header.replace(/\s*@@$/, "") : numbered[2] ?? ""
  if (scope !== "") open.scopes.push(scope)
}

const hunkLine = (state: State, line: LineFeed.Line): void => {
  const open = state.open ??= hunk(line.number)
  if (HunkLines.take(open.lines, line.text)) return
  HunkLines.context(open.lines, line.text)
  state.warnings.push(`line ${line.number}: took a line without its leading space for context`)
}

const hunk = (line: number): Open => ({ line, lines: HunkLines.initial(), scopes: [], hint: undefined, atEnd: false })

const closeHunk = (state: State, section: Section): void => {
  const { open } = state
  state.open = undefined
  if (open === undefined) return
  HunkLines.closeBlank(open.lines, 0)
  if (HunkLines.isEmpty(open.lines)) return
  const block = HunkLines.toBlock(open.lines, {
    index: state.blocks.length + 1,
    line: open.line,
    ...(open.hint === undefined ? {} : { hint: open.hint }),
    ...(open.scopes.length === 0 ? {} : { scopes: open.scopes }),
    ...(open.atEnd ? { atEnd: true } : {})
  })
  section.blocks.push(block)
  state.blocks.push(block)
  state.owners.push(section.path)
}

const openSection = (state: State, line: LineFeed.Line, kind: Section["kind"], path: string): void => {
  closeSection(state)
  if (path === "") state.error ??= malformed(line, `\`*** ${kind} File:\` names no file`)
  state.section = {
    kind,
    line: line.number,
    path: claim(state, line, path),
    moveTo: undefined,
    blocks: [],
    added: [],
    blank: 0,
    crlf: true
  }
}

/** A path may stand in one section of a patch only, as its file or as where it moves. */
const claim = (state: State, { number }: LineFeed.Line, path: string): string => {
  const name = normal(path)
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
  const { added, blocks, crlf, kind, line, moveTo, path } = section
  const eol = crlf ? "\r\n" : "\n"
  if (kind === "Add") {
    state.files.push({ _tag: "Add", path, content: added.map((line) => line + eol).join("") })
  } else if (kind === "Delete") {
    state.files.push({ _tag: "Delete", path })
  } else if (blocks.length > 0 || moveTo !== undefined) {
    state.files.push({ _tag: "Update", path, blocks, inOrder: true, ...(moveTo === undefined ? {} : { moveTo }) })
  } else {
    state.error ??= fail("Malformed", "`*** Update File:` has no hunk and no `*** Move to:`", { path, line })
  }
}

const malformed = ({ number }: LineFeed.Line, message: string): EditError => fail("Malformed", message, { line: number })
