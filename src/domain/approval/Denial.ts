/** How a person can allow what was denied without a question. */
import * as AfterHook from "../hook/AfterHook.ts"

/** The proposal of a call: its decision, the reason, the rule that decided, and the allow rules that would cover it. */
export interface Proposal {
  readonly decision: "allow" | "ask" | "deny"
  readonly reason: string
  readonly rule?: string
  readonly offer: ReadonlyArray<string>
}

/**
 * One sentence for a denied proposal; undefined for any other. A deny rule names `place`, where it is defined. The reasons of the
 * modes are those of Decision.
 */
export const remedy = ({ decision, offer, reason, rule }: Proposal, place = "the permission rules"): string | undefined => {
  if (decision !== "deny") return undefined
  if (AfterHook.isVerdictReason(reason)) return "To allow it, change that hook."
  if (/\bplan mode\b/.test(reason)) return "To allow it, leave plan mode."
  if (/\bdontAsk mode\b/.test(reason)) {
    return `To allow it, add ${
      offer.length === 0 ? "a rule" : `the rule ${offer.join(", ")}`
    } that allows it, or choose another permission mode.`
  }
  if (rule === undefined) return undefined
  return `To allow it, remove ${reason.includes(rule) ? "that rule" : `the rule ${rule}`} from ${place}; no allow rule overrides it.`
}
