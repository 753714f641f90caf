/** What a document comes to as a text. */

/** Characters of one text, and pages of a PDF: what comes after is left out. */
export const most = { characters: 10_000_000, pages: 2000 }

/** `what`: in words, such as "a PDF document of 3 pages". `cut`: there is more than a text may have. */
export interface Told {
  readonly text: string
  readonly what: string
  readonly cut: boolean
}

/** A text within its limit. */
export const within = (text: string, what: string): Told => ({ text: text.slice(0, most.characters), what, cut: text.length > most.characters })
