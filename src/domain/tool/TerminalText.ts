/**
 * What a terminal would finally show of a command's output, as plain text for a model: escape sequences removed,
 * overwritten lines (progress bars) in their last state.
 */
import * as AnsiEscape from "../message/AnsiEscape.ts"

/** The line being drawn, and whether the cursor went back to its start. */
export interface State {
  readonly escape: AnsiEscape.State
  readonly line: string
  readonly isAtLineStart: boolean
}

export const initial: State = { escape: AnsiEscape.initial, line: "", isAtLineStart: false }

/** A line longer than this is settled as it is, so that output without line ends uses bounded memory. */
const maxLineLength = 16_384

/** Adds raw output; returns the text that will not change any more. Linear in the length of the output. */
export const push = (state: State, text: string): readonly [State, string] => {
  const [escape, tokens] = AnsiEscape.push(state.escape, text)
  let { isAtLineStart, line } = state
  let finalText = ""
  for (const token of tokens) {
    if (token._tag === "Sequence") {
      if (erasesLine(token.sequence, isAtLineStart)) line = ""
      continue
    }
    for (const piece of token.text.split(carriageReturn)) {
      if (piece === "\r") {
        isAtLineStart = true
        continue
      }
      if (piece === "") continue
      if (isAtLineStart && piece[0] !== "\n") line = ""
      isAtLineStart = false
      const end = piece.lastIndexOf("\n") + 1
      if (end > 0) {
        finalText += clean(line + piece.slice(0, end))
        line = ""
      }
      line += end > 0 ? piece.slice(end) : piece
      if (line.length > maxLineLength) {
        finalText += clean(line)
        line = ""
      }
    }
  }
  return [{ escape, line, isAtLineStart }, finalText]
}

/** The unfinished last line. */
export const end = (state: State): string => clean(state.line)

/** The text of a complete output. */
export const of = (output: string): string => {
  const [state, finalText] = push(initial, output)
  return finalText + end(state)
}

const carriageReturn = /(\r)/

/** Erase in line: all of it, or from a cursor at its start. */
const erasesLine = (sequence: string, isAtLineStart: boolean): boolean =>
  /^(?:\x1b\[|\x9b)2K$/.test(sequence) || (isAtLineStart && /^(?:\x1b\[|\x9b)0?K$/.test(sequence))

const clean = (text: string): string => (text.includes("\b") ? overstruck(text) : text).replace(control, "")

const control = /[\x00-\x08\x0b-\x1f\x7f]/g

/** A backspace removes the character before it, within its line (spinners, bold in manual pages). */
const overstruck = (text: string): string => {
  const characters: Array<string> = []
  for (const char of text) {
    if (char !== "\b") characters.push(char)
    else if (characters.length > 0 && characters.at(-1) !== "\n") characters.pop()
  }
  return characters.join("")
}
