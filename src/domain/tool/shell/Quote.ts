/** Quotes text for a POSIX shell. */

/** In quotes, whatever the text is. */
export const always = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** As one word, in quotes only where it needs them. */
export const ifNeeded = (text: string): string => /^[\w@%+=:,./-]+$/.test(text) ? text : always(text)
