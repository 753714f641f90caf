/** Chance that is the same in every run of a session: from a seed and a place. */

/** A number in [0, 1); FNV-1a over the text, then the finaliser of MurmurHash3. */
export const at = (seed: string, place: number): number => {
  let h = 0x811c9dc5
  for (const char of `${seed}/${place}`) h = Math.imul(h ^ char.charCodeAt(0), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000
}
