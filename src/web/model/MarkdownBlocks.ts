/**
 * Markdown as blocks, also while it arrives: what is complete is parsed once, and only the last block again with each piece. The
 * parser is marked's; it makes tokens, never HTML.
 */
import { Lexer, type Token } from "marked"

export interface MarkdownBlocks {
  /** Complete blocks; grows in place. */
  readonly settled: Array<Token>
  /** Where the unfinished text begins, the blocks that it makes so far, and the long code block that it is in. */
  from: number
  open: ReadonlyArray<Token>
  fence: Fence | undefined
  length: number
}

interface Fence {
  readonly mark: string
  readonly lang: string
}

/** A piece of a code block that was cut because it is long; `isContinuation`: it follows another piece. */
export interface CodePiece {
  readonly type: "code"
  readonly raw: string
  readonly lang: string
  readonly text: string
  readonly isContinuation: boolean
}

export const make = (): MarkdownBlocks => ({ settled: [], from: 0, open: [], fence: undefined, length: 0 })

/** A block longer than this many characters is cut at a line, so that a frame stays short. */
const maxBlock = 8_000

/** The text so far; it must begin with the text before. */
export const update = (state: MarkdownBlocks, text: string): void => {
  if (text.length === state.length) return
  state.length = text.length
  while (advance(state, text.slice(state.from, state.from + maxBlock + 1))) { /* until the rest is short */ }
}

/** Settles what is complete at the beginning of `rest`; returns whether there may be more. */
const advance = (state: MarkdownBlocks, rest: string): boolean => {
  const isShort = rest.length <= maxBlock
  if (state.fence !== undefined) return advanceCode(state, state.fence, rest, isShort)
  const tokens = lex(rest)
  const last = Math.max(0, tokens.findLastIndex(({ type }) => type !== "space"))
  for (const token of tokens.slice(0, last)) settle(state, token, token.raw.length)
  if (isShort) {
    state.open = tokens.slice(last)
    return false
  }
  state.open = []
  if (last > 0) return true
  const opening = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/.exec(rest)
  if (opening !== null) {
    state.fence = { mark: opening[1]!, lang: opening[2]!.trim().split(/\s/)[0]! }
    state.from += opening[0].length
    return true
  }
  const end = lineEnd(rest)
  lex(rest.slice(0, end)).forEach((token) => settle(state, token, token.raw.length))
  return true
}

const advanceCode = (state: MarkdownBlocks, { lang, mark }: Fence, rest: string, isShort: boolean): boolean => {
  const closing = new RegExp(`^ {0,3}${mark}${mark[0]}*[ \\t]*(?:\\n|$)`, "m").exec(rest)
  const end = closing?.index ?? (isShort ? rest.length : lineEnd(rest))
  const raw = rest.slice(0, end)
  const piece: CodePiece = { type: "code", raw, lang, text: raw.replace(/\n$/, ""), isContinuation: isPiece(state.settled.at(-1)) }
  if (closing === null && isShort) {
    state.open = raw === "" ? [] : [piece as Token]
    return false
  }
  if (raw !== "") settle(state, piece as Token, end)
  if (closing !== null) {
    state.fence = undefined
    state.from += closing[0].length
  }
  return true
}

const isPiece = (token: Token | undefined): boolean => token !== undefined && "isContinuation" in token

const settle = (state: MarkdownBlocks, token: Token, length: number): void => {
  state.settled.push(token)
  state.from += length
}

/** The end of the last whole line of a block that is too long. */
const lineEnd = (text: string): number => text.lastIndexOf("\n", maxBlock - 1) + 1 || maxBlock

const lex = (text: string): ReadonlyArray<Token> => new Lexer({ gfm: true }).lex(text)

/** All blocks of a complete text. */
export const parse = (text: string): ReadonlyArray<Token> => {
  const state = make()
  update(state, text)
  return [...state.settled, ...state.open]
}

/** Where a link may lead: the web and mail, nothing that runs or reads. */
export const safeUrl = (url: string): string | undefined => {
  try {
    const { href, protocol } = new URL(url)
    return protocol === "http:" || protocol === "https:" || protocol === "mailto:" ? href : undefined
  } catch {
    return undefined
  }
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: "\"", "#39": "'", nbsp: " " }

/** The few entities that models write. */
export const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name]!) : text
