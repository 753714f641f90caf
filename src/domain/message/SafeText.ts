/**
 * Makes foreign text safe for a screen: terminal control is removed, invisible characters are made visible. Text of
 * models, tools, files, servers and branches passes through here before any renderer; the log stores it raw.
 */
import type * as Brand from "effect/Brand"
import * as AnsiEscape from "./AnsiEscape.ts"

/** Contains no escape, no control character except newline and tab, and nothing invisible or bidirectional. */
export type Printable = string & Brand.Brand<"Printable">

/** A complete text. Linear in its length. */
export const of = (text: string): Printable => {
  const [state, safeText] = push(initial, text)
  return safeText + makeSafe(state.pending) as Printable
}

/** What waits for its continuation: the start of an escape sequence, or of a character or line end. */
export interface State {
  readonly escape: AnsiEscape.State
  readonly pending: string
}

export const initial: State = { escape: AnsiEscape.initial, pending: "" }

/** Text as it arrives, split anywhere. */
export const push = (state: State, text: string): readonly [State, Printable] => {
  const [escape, tokens] = AnsiEscape.push(state.escape, text)
  const plain = state.pending + tokens.map((token) => token._tag === "Text" ? token.text : "").join("")
  const pending = /[\r\ud800-\udbff]$/.test(plain) ? plain.slice(-1) : ""
  return [{ escape, pending }, makeSafe(pending === "" ? plain : plain.slice(0, -1)) as Printable]
}

/** JSON in which every character that `of` would change is escaped: the same value, safe for a screen. */
export const escapeJson = (text: string): string =>
  suspiciousPattern.test(text) ? text.replace(hiddenPattern, escapeCharacters).replace(stackedMarks, (_, first: string, rest: string) =>
    first + escapeCharacters(rest)) : text

const escapeCharacters = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/** Words that may be spoofed, to be marked where a person decides: letters of several scripts in one word, or full-width letters. */
export const mixedScriptWords = (text: string): ReadonlyArray<string> =>
  (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) =>
    scripts.filter((script) => script.test(word)).length > 1 || /[\uff01-\uff5e]/.test(word)
  )

/** Scripts whose letters resemble each other. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Armenian}/u, /\p{Script=Cherokee}/u]

const makeSafe = (text: string): string =>
  suspiciousPattern.test(text)
    ? text
      .replace(/\p{Cs}/gu, "\ufffd") // Done before anything between two halves is removed and they become one
      .replace(/\r\n/g, "\n")
      .replace(silentPattern, "")
      .replace(control, (char) => String.fromCharCode(0x2400 + char.charCodeAt(0)))
      .replace(invisible, (char) => `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`)
      .replace(stackedMarks, "$1")
    : text

/** Whether a text contains anything to change: most do not, and only pay for this check. */
const suspiciousPattern =
  /[^\t\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u0530\u3001-\u3029\u3041-\u3096\u30a1-\u3100\u4e00-\u9fff\uac00-\ud7a3]/

/**
 * Bell, shifts and delete are invisible, and so are the joiners of emoji: they are removed; other control characters
 * become their control pictures.
 */
const silentPattern = /[\x07\x0e\x0f\x7f\x80-\x9f\u200d]/g
const control = /[\x00-\x08\x0b-\x1f]/g

/** Format characters, line separators, and everything that Unicode marks as ignorable, except the emoji presentation selectors. */
const invisible = /(?![\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/gu

/** What JSON leaves as it is, and `of` does not. */
const hiddenPattern = new RegExp(`[\\x7f-\\x9f\\u200d]|${invisible.source}`, "gu")

/** More than eight marks on one letter would spill over its neighbours. */
const stackedMarks = /(\p{M}{8})(\p{M}+)/gu
