/**
 * A text that grows by small pieces and may be read after each. Engines append instantly, but keep each piece until
 * someone reads from the middle; so it is flattened in blocks, and a long text keeps little more than itself in memory.
 */
export interface TextBuffer {
  /** The flattened part, block by block. */
  blocks: string
  /** What was appended since. */
  recent: string
  /** A unit read to make the engine flatten the text; stored, or the read would be optimized away. */
  unit: number
}

const BLOCK = 4096

export const empty = (): TextBuffer => ({ blocks: "", recent: "", unit: 0 })

export const clear = (buffer: TextBuffer): void => {
  buffer.blocks = ""
  buffer.recent = ""
}

/** O(length of the piece), amortized. */
export const append = (buffer: TextBuffer, piece: string): void => {
  buffer.recent += piece
  if (buffer.recent.length < BLOCK) return
  buffer.unit = buffer.recent.charCodeAt(0)
  buffer.blocks += buffer.recent
  buffer.recent = ""
}

/** The text so far. O(1). */
export const text = (buffer: TextBuffer): string => buffer.blocks + buffer.recent
