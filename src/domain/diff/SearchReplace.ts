/**
 * SEARCH/REPLACE blocks, as Aider, Cline and Roo Code taught models to write them:
 *
 *     ------- SEARCH            <<<<<<< SEARCH
 *     lines to find             :start_line:12
 *     =======                   -------
 *     lines in their place      …
 *     +++++++ REPLACE           >>>>>>> REPLACE
 *
 * Markers stand at column 0, or all of a block at one indentation, which its lines then lose. A backslash before a
 * marker makes the line data.
 */
import * as Result from "effect/Result"
import type { Block, Edits, Split } from "./Edit.ts"
import { type EditError, fail } from "./EditError.ts"
import * as LineFeed from "./LineReader.ts"

/** A block whose REPLACE marker has not come yet. */
export interface Open {
  /** 1-based line of its SEARCH marker. */
  readonly line: number
  readonly indent: string
  /** `+` or `>`: what the closing marker is made of. */
  readonly closing: string
  hint: number | undefined
  /** The `-------` that ends a hint has come. */
  hinted: boolean
  /** Lines so far, of both sides, without their indentation. */
  readonly body: Array<string>
  /** Which lines of the body are made of `=`, where they stand in the input, and whether of exactly seven. */
  readonly rules: Array<{ readonly at: number; readonly line: number; readonly seven: boolean }>
  crlf: boolean
}

/** Belongs to the step that takes it. */
export interface State {
  readonly feed: LineFeed.LineFeed
  readonly blocks: Array<Block>
  readonly warnings: Array<string>
  /** What the code fence around the blocks ends with, where there is one. */
  fence: string | undefined
  open: Open | undefined
  error: EditError | undefined
}

/** Before the first character. */
export const initial = (): State => ({
  feed: LineFeed.initial(),
  blocks: [],
  warnings: [],
  fence: undefined,
  open: undefined,
  error: undefined
})

/** Takes the next piece of the input. O(piece). */
export const push = (state: State, text: string): State => {
  LineFeed.push(state.feed, text, (line) => step(state, line))
  return state
}

/** The edits of the whole input. A block without its last marker is accepted with a warning. */
export const end = (state: State): Result.Result<Edits, EditError> => {
  LineFeed.end(state.feed, (line) => step(state, line))
  if (state.error === undefined && state.open !== undefined) {
    const { line } = state.open
    dropFence(state.open, state.fence)
    close(state, state.open, state.feed.count)
    state.warnings.push(`block ${state.blocks.length} (line ${line}): the REPLACE marker is missing; took the end of the input for it`)
  }
  if (state.error !== undefined) return Result.fail(state.error)
  if (state.blocks.length === 0) return Result.fail(fail("NoEdit", "there is no SEARCH/REPLACE block in the input"))
  return Result.succeed({
    format: "search-replace",
    files: [{ _tag: "Update", blocks: state.blocks }],
    warnings: state.warnings
  })
}

/** O(text). */
export const parse = (text: string): Result.Result<Edits, EditError> => end(push(initial(), text))

