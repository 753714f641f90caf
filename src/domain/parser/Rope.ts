/**
 * A text that grows by small pieces and may be read after each. Engines append in no time, but keep each piece until
 * someone reads the whole; so pieces are joined in blocks, and what a long text keeps alive is little more than itself.
 */
export interface Rope {
  /** The joined blocks. */
  blocks: string
  /** What came since, as one string and as pieces. */
  recent: string
  readonly pieces: Array<string>
}

const BLOCK = 4096

export const empty = (): Rope => ({ blocks: "", recent: "", pieces: [] })

export const clear = (rope: Rope): void => {
  rope.blocks = ""
  rope.recent = ""
  rope.pieces.length = 0
}

/** O(length of the piece), in the long run. */
export const append = (rope: Rope, piece: string): void => {
  rope.recent += piece
  rope.pieces.push(piece)
  if (rope.recent.length < BLOCK) return
  rope.blocks += rope.pieces.join("")
  rope.recent = ""
  rope.pieces.length = 0
}

/** The text so far. O(1). */
export const text = (rope: Rope): string => rope.blocks + rope.recent
