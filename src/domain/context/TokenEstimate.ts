/**
 * Counts the tokens of a text by tokenx's rules (github.com/johannschopplich/tokenx) in one pass: tokenx splits a text
 * into as many strings as it has words, which costs fifty times as much as reading it. Words with non-ASCII letters are
 * left to tokenx, one by one.
 */
import { estimateTokenCount } from "tokenx"

/** Character classes for the count: everything up to `foreign` is part of a word. Everything from 128 on is `foreign`. */
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

/** The estimate. O(text); copies only words in other alphabets. */
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
  /** Whether a punctuation mark stands before white space: a line that ends with one costs nothing extra. */
  let isAfterMark = false
  while (next !== kind.end) {
    const begin = i
    if (next <= kind.foreign) {
      let kindSet = 0
      for (; next <= kind.foreign; next = at(++i)) kindSet |= 1 << next
      count += kindSet & foreign ? estimateTokenCount(text.slice(begin, i)) : wordTokens(i - begin, kindSet)
      isAfterMark = false
    } else if (next === kind.mark) {
      do next = at(++i)
      while (next === kind.mark)
      count += i - begin <= maxShortCharacters ? 1 : Math.ceil((i - begin) / marksPerToken)
      isAfterMark = true
    } else {
      let hasNewline = false
      let isBlankLine = false
      for (; next === kind.space || next === kind.newline; next = at(++i)) {
        isBlankLine ||= hasNewline && text.charCodeAt(i - 1) === 10
        hasNewline ||= next === kind.newline
      }
      count += isBlankLine || (hasNewline && !isAfterMark) ? 1 : 0
      isAfterMark = false
    }
  }
  return count
}

const foreign = 1 << kind.foreign

/**
 * Characters per token: numbers, long words, rows of punctuation; a short segment is one token, and so is a lower-case
 * word of up to eight letters.
 */
const digitsPerToken = 3
const lettersPerToken = 7
const marksPerToken = 6
const maxShortCharacters = 3
const maxWordCharacters = 8

/** A word of ASCII letters, by its length and the kinds of characters it holds. */
const wordTokens = (length: number, kindSet: number): number =>
  kindSet === 1 << kind.digit ? Math.ceil(length / digitsPerToken)
    : length <= maxShortCharacters || (length <= maxWordCharacters && kindSet === 1 << kind.lower) ? 1
    : Math.ceil(length / lettersPerToken)
