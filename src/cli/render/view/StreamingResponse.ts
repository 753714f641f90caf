/**
 * An answer while it streams: its beginning is printed in pieces as it grows, so that it flows into the terminal's
 * scrollback like anything else, and only its end is drawn again and again.
 */
import type { Content } from "../../../domain/message/Message.ts"
import * as Markdown from "../text/Markdown.ts"
import { flow, still, text, type Flow, type Shown } from "./DisplayText.ts"

/** A part of an answer that is printed: `goesOn` where it follows another, `fence` where it begins inside a code block. */
export interface Piece {
  readonly text: Shown
  readonly goesOn: boolean
  readonly fence: string | undefined
}

/** `printed` is what pieces were made of, `coming` what is not printed yet, `fence` the code block that it begins in. */
export interface Draft {
  readonly printed: Shown
  readonly coming: Flow
  readonly fence: string | undefined
}

export const empty: Draft = { printed: "" as Shown, coming: still, fence: undefined }

/** More than this, in characters or in lines, is not held back; nor is so much of one line, which may never end. */
const most = { characters: 1_500, lines: 16, line: 3_000 }

/** Takes what came and gives the piece that is whole now, if one is: up to the last line end, or to the last word of a long line. */
export const push = (draft: Draft, foreign: string): readonly [Draft, Piece?] => {
  const coming = flow(draft.coming, foreign)
  const { shown } = coming
  const next = cut(shown, foreign)
  const end = shown.slice(0, next).replace(/\n+$/, "").length // empty lines wait: they may be the last
  if (end === 0) return [{ ...draft, coming }]
  const at = Math.min(next, end + 1)
  const whole = shown.slice(0, at) as Shown
  return [
    {
      printed: draft.printed + whole as Shown,
      coming: { ...coming, shown: shown.slice(at) as Shown },
      fence: Markdown.open(whole, draft.fence)
    },
    pieceOf(draft, shown.slice(0, end) as Shown)
  ]
}

/** How much of it is not held back. */
const cut = (shown: string, foreign: string): number => {
  const line = shown.lastIndexOf("\n") + 1
  if (shown.length - line >= most.line) return Math.max(line, shown.lastIndexOf(" ") + 1) || shown.length
  return foreign.includes("\n") && (shown.length >= most.characters || lines(shown) >= most.lines) ? line : 0
}

const pieceOf = ({ fence, printed }: Draft, text: Shown): Piece => ({ text, goesOn: printed !== "", fence })

const lines = (text: string): number => {
  let count = 0
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++
  return count
}

/** What has not been printed, as it stands: for an answer that ends in its middle. */
export const rest = (draft: Draft): ReadonlyArray<Piece> =>
  draft.coming.shown.trim() === "" ? [] : [pieceOf(draft, draft.coming.shown.trimEnd() as Shown)]

/** What of a settled answer has not been printed. A settled text that differs from what streamed is printed whole. */
export const settle = (draft: Draft, content: ReadonlyArray<Content>): ReadonlyArray<Piece> => {
  let left: string = draft.printed
  return content.flatMap((part) => {
    if (part._tag !== "Text") return []
    const whole = text(part.text)
    if (left !== "" && left.startsWith(whole)) {
      left = left.slice(whole.length)
      return []
    }
    const known = left !== "" && whole.startsWith(left) ? left : ""
    left = ""
    const remains = (known === "" ? whole.trim() : whole.slice(known.length).trimEnd()) as Shown
    return remains === "" ? [] : [known === "" ? { text: remains, goesOn: false, fence: undefined } : pieceOf(draft, remains)]
  })
}
