/**
 * SEARCH/REPLACE blocks, in the style of Aider, Cline and Roo Code:
 *
 *     ------- SEARCH            <<<<<<< SEARCH
 *     lines to find             :start_line:12
 *     =======                   -------
 *     replacement lines         …
 *     +++++++ REPLACE           >>>>>>> REPLACE
 *
 * Markers start at column 0, or a block is indented as a whole, and its lines lose that indentation. A backslash before
 * a marker makes the line data.
 */
import * as Result from "effect/Result"
import { optional } from "../Optional.ts"
import type { Block, Edits, Split } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as LineReader from "./LineReader.ts"

/** A block whose REPLACE marker has not arrived yet. */
export interface OpenBlock {
  /** 1-based line of its SEARCH marker. */
  readonly line: number
  readonly indent: string
  /** `+` or `>`: the character of the closing marker. */
  readonly closing: string
  hint: number | undefined
  /** The `-------` that ends a hint has arrived. */
  hasHint: boolean
  /** Lines so far, of both sides, without their indentation. */
  readonly body: Array<string>
  /** Which lines of the body consist of `=`, their position in the input, and whether they have exactly seven. */
  readonly rules: Array<{ readonly at: number; readonly line: number; readonly isExact: boolean }>
  crlf: boolean
}

/** Belongs to the step that receives it. */
export interface State {
  readonly feed: LineReader.LineFeed
  readonly blocks: Array<Block>
  readonly warnings: Array<string>
  /** The end of the code fence around the blocks, if there is one. */
  fence: string | undefined
  open: OpenBlock | undefined
  error: EditError | undefined
}

/** Before the first character. */
export const initial = (): State => ({
  feed: LineReader.initial(),
  blocks: [],
  warnings: [],
  fence: undefined,
  open: undefined,
  error: undefined
})

/** Processes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineReader.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the complete input. A block without its last marker is accepted with a warning. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineReader.end(state.feed, (line) => step(state, line))
  if (state.error === undefined && state.open !== undefined) {
    const { line } = state.open
    dropFence(state.open, state.fence)
    close(state, state.open, state.feed.count)
    state.warnings.push(
      `block ${state.blocks.length} (line ${line}): the REPLACE marker is missing; treated the end of the input as the end of the block`
    )
  }
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.blocks.length === 0) return Result.fail(fail("NoEdit", "the input contains no SEARCH/REPLACE block"))
  return Result.succeed({
    format: "search-replace",
    files: [{ _tag: "Update", blocks: state.blocks }],
    warnings: state.warnings
  })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** The block whose replacement is arriving, read with its only separator so far. */
export const incomingBlock = ({ blocks, open }: State): Block | undefined => {
  const [rule, ...others] = open?.rules ?? []
  return open === undefined || rule === undefined || others.length > 0 ? undefined : {
    index: blocks.length + 1,
    line: open.line,
    search: open.body.slice(0, rule.at),
    replace: [],
    ...optional({ hint: open.hint })
  }
}

type Marker = "SEARCH" | "REPLACE" | "rule"

