/** Random numbers that are the same in every run of a session: derived from a seed and a key. */

/** A number in [0, 1); FNV-1a over the text, then the finaliser of MurmurHash3. */
export const randomAt = (seed: string, index: number): number => {
  let h = 0x811c9dc5
  for (const char of `${seed}/${index}`) h = Math.imul(h ^ char.charCodeAt(0), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000
}
