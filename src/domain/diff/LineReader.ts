/** Splits text that arrives in pieces into lines: each is passed on once it is complete, and each piece is read once. */

export interface Line {
  /** Without its terminator. */
  readonly text: string
  /** 1-based. */
  readonly number: number
  readonly crlf: boolean
  /** False for a last line that the input does not terminate. */
  readonly isTerminated: boolean
}

export interface LineFeed {
  pending: string
  count: number
}

export const initial = (): LineFeed => ({ pending: "", count: 0 })

/** Passes on the lines that this piece completes. O(piece). */
export const push = (feed: LineFeed, piece: string, onLine: (line: Line) => void): void => {
  let from = 0
  for (let newline = piece.indexOf("\n"); newline >= 0; newline = piece.indexOf("\n", from)) {
    const text = feed.pending + piece.slice(from, newline)
    feed.pending = ""
    from = newline + 1
    onLine(strip(text, ++feed.count, true))
  }
  feed.pending += piece.slice(from)
}

/** Passes on the last line, if the input did not terminate it. */
export const end = (feed: LineFeed, onLine: (line: Line) => void): void => {
  if (feed.pending === "") return
  const text = feed.pending
  feed.pending = ""
  onLine(strip(text, ++feed.count, false))
}

/** A byte order mark before the first line is not part of the text. */
const strip = (line: string, number: number, isTerminated: boolean): Line => {
  const text = number === 1 && line.startsWith("\ufeff") ? line.slice(1) : line
  return text.endsWith("\r") ? { text: text.slice(0, -1), number, crlf: true, isTerminated } : { text, number, crlf: false, isTerminated }
}
