/**
 * The parts of one push, and the white space between them: it is preserved within text, trimmed beside a call and
 * dropped if there is nothing else, so it is held back until something follows.
 */
import type { Part, ReasoningPart } from "../../message/Part.ts"
import * as Whitespace from "../Whitespace.ts"

export interface PartWriter {
  parts: Array<Part>
  /** White space that waits for what follows it. */
  whitespace: string
  /** The text before `white` contains more than white space. */
  hasText: boolean
  /** Directly after a call. */
  isAfterCall: boolean
}

export const initial = (): PartWriter => ({ parts: [], whitespace: "", hasText: false, isAfterCall: false })

/** The parts so far; what follows goes into new ones. */
export const take = (out: PartWriter): ReadonlyArray<Part> => {
  const parts = out.parts
  if (parts.length > 0) out.parts = []
  return parts
}

export const text = (out: PartWriter, piece: string): void => {
  const to = Whitespace.trailingStart(piece)
  if (to === 0) {
    out.whitespace += piece
    return
  }
  const from = out.isAfterCall && !out.hasText ? Whitespace.skip(piece, 0) : 0
  const leading = out.isAfterCall && !out.hasText ? "" : out.whitespace
  out.hasText = true
  append(out, "Text", leading + piece.slice(from, to))
  out.whitespace = piece.slice(to)
}

export const reasoning = (out: PartWriter, piece: string): void => {
  if (piece === "") return
  flush(out)
  out.isAfterCall = false
  append(out, "Reasoning", piece)
}

/** A call begins or ends here. */
export const call = (out: PartWriter): void => {
  out.whitespace = ""
  out.hasText = false
  out.isAfterCall = true
}

export const end = (out: PartWriter): ReadonlyArray<Part> => {
  flush(out)
  return take(out)
}

/** White space after text belongs to it, if no call follows. */
const flush = (out: PartWriter): void => {
  if (out.hasText && out.whitespace !== "") append(out, "Text", out.whitespace)
  out.whitespace = ""
  out.hasText = false
}

const append = (out: PartWriter, _tag: "Text" | "Reasoning", text: string): void => {
  const last = out.parts.at(-1)
  if (last?._tag === _tag) out.parts[out.parts.length - 1] = { _tag, text: last.text + text }
  else out.parts.push({ _tag, text })
}

// Joins what a parser emitted piece by piece into complete parts.

/**
 * Neighbouring text is one part, reasoning is one part up to a piece with its signature, and each call is its last
 * state, at its first position. Linear in the number of parts.
 */
export const collect = (parts: Iterable<Part>): ReadonlyArray<Part> => {
  const result: Array<Part> = []
  const indexes = new Map<string, number>()
  for (const part of parts) {
    if (part._tag === "ToolCall") {
      const { appended: _, ...call } = part
      const index = indexes.get(part.id)
      if (index === undefined) indexes.set(part.id, result.push(call) - 1)
      else result[index] = call
      continue
    }
    const last = result.at(-1)
    if (part._tag === "Text" && last?._tag === "Text") {
      result[result.length - 1] = { _tag: "Text", text: last.text + part.text }
    } else if (part._tag === "Reasoning" && last?._tag === "Reasoning" && !isSigned(last)) {
      result[result.length - 1] = { ...part, text: last.text + part.text }
    } else {
      result.push(part)
    }
  }
  return result
}

/** Ends a block of reasoning: the provider needs it back unchanged. */
export const isSigned = (part: Pick<ReasoningPart, "signature" | "encrypted">): boolean =>
  part.signature !== undefined || part.encrypted !== undefined
