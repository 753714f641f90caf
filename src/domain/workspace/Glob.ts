/** File patterns, rewritten so that compiling and matching them always terminates. */

/**
 * The same pattern without runs of backslashes: an escaped backslash, and one at the end, becomes a class of its own.
 * picomatch 4.0.7 never returns from `*` before a run of three or more at the end of a pattern, and patterns come from
 * commands and models.
 */
export const finite = (pattern: string): string => pattern.replace(/\\(\\|$)/g, "[\\\\]")

/** The maximum number of runs of stars in a pattern: each multiplies the ways to match a name. */
export const maxStars = 8

/** Whether matching could take long: patterns come from commands, models and the files of repositories. */
export const isCostly = (pattern: string): boolean => pattern.length > 4096 || pattern.split(/\*+/).length > maxStars + 1
