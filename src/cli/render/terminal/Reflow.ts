/** What a terminal makes of rows that were drawn when it was wider. Pure. */
import { width } from "../text/BlockLines.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Whether a terminal breaks its rows anew when it is made narrower, as most do; those that are named here cut them off. */
export const reflows = ({ TERM = "", TMUX, XTERM_VERSION }: Variables): boolean =>
  TMUX !== undefined || (XTERM_VERSION === undefined && !/^(linux|rxvt|screen|vt\d)/.test(TERM))

/** How many more rows these take on a terminal of so many columns. */
const further = (rows: ReadonlyArray<string>, columns: number): number =>
  rows.reduce((sum, row) => sum + Math.max(0, Math.ceil(width(row) / Math.max(1, columns)) - 1), 0)

/**
 * The escapes that take those further rows away, from the row below the last on: who erases as many rows as it drew is
 * then at the first of them.
 */
export const erase = (rows: ReadonlyArray<string>, columns: number): string => "\u001b[2K\u001b[1A".repeat(further(rows, columns))
