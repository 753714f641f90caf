/**
 * The parts of one push, and the white space between them: it is kept within text, trimmed beside a call and dropped
 * where there is nothing else, so it is held until something follows.
 */
import type { Part } from "../../message/Part.ts"
import * as White from "../Whitespace.ts"

export interface Output {
  parts: Array<Part>
  /** White space that waits for what follows it. */
  white: string
  /** The text that `white` ends holds more than white space. */
  said: boolean
  /** A call stands directly before. */
  afterCall: boolean
}

export const initial = (): Output => ({ parts: [], white: "", said: false, afterCall: false })

/** The parts so far; what follows goes into new ones. */
export const take = (out: Output): ReadonlyArray<Part> => {
  const parts = out.parts
  if (parts.length > 0) out.parts = []
  return parts
}

export const text = (out: Output, piece: string): void => {
  const to = White.trailing(piece)
  if (to === 0) {
    out.white += piece
    return
  }
  const from = out.afterCall && !out.said ? White.skip(piece, 0) : 0
  const before = out.afterCall && !out.said ? "" : out.white
  out.said = true
  append(out, "Text", before + piece.slice(from, to))
  out.white = piece.slice(to)
}

export const reasoning = (out: Output, piece: string): void => {
  if (piece === "") return
  flush(out)
  out.afterCall = false
  append(out, "Reasoning", piece)
}

/** A call begins or ends here. */
export const call = (out: Output): void => {
  out.white = ""
  out.said = false
  out.afterCall = true
}

export const end = (out: Output): ReadonlyArray<Part> => {
  flush(out)
  return take(out)
}

/** White space after words is theirs, if no call follows. */
const flush = (out: Output): void => {
  if (out.said && out.white !== "") append(out, "Text", out.white)
  out.white = ""
  out.said = false
}

const append = (out: Output, _tag: "Text" | "Reasoning", text: string): void => {
  const last = out.parts.at(-1)
  if (last?._tag === _tag) out.parts[out.parts.length - 1] = { _tag, text: last.text + text }
  else out.parts.push({ _tag, text })
}
