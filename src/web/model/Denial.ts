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
export const of = ({ access, decision, offer, outcome, reason, rule, verdict }: ToolEntry): Denied | undefined => {
  if (verdict === "deny") {
    return { reason, remedy: Denial.remedy({ decision: verdict, reason, offer, ...optional({ rule }) }) ?? "" }
  }
  if (outcome?.status !== "denied" || decision?.by !== "nobody") return undefined
  const outside = Denial.outsideRemedy(access, reason)
  if (outside !== undefined) return { reason, remedy: outside }
  const [first] = Denial.isUserRule({ reason, ...optional({ rule }) }) ? [] : offer
  return first === undefined ? { reason, remedy: Denial.unofferedRemedy({ reason, ...optional({ rule }) }) }
    : { reason, remedy: "Nobody was there to approve it. A rule would allow it.", offer: first }
}
