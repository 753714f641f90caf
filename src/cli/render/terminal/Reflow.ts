/** How a terminal that became narrower shows the rows drawn before. Pure. */
import { width } from "../text/BlockLines.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Whether a terminal reflows rows when it becomes narrower, as most do; the ones named here truncate them. */
export const reflows = ({ TERM = "", TMUX, XTERM_VERSION }: Variables): boolean =>
  TMUX !== undefined || (XTERM_VERSION === undefined && !/^(linux|rxvt|screen|vt\d)/.test(TERM))

/** How many additional rows these take after the reflow. */
const extraRows = (rows: ReadonlyArray<string>, columns: number): number =>
  rows.reduce((sum, row) => sum + Math.max(0, Math.ceil(width(row) / Math.max(1, columns)) - 1), 0)

/**
 * The escapes that erase the additional rows, starting below the last row, so that erasing as many rows as were drawn ends at
 * the first.
 */
export const erase = (rows: ReadonlyArray<string>, columns: number): string => "\u001b[2K\u001b[1A".repeat(extraRows(rows, columns))
