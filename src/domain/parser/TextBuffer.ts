/**
 * A text that grows by small pieces and may be read after each. Engines append in no time, but keep each piece until
 * someone reads into the whole; so it is made one in blocks, and what a long text keeps alive is little more than itself.
 */
export interface Rope {
  /** What is made one, block by block. */
  blocks: string
  /** What came since. */
  recent: string
  /** A unit that was read so that the engine made the text one; kept, or the reading would be left out as idle. */
  unit: number
}

const BLOCK = 4096

export const empty = (): Rope => ({ blocks: "", recent: "", unit: 0 })

export const clear = (rope: Rope): void => {
  rope.blocks = ""
  rope.recent = ""
}

/** O(length of the piece), in the long run. */
export const append = (rope: Rope, piece: string): void => {
  rope.recent += piece
  if (rope.recent.length < BLOCK) return
  rope.unit = rope.recent.charCodeAt(0)
  rope.blocks += rope.recent
  rope.recent = ""
}

/** The text so far. O(1). */
export const text = (rope: Rope): string => rope.blocks + rope.recent
