/** Finds the smallest set of faults with which a seed still breaks a rule: halves of them are left out first, then single ones. */
import type * as FaultPlan from "./FaultPlan.ts"
import type { Outcome } from "./Outcome.ts"

export interface Shrunk {
  readonly outcome: Outcome
  /** How many runs it took. */
  readonly runs: number
}

/** A rule without the names and numbers of one run. */
const ruleOf = ({ violations }: Outcome): string | undefined => violations[0]?.split("\n", 1)[0]?.replaceAll(/\d+/g, "0")

/** `outcome` is that of the seed with all of its faults, by `run`; the result breaks the same rule. */
export const shrink = async <O extends FaultPlan.Options>(
  run: (options: O) => Promise<Outcome>,
  options: O,
  outcome: Outcome
): Promise<Shrunk> => {
  const rule = ruleOf(outcome)
  let smallest = outcome
  let runs = 0
  const attempt = async (faults: ReadonlyArray<string>): Promise<boolean> => {
    runs++
    const next = await run({ ...options, only: new Set(faults) })
    if (ruleOf(next) !== rule) return false
    smallest = next
    return true
  }
  for (let parts = 2; smallest.faults.length > 0;) {
    const { faults } = smallest
    const size = Math.ceil(faults.length / parts)
    let isSmaller = false
    for (let from = 0; from < faults.length && !isSmaller; from += size)
      isSmaller = await attempt([...faults.slice(0, from), ...faults.slice(from + size)])
    if (isSmaller) parts = Math.max(2, parts - 1)
    else if (size === 1) break
    else parts = Math.min(faults.length, parts * 2)
  }
  return { outcome: smallest, runs }
}
