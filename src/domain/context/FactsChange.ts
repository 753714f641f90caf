/** Only facts that changed are logged: what stays the same is not written again whenever the branch changes. */
import * as Equal from "effect/Equal"
import type { Facts, FactsChange } from "../session/SessionEvent.ts"

/** The part of `facts` that the session does not know yet; undefined if it knows all of them. */
export const factsSince = (knownFacts: Facts | undefined, facts: Facts): FactsChange | undefined => {
  if (knownFacts === undefined) return facts
  const changed = Object.entries(facts).filter(([name, value]) => !Equal.equals(value, knownFacts[name as keyof Facts]))
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

export const merge = (knownFacts: Facts | undefined, change: FactsChange | undefined): Facts | undefined =>
  change === undefined ? knownFacts : { ...noFacts, ...knownFacts, ...change }

/** Before any facts were gathered. */
export const noFacts: Facts = { platform: "", shell: "", date: "", git: null, rules: [] }
