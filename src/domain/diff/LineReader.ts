/** Text that arrives in pieces, as lines: each is handed on once it is whole, and the pieces are looked at once. */

export interface Line {
  /** Without its terminator. */
  readonly text: string
  /** 1-based. */
  readonly number: number
  readonly crlf: boolean
  /** False for a last line that the input does not end. */
  readonly ended: boolean
}

export interface LineFeed {
  pending: string
  count: number
}

export const initial = (): LineFeed => ({ pending: "", count: 0 })

/** Hands on the lines that this piece completes. O(piece). */
export const push = (feed: LineFeed, piece: string, line: (line: Line) => void): void => {
  let from = 0
  for (let newline = piece.indexOf("\n"); newline >= 0; newline = piece.indexOf("\n", from)) {
    const text = feed.pending + piece.slice(from, newline)
    feed.pending = ""
    from = newline + 1
    line(strip(text, ++feed.count, true))
  }
  feed.pending += piece.slice(from)
}

/** Hands on the last line, if the input did not end it. */
export const end = (feed: LineFeed, line: (line: Line) => void): void => {
  if (feed.pending === "") return
  const text = feed.pending
  feed.pending = ""
  line(strip(text, ++feed.count, false))
}

/** A byte order mark before the first line is the input's own, never its writer's. */
const strip = (written: string, number: number, ended: boolean): Line => {
  const text = number === 1 && written.startsWith("\ufeff") ? written.slice(1) : written
  return text.endsWith("\r") ? { text: text.slice(0, -1), number, crlf: true, ended } : { text, number, crlf: false, ended }
}
