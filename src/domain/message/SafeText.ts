/**
 * Foreign text made fit for a screen: what a terminal would obey is gone, what an eye would not see is shown.
 * Text of models, tools, files, servers and branches passes through here before any renderer takes it; the log
 * keeps it raw.
 */
import type * as Brand from "effect/Brand"
import * as Escape from "./AnsiEscape.ts"

/** Holds no escape, no control character but newline and tab, and nothing that is invisible or turns text around. */
export type Printable = string & Brand.Brand<"Printable">

/** A whole text. Linear in its length. */
export const of = (text: string): Printable => {
  const [state, shown] = push(initial, text)
  return shown + clean(state.held) as Printable
}

/** What waits for the rest of it: the start of an escape sequence, or of a character or line end. */
export interface State {
  readonly escape: Escape.State
  readonly held: string
}

export const initial: State = { escape: Escape.initial, held: "" }

/** Text as it comes, cut anywhere. */
export const push = (state: State, text: string): readonly [State, Printable] => {
  const [escape, tokens] = Escape.push(state.escape, text)
  const plain = state.held + tokens.map((token) => token._tag === "Text" ? token.text : "").join("")
  const held = /[\r\ud800-\udbff]$/.test(plain) ? plain.slice(-1) : ""
  return [{ escape, held }, clean(held === "" ? plain : plain.slice(0, -1)) as Printable]
}

/**
 * Words that may not be what they seem, to be marked where a person decides: letters of several scripts in one
 * word, or full-width letters.
 */
export const lookAlikes = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) =>
    scripts.filter((script) => script.test(word)).length > 1 || /[\uff01-\uff5e]/.test(word)
  )

/** Scripts whose letters are taken for each other. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u]

const clean = (text: string): string =>
  suspicious.test(text)
    ? text
      .replace(/\p{Cs}/gu, "\ufffd") // before anything between two halves is left out, and they become one
      .replace(/\r\n/g, "\n")
      .replace(silent, "")
      .replace(control, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
      .replace(invisible, (char) => `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`)
      .replace(stacked, "$1")
    : text

/** Whether a text holds anything that is changed at all: most do not, and pay for one look. */
const suspicious = /[^\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u0530\u3001-\u3029\u3041-\u3096\u30a1-\u3100\u4e00-\u9fff\uac00-\ud7a3]/

/**
 * Bell, shifts and delete show nothing, and were never meant to, nor does what glues emoji into one picture; other
 * control characters are shown by their pictures.
 */
const silent = /[\x07\x0e\x0f\x7f\x80-\x9f\u200d]/g
const control = /[\x00-\x08\x0b-\x1f]/g

/** Format characters, line separators, and all that Unicode tells renderers to ignore, but for the emoji presentation selectors. */
const invisible = /(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/gu

/** More than eight marks on one letter only spill over its neighbours. */
const stacked = /(\p{M}{8})\p{M}+/gu
