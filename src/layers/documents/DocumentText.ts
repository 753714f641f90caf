/** A document converted to text. */

/** Limits: characters of a text, and pages of a PDF; the rest is left out. */
export const limits = { characters: 10_000_000, pages: 2000 }

/** `description`: in words, such as "a PDF document of 3 pages". `isTruncated`: there is more than the limit. */
export interface DocumentText {
  readonly text: string
  readonly description: string
  readonly isTruncated: boolean
}

/** A text within its limit. */
export const truncate = (text: string, description: string): DocumentText => ({
  text: text.slice(0, limits.characters),
  description,
  isTruncated: text.length > limits.characters
})
