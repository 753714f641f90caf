/**
 * A streaming response: its beginning is printed in fragments as it grows, into the terminal's scrollback, and only its end is
 * redrawn.
 */
import * as MarkdownContext from "../../../domain/message/MarkdownContext.ts"
import type { Content } from "../../../domain/message/Message.ts"
import { pushText, emptyStream, text, type TextStream, type SafeText } from "./DisplayText.ts"

/** A printed part of a response. `isContinuation`: it follows another part. `context`: what it starts in. */
export interface Fragment {
  readonly text: SafeText
  readonly isContinuation: boolean
  readonly context: MarkdownContext.Context
}

/** The printed text, the pending text, and what the pending text starts in. */
export interface StreamingResponse {
  readonly printed: SafeText
  readonly pending: TextStream
  readonly context: MarkdownContext.Context
}

export const empty: StreamingResponse = { printed: "" as SafeText, pending: emptyStream, context: MarkdownContext.start }

/** Whether any of it has arrived. By its content: drawing is a module of its own, with another `empty`. */
export const hasText = ({ pending, printed }: StreamingResponse): boolean => printed !== "" || pending.safe !== ""

/** How much text stays pending, in characters, in lines, and within a single line, which may never end. */
const max = { characters: 1_500, lines: 16, line: 3_000 }

/**
 * Adds text, and returns the next fragment once it is complete: up to the last block or line, or the last
 * word of a long line.
 */
export const push = (state: StreamingResponse, delta: string): readonly [StreamingResponse, Fragment?] => {
  const pending = pushText(state.pending, delta)
  const { safe } = pending
  const boundary = breakPoint(state, safe, delta)
  const trimmedLength = safe.slice(0, boundary).replace(/\n+$/, "").length // empty lines stay pending: they may be the last
  if (trimmedLength === 0) return [{ ...state, pending }]
  const printedLength = Math.min(boundary, trimmedLength + 1)
  const printable = safe.slice(0, printedLength) as SafeText
  return [
    {
      printed: state.printed + printable as SafeText,
      pending: { ...pending, safe: safe.slice(printedLength) as SafeText },
      context: MarkdownContext.after(printable, state.context)
    },
    fragment(state, safe.slice(0, trimmedLength) as SafeText)
  ]
}

/** How much of the text can be printed. */
const breakPoint = ({ context }: StreamingResponse, safe: string, delta: string): number => {
  const line = safe.lastIndexOf("\n") + 1
  if (safe.length - line >= max.line) return Math.max(line, safe.lastIndexOf(" ") + 1) || safe.length
  if (!delta.includes("\n") || (safe.length < max.characters && lines(safe) < max.lines)) return 0
  return MarkdownContext.breakPoint(safe, context, line / 2, line)
}

const fragment = ({ context, printed }: StreamingResponse, text: SafeText): Fragment => ({ text, isContinuation: printed !== "", context })

const lines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** The pending text of a response that was cut off. */
export const unprinted = (state: StreamingResponse): ReadonlyArray<Fragment> =>
  state.pending.safe.trim() === "" ? [] : [fragment(state, state.pending.safe.trimEnd() as SafeText)]

/** The unprinted part of a settled response. A settled text that differs from the streamed one is printed in full. */
export const remainder = (state: StreamingResponse, content: ReadonlyArray<Content>): ReadonlyArray<Fragment> => {
  let printed: string = state.printed
  return content.flatMap((part) => {
    if (part._tag !== "Text") return []
    const full = text(part.text)
    if (printed !== "" && printed.startsWith(full)) {
      printed = printed.slice(full.length)
      return []
    }
    const prefix = printed !== "" && full.startsWith(printed) ? printed : ""
    printed = ""
    const remaining = (prefix === "" ? full.trim() : full.slice(prefix.length).trimEnd()) as SafeText
    return remaining === "" ? []
      : [prefix === "" ? { text: remaining, isContinuation: false, context: MarkdownContext.start } : fragment(state, remaining)]
  })
}
