/**
 * Which faults happen. Every opportunity has a name, its kind and its number among those of that kind (`append refused 17`), and
 * draws from numbers of its own: a fault that is left out changes no other draw.
 */
import * as Dice from "./Dice.ts"

/** What can go wrong, and how often an opportunity for it becomes a fault. */
export const probabilities = {
  "append acknowledgement lost": 0.006,
  "append refused": 0.012,
  "append slow": 0.05,
  "checkpoint failed": 0.04,
  "command died": 0.1,
  "command failed": 0.15,
  "command hung": 0.06,
  "command not started": 0.03,
  "crash after append": 0.012,
  "crash before append": 0.012,
  "connection lost": 0.004,
  "crash between steps": 0.0008,
  "database connection lost": 0.002,
  "disk full": 0.04,
  "draft refused": 0.05,
  "file changed": 0.05,
  "file vanished": 0.03,
  "gateway killed": 0.06,
  "gateway killed at append": 0.01,
  "hook denied": 0.1,
  "hook failed": 0.08,
  "hook hung": 0.04,
  "model call malformed": 0.05,
  "model failed": 0.12,
  "model response cut": 0.08,
  "model response empty": 0.02,
  "model slow": 0.1,
  "network slow": 0.01,
  "process stopped": 0.002,
  "read refused": 0.04,
  "runner cut off": 0.12,
  "runner joins": 0.05,
  "runner killed": 0.06,
  "runner leaves": 0.06,
  "runner paused": 0.06,
  "runner paused at append": 0.01
} as const satisfies Readonly<Record<string, number>>

export type Kind = keyof typeof probabilities

export interface FaultPlan {
  /** Whether a fault of this kind happens here; if so, the numbers that decide its details. */
  readonly strike: (kind: Kind) => Dice.Dice | undefined
  /** The faults that happened, by name, in their order. */
  readonly faults: ReadonlyArray<string>
  /** From now on nothing fails. */
  readonly end: () => void
}

export interface Options {
  /** No other faults than these, by name; absent: those that the seed draws. */
  readonly only?: ReadonlySet<string> | undefined
  /** No faults of other kinds than these. */
  readonly kinds?: ReadonlyArray<Kind> | undefined
}

/** How much more, or less, often than usual a kind of fault happens in one seed. */
const weights = [0, 0, 0.5, 1, 1, 2, 4]

export const make = (seed: number, { kinds, only }: Options = {}): FaultPlan => {
  const faults: Array<string> = []
  const sources = new Map<Kind, { readonly dice: Dice.Dice; readonly probability: number; count: number }>()
  const sourceOf = (kind: Kind) => {
    const existing = sources.get(kind)
    if (existing !== undefined) return existing
    const dice = Dice.make(`${seed} ${kind}`)
    const isExcluded = kinds !== undefined && !kinds.includes(kind)
    const source = { dice, probability: isExcluded ? 0 : probabilities[kind] * dice.pick(weights), count: 0 }
    sources.set(kind, source)
    return source
  }
  let isEnded = false
  return {
    faults,
    end: () => void (isEnded = true),
    strike: (kind) => {
      if (isEnded) return undefined
      const source = sourceOf(kind)
      source.count++
      if (!source.dice.chance(source.probability)) return undefined
      const name = `${kind} ${source.count}`
      if (only?.has(name) === false) return undefined
      faults.push(name)
      return Dice.make(`${seed} ${name}`)
    }
  }
}
