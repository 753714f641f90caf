/** Which lines of some texts match an expression; run in a process that can be killed, and for simple expressions by ourselves. */

/** By their index, for each text. */
export type LineIndexes = ReadonlyArray<ReadonlyArray<number>>

/** A text as lines, without line ends. */
export const lines = (text: string): ReadonlyArray<string> => text.replace(/\r?\n$/, "").split(/\r?\n/)

export const of = (pattern: RegExp): (texts: ReadonlyArray<string>) => LineIndexes => {
  const quickTest = multilinePattern(pattern)
  return (texts) =>
    texts.map((text) => quickTest?.test(text) === false ? [] : lines(text).flatMap((line, i) => pattern.test(line) ? [i] : []))
}

/**
 * Tests whether any line of a text matches, without splitting it; undefined for an expression where that can't be
 * decided. One that could run over the end of a line would take longer on a text than on its lines, and a negative
 * lookahead could match on another line.
 */
const multilinePattern = ({ flags, source }: RegExp): RegExp | undefined =>
  flags.includes("s") || /\(\?(?:<?!|[a-z]*-|[a-z]*s)|\[\^|\\[sSWDPnrxucpkvf0]/.test(source) ? undefined
    : new RegExp(source, flags.includes("m") ? flags : `${flags}m`)
