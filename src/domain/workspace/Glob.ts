/** File patterns, written so that the library which compiles them always comes to an end. */

/**
 * The same pattern without runs of backslashes: an escaped backslash, and one that stands at the end, is a class of its
 * own. picomatch 4.0.7 never returns from `*` before a run of three or more at the end of a pattern, and patterns come
 * from commands and models.
 */
export const finite = (pattern: string): string => pattern.replace(/\\(\\|$)/g, "[\\\\]")
