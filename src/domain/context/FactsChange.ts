/** Facts are logged as far as they differ: what is the same is not written again with every change of a branch. */
import * as Equal from "effect/Equal"
import type { Facts, FactsChange } from "../session/SessionEvent.ts"

/** What of `facts` the session does not know yet; undefined where it knows all. */
export const since = (known: Facts | undefined, facts: Facts): FactsChange | undefined => {
  if (known === undefined) return facts
  const changed = Object.entries(facts).filter(([name, value]) => !Equal.equals(value, known[name as keyof Facts]))
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

export const merge = (known: Facts | undefined, change: FactsChange | undefined): Facts | undefined =>
  change === undefined ? known : { ...nothing, ...known, ...change }

/** Before anything was gathered. */
export const nothing: Facts = { platform: "", shell: "", date: "", git: null, rules: [] }
