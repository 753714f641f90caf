/** Characters as a reader counts them: a flag or an accented letter is one. */

let segmenter: Intl.Segmenter | undefined

/** The segmenter is made when it is first used: it loads the rules of Unicode, which takes 5 ms. */
export const graphemes = (text: string): Intl.Segments =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" })).segment(text)
