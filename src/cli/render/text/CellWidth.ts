/** Widths of texts in cells of a terminal. */
import type { SafeText } from "../view/DisplayText.ts"
import { graphemes } from "./Graphemes.ts"

/** The first line of a text, truncated to so many cells. */
export const cut = (text: SafeText, cells: number): SafeText => {
  const line = text.split("\n", 1)[0]!
  if (width(line) <= cells) return line as SafeText
  let fitting = ""
  for (const { segment } of graphemes(line)) {
    if (width(fitting + segment) >= cells) break
    fitting += segment
  }
  return `${fitting}…` as SafeText
}

/** The width of a line in cells: wide characters and emoji take two, combining marks and colours none. */
export const width = (line: string): number => {
  const unstyled = line.replace(/\u001b\[[0-9;]*m/g, "")
  if (/^[\x20-\x7e]*$/.test(unstyled)) return unstyled.length
  let cells = 0
  for (const char of unstyled) cells += narrow.test(char) ? 0 : wide.test(char) ? 2 : 1
  return cells
}

const narrow = /[\p{M}\u200b-\u200f\ufe0e\ufe0f]/u
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
