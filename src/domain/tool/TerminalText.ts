/**
 * What a terminal would still show of a command's output, as plain text for a model: escape sequences gone,
 * a line that was drawn over (progress bars) in its last state.
 */
import * as Escape from "../message/AnsiEscape.ts"

/** The line being drawn, and whether the cursor went back to its start. */
export interface State {
  readonly escape: Escape.State
  readonly line: string
  readonly back: boolean
}

export const initial: State = { escape: Escape.initial, line: "", back: false }

/** A line that grows past this is settled where it stands, so that output without line ends costs bounded memory. */
const longest = 16_384

/** Adds output as it came; gives the text that will not change any more. Linear in the length of the output. */
export const push = (state: State, text: string): readonly [State, string] => {
  const [escape, tokens] = Escape.push(state.escape, text)
  let { back, line } = state
  let settled = ""
  for (const token of tokens) {
    if (token._tag === "Sequence") {
      if (erasesLine(token.sequence, back)) line = ""
      continue
    }
    for (const piece of token.text.split(carriageReturn)) {
      if (piece === "\r") {
        back = true
        continue
      }
      if (piece === "") continue
      if (back && piece[0] !== "\n") line = ""
      back = false
      const end = piece.lastIndexOf("\n") + 1
      if (end > 0) {
        settled += clean(line + piece.slice(0, end))
        line = ""
      }
      line += end > 0 ? piece.slice(end) : piece
      if (line.length > longest) {
        settled += clean(line)
        line = ""
      }
    }
  }
  return [{ escape, line, back }, settled]
}

/** The line that had no end. */
export const end = (state: State): string => clean(state.line)

/** The text of a whole output. */
export const of = (output: string): string => {
  const [state, settled] = push(initial, output)
  return settled + end(state)
}

const carriageReturn = /(\r)/

/** Erase in line: the whole of it, or from a cursor that stands at its start. */
const erasesLine = (sequence: string, back: boolean): boolean =>
  /^(?:\x1b\[|\x9b)2K$/.test(sequence) || (back && /^(?:\x1b\[|\x9b)0?K$/.test(sequence))

const clean = (text: string): string =>
  (text.includes("\b") ? overstruck(text) : text).replace(control, "")

const control = /[\x00-\x08\x0b-\x1f\x7f]/g

/** A backspace takes back the character before it, within its line (spinners, bold in manual pages). */
const overstruck = (text: string): string => {
  const kept: Array<string> = []
  for (const char of text) {
    if (char !== "\b") kept.push(char)
    else if (kept.length > 0 && kept.at(-1) !== "\n") kept.pop()
  }
  return kept.join("")
}
