/** Why a call was denied without the user, and what would allow it. */
import * as Denial from "../../domain/approval/Denial.ts"
import { optional } from "../../domain/Optional.ts"
import type { ToolEntry } from "./Timeline.ts"

/** `offer` is a rule that would allow it. */
export interface Denied {
  readonly reason: string
  readonly remedy: string
  readonly offer?: string
}

/** Undefined for a call that was not denied, or that the user denied. */
export const of = ({ decision, offer, outcome, reason, rule, verdict }: ToolEntry): Denied | undefined => {
  if (verdict === "deny") {
    const remedy = Denial.remedy({ decision: verdict, reason, offer, ...optional({ rule }) })
    return { reason, remedy: remedy ?? "To allow it, choose another permission mode." }
  }
  if (outcome?.status !== "denied" || decision?.by !== "nobody") return undefined
  const [first] = offer
  return first === undefined ? { reason, remedy: "Only a person can approve this; no rule is narrow enough." }
    : { reason, remedy: "Nobody was there to approve it. A rule would allow it.", offer: first }
}