const opening = /^(?:-{3,}|<{3,}) SEARCH>?\s*$/
const closing = /^(?:\+{3,}|>{3,}) REPLACE>?\s*$/
const rule = /^={3,}\s*$/
const startLine = /^:start_line: ?(\d+)\s*$/
const endLine = /^:end_line: ?\d+\s*$/
const fence = /^(`{3,}|~{3,})/
const dashes = /^-{3,}\s*$/

const marker = (line: string): Marker | undefined => {
  switch (line.charCodeAt(0)) {
    case 0x2b: // +
    case 0x3e: // >
      return closing.test(line) ? "REPLACE" : undefined
    case 0x2d: // -
    case 0x3c: // <
      return opening.test(line) ? "SEARCH" : undefined
    case 0x3d: // =
      return rule.test(line) ? "rule" : undefined
    default:
      return undefined
  }
}

/** Whether a line opens a block at any indentation: how the format is recognized. */
export const isStart = (line: string): boolean => opening.test(line.trimStart())

const step = (state: State, line: LineReader.Line): void => {
  if (state.error !== undefined) return
  if (state.open === undefined) readOutside(state, line)
  else readInside(state, state.open, line)
}

const readOutside = (state: State, { number, text }: LineReader.Line): void => {
  const bare = text.trimStart()
  const run = fence.exec(bare)?.[1]
  if (run !== undefined) state.fence = state.fence === undefined ? run : undefined
  const kind = marker(bare)
  if (kind === "REPLACE") state.error = malformed(number, "a REPLACE marker without a SEARCH marker before it")
  if (kind !== "SEARCH") return
  state.open = {
    line: number,
    indent: text.slice(0, text.length - bare.length),
    closing: bare.startsWith("-") ? "+" : ">",
    hint: undefined,
    hasHint: false,
    body: [],
    rules: [],
    crlf: true
  }
}

const readInside = (state: State, open: OpenBlock, line: LineReader.Line): void => {
  if (!line.text.startsWith(open.indent)) {
    addLine(open, line.text.trim() === "" ? "" : line.text, line)
    return
  }
  const text = line.text.slice(open.indent.length)
  const kind = marker(text)
  if (kind === "REPLACE") {
    close(state, open, line.number)
  } else if (kind === "SEARCH") {
    const missing = open.rules.length === 0 ? "=======" : "REPLACE marker"
    state.error = malformed(line.number, `a SEARCH marker inside the block of line ${open.line}, whose ${missing} is missing`)
  } else if (kind === "rule" && (line.isTerminated || isSeven(text))) {
    open.rules.push({ at: open.body.length, line: line.number, isExact: isSeven(text) })
    addLine(open, text, line)
  } else if (!readHint(open, text) && !isCutOff(open, text, line)) {
    addLine(open, text.startsWith("\\") && marker(text.slice(1)) !== undefined ? text.slice(1) : text, line)
  }
}

const addLine = (open: OpenBlock, text: string, { crlf, isTerminated }: LineReader.Line): void => {
  open.body.push(text)
  open.crlf &&= crlf || !isTerminated
}

const isSeven = (text: string): boolean => text.trimEnd() === "======="

/** `:start_line:N`, then optionally `:end_line:N` and `-------`, before the first line of the search text. */
const readHint = (open: OpenBlock, text: string): boolean => {
  if (open.body.length > 0 || open.hasHint) return false
  if (open.hint === undefined) {
    const match = startLine.exec(text)
    if (match !== null) open.hint = Number(match[1])
    return match !== null
  }
  open.hasHint = dashes.test(text)
  return open.hasHint || endLine.test(text)
}

/** The end of an input that breaks off within its last marker. */
const isCutOff = (open: OpenBlock, text: string, { isTerminated }: LineReader.Line): boolean =>
  !isTerminated && open.rules.length > 0 && text.startsWith(open.closing.repeat(3)) &&
  `${open.closing.repeat(text.lastIndexOf(open.closing) + 1)} REPLACE`.startsWith(text)

/** The end of the code fence around a block without a last marker is not part of the block. */
const dropFence = ({ body, rules }: OpenBlock, fence: string | undefined): void => {
  const last = body.findLastIndex((line) => line.trim() !== "")
  if (fence !== undefined && last > (rules.at(-1)?.at ?? last) && body[last]!.trim() === fence) body.length = last
}

/** The block is complete: its separator is settled, or left to the file if several lines could be it. */
const close = (state: State, open: OpenBlock, line: number): void => {
  const { body, crlf, hint, rules } = open
  const exactRules = rules.filter(({ isExact }) => isExact)
  const candidates = rules.length === 1 ? rules : exactRules
  state.open = undefined
  if (rules.length === 0) {
    state.error = malformed(line, `the block at line ${open.line} has no ======= before its end`)
    return
  }
  if (candidates.length === 0) {
    const lines = rules.map(({ line }) => line).join(", ")
    state.error = malformed(open.line, `several lines of = could be the separator (lines ${lines}) and none has exactly seven`)
    return
  }
  const splits = candidates.map(({ at, line }): Split => ({ line, search: body.slice(0, at), replace: body.slice(at + 1) }))
  const { replace, search } = splits.at(-1)!
  state.blocks.push({
    index: state.blocks.length + 1,
    line: open.line,
    search,
    replace,
    ...optional({ hint }),
    ...(crlf && body.length > 0 ? { crlf } : {}),
    ...(splits.length > 1 ? { splits } : {})
  })
}

const malformed = (line: number, message: string): EditError => fail("Malformed", message, { line })
