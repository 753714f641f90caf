/** The colours of a program's output (SGR, ECMA-48 §8.3.117) as class names; other sequences are dropped. */
import * as AnsiEscape from "../../domain/message/AnsiEscape.ts"
import * as SafeText from "../../domain/message/SafeText.ts"

export interface Span {
  /** Class names, separated by spaces; empty for plain text. */
  readonly style: string
  readonly text: string
}

interface Style {
  readonly color: string
  readonly background: string
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isUnderlined: boolean
}

const plain: Style = { color: "", background: "", isBold: false, isDim: false, isUnderlined: false }

export const parse = (text: string): ReadonlyArray<Span> => {
  const [rest, tokens] = AnsiEscape.push(AnsiEscape.initial, overwrite(text))
  const spans: Array<Span> = []
  let style = plain
  for (const token of rest === "" ? tokens : [...tokens, { _tag: "Text" as const, text: rest }]) {
    if (token._tag === "Sequence") style = apply(style, token.sequence)
    else {
      const safe = SafeText.of(token.text)
      const name = className(style)
      const last = spans.at(-1)
      if (last?.style === name) spans[spans.length - 1] = { style: name, text: last.text + safe }
      else if (safe !== "") spans.push({ style: name, text: safe })
    }
  }
  return spans
}

/** Of a line that a carriage return writes again, as progress bars do, the last version. */
const overwrite = (text: string): string => text.includes("\r") ? text.replace(/\r+\n/g, "\n").replace(/^[^\n]*\r(?=[^\n])/gm, "") : text

const apply = (style: Style, sequence: string): Style => {
  const match = /^(?:\x1b\[|\x9b)([\d;]*)m$/.exec(sequence)
  if (match === null) return style
  const codes = match[1]!.split(";").map(Number)
  let next = style
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!
    if (code === 38 || code === 48) {
      const isIndexed = codes[i + 1] === 5
      const index = codes[i + 2] ?? 0
      const name = isIndexed && index < 16 ? `ansi-${index}` : ""
      next = code === 38 ? { ...next, color: name } : { ...next, background: name === "" ? "" : `${name}-back` }
      i += isIndexed ? 2 : 4
    } else next = { ...next, ...one(code) }
  }
  return next
}

const one = (code: number): Partial<Style> =>
  code === 0 ? plain
    : code === 1 ? { isBold: true }
    : code === 2 ? { isDim: true }
    : code === 4 ? { isUnderlined: true }
    : code === 22 ? { isBold: false, isDim: false }
    : code === 24 ? { isUnderlined: false }
    : code >= 30 && code <= 37 ? { color: `ansi-${code - 30}` }
    : code === 39 ? { color: "" }
    : code >= 40 && code <= 47 ? { background: `ansi-${code - 40}-back` }
    : code === 49 ? { background: "" }
    : code >= 90 && code <= 97 ? { color: `ansi-${code - 82}` }
    : code >= 100 && code <= 107 ? { background: `ansi-${code - 92}-back` }
    : {}

const className = ({ background, color, isBold, isDim, isUnderlined }: Style): string =>
  [color, background, isBold ? "bold" : "", isDim ? "dim" : "", isUnderlined ? "underlined" : ""].filter((name) => name !== "").join(" ")
