/**
 * Tokens of a text by tokenx's rules (github.com/johannschopplich/tokenx), counted in one pass: tokenx splits a text into as many
 * strings as it has words, which costs fifty times what reading it does. What holds other letters than ASCII is left to tokenx,
 * word by word.
 */
import { estimateTokenCount } from "tokenx"

/** What a character is to the count: up to `foreign` it is of a word. Everything from 128 on is `foreign`. */
const kind = { other: 0, lower: 1, digit: 2, foreign: 3, space: 4, newline: 5, mark: 6, end: 7 } as const

const kinds = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  kinds[code] = character === "\n" ? kind.newline
    : /\s/.test(character) ? kind.space
    : /[a-z]/.test(character) ? kind.lower
    : /\d/.test(character) ? kind.digit
    : /[.,!?;(){}[\]<>:/\\|@#$%^&*+=`~_"-]/.test(character) ? kind.mark
    : kind.other
}

/** The estimate. O(text); copies nothing but words of other alphabets. */
export const tokens = (text: string): number => {
  const { length } = text
  const at = (i: number): number => {
    if (i >= length) return kind.end
    const code = text.charCodeAt(i)
    return code < 128 ? kinds[code]! : kind.foreign
  }
  let count = 0
  let i = 0
  let next = at(0)
  /** Whether a mark stands before white space: a line that ends with one costs nothing more. */
  let marked = false
  while (next !== kind.end) {
    const begin = i
    if (next <= kind.foreign) {
      let seen = 0
      for (; next <= kind.foreign; next = at(++i)) seen |= 1 << next
      count += seen & foreign ? estimateTokenCount(text.slice(begin, i)) : word(i - begin, seen)
      marked = false
    } else if (next === kind.mark) {
      do next = at(++i)
      while (next === kind.mark)
      count += i - begin <= short ? 1 : Math.ceil((i - begin) / marks)
      marked = true
    } else {
      let newline = false
      let structured = false
      for (; next === kind.space || next === kind.newline; next = at(++i)) {
        structured ||= newline && text.charCodeAt(i - 1) === 10
        newline ||= next === kind.newline
      }
      count += structured || (newline && !marked) ? 1 : 0
      marked = false
    }
  }
  return count
}

const foreign = 1 << kind.foreign

/** Characters of one token: numbers, long words, rows of marks; a short segment is one, and a word of small letters up to eight. */
const digits = 3
const letters = 7
const marks = 6
const short = 3
const lower = 8

/** A word of ASCII letters by its length and the kinds of characters that it holds. */
const word = (length: number, seen: number): number =>
  seen === 1 << kind.digit ? Math.ceil(length / digits)
  : length <= short || (length <= lower && seen === 1 << kind.lower) ? 1
  : Math.ceil(length / letters)
