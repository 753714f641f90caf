/** A draft is stored in pieces as they arrive, so that nothing is written twice. */

/** Joins the pieces. */
export const concat = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}