/** The block whose replacement is arriving, read with the one separator it has so far. */
export const arriving = ({ blocks, open }: State): Block | undefined => {
  const [rule, ...others] = open?.rules ?? []
  return open === undefined || rule === undefined || others.length > 0 ? undefined : {
    index: blocks.length + 1,
    line: open.line,
    search: open.body.slice(0, rule.at),
    replace: [],
    ...(open.hint === undefined ? {} : { hint: open.hint })
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

/** Whether a line opens a block at any indentation: how the format is told from others. */
export const opens = (line: string): boolean => opening.test(line.trimStart())

const step = (state: State, line: LineFeed.Line): void => {
  if (state.error !== undefined) return
  if (state.open === undefined) outside(state, line)
  else inside(state, state.open, line)
}

const outside = (state: State, { number, text }: LineFeed.Line): void => {
  const bare = text.trimStart()
  const run = fence.exec(bare)?.[1]
  if (run !== undefined) state.fence = state.fence === undefined ? run : undefined
  const found = marker(bare)
  if (found === "REPLACE") state.error = malformed(number, "a REPLACE marker without a SEARCH marker before it")
  if (found !== "SEARCH") return
  state.open = {
    line: number,
    indent: text.slice(0, text.length - bare.length),
    closing: bare.startsWith("-") ? "+" : ">",
    hint: undefined,
    hinted: false,
    body: [],
    rules: [],
    crlf: true
  }
}

const inside = (state: State, open: Open, line: LineFeed.Line): void => {
  if (!line.text.startsWith(open.indent)) {
    data(open, line.text.trim() === "" ? "" : line.text, line)
    return
  }
  const text = line.text.slice(open.indent.length)
  const found = marker(text)
  if (found === "REPLACE") {
    close(state, open, line.number)
  } else if (found === "SEARCH") {
    const missing = open.rules.length === 0 ? "=======" : "REPLACE marker"
    state.error = malformed(line.number, `a SEARCH marker inside the block of line ${open.line}, whose ${missing} is missing`)
  } else if (found === "rule" && (line.ended || isSeven(text))) {
    open.rules.push({ at: open.body.length, line: line.number, seven: isSeven(text) })
    data(open, text, line)
  } else if (!takeHint(open, text) && !isCutOff(open, text, line)) {
    data(open, text.startsWith("\\") && marker(text.slice(1)) !== undefined ? text.slice(1) : text, line)
  }
}

const data = (open: Open, text: string, { crlf, ended }: LineFeed.Line): void => {
  open.body.push(text)
  open.crlf &&= crlf || !ended
}

const isSeven = (text: string): boolean => text.trimEnd() === "======="

/** `:start_line:N`, then perhaps `:end_line:N` and `-------`, before the first line of the search text. */
const takeHint = (open: Open, text: string): boolean => {
  if (open.body.length > 0 || open.hinted) return false
  if (open.hint === undefined) {
    const found = startLine.exec(text)
    if (found !== null) open.hint = Number(found[1])
    return found !== null
  }
  open.hinted = dashes.test(text)
  return open.hinted || endLine.test(text)
}

/** The end of an input that breaks off within its last marker. */
const isCutOff = (open: Open, text: string, { ended }: LineFeed.Line): boolean =>
  !ended && open.rules.length > 0 && text.startsWith(open.closing.repeat(3)) &&
  `${open.closing.repeat(text.lastIndexOf(open.closing) + 1)} REPLACE`.startsWith(text)

/** The end of the code fence around a block that has no last marker is no part of it. */
const dropFence = ({ body, rules }: Open, fence: string | undefined): void => {
  const last = body.findLastIndex((line) => line.trim() !== "")
  if (fence !== undefined && last > (rules.at(-1)?.at ?? last) && body[last]!.trim() === fence) body.length = last
}

/** The block is whole: its separator is settled, or left to the file when several lines could be it. */
const close = (state: State, open: Open, line: number): void => {
  const { body, crlf, hint, rules } = open
  const sevens = rules.filter(({ seven }) => seven)
  const possible = rules.length === 1 ? rules : sevens
  state.open = undefined
  if (rules.length === 0) {
    state.error = malformed(line, `the block of line ${open.line} has no ======= before its end`)
    return
  }
  if (possible.length === 0) {
    const lines = rules.map(({ line }) => line).join(", ")
    state.error = malformed(open.line, `several lines of = could be the separator (lines ${lines}) and none has exactly seven`)
    return
  }
  const splits = possible.map(({ at, line }): Split => ({ line, search: body.slice(0, at), replace: body.slice(at + 1) }))
  const { replace, search } = splits.at(-1)!
  state.blocks.push({
    index: state.blocks.length + 1,
    line: open.line,
    search,
    replace,
    ...(hint === undefined ? {} : { hint }),
    ...(crlf && body.length > 0 ? { crlf } : {}),
    ...(splits.length > 1 ? { splits } : {})
  })
}

const malformed = (line: number, message: string): EditError => fail("Malformed", message, { line })
