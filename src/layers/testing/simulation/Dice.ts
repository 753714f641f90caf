/** Numbers drawn from a seed: the same seed always draws the same numbers. */

export interface Dice {
  /** A number in [0, 1). */
  readonly roll: () => number
  /** A whole number below `n`. */
  readonly below: (n: number) => number
  readonly pick: <A>(options: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
}

/** FNV-1a over UTF-16 units. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash
}

/** Mulberry32: 32 bits of state, because a schedule draws a number in each of its steps. */
export const make = (seed: string): Dice => {
  let state = hashOf(seed)
  const roll = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const below = (n: number): number => Math.floor(roll() * n)
  return { roll, below, pick: (options) => options[below(options.length)]!, chance: (probability) => roll() < probability }
}
