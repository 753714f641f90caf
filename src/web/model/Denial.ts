/** Why a call was denied without the user, and what would allow it. */
import * as AfterHook from "../../domain/hook/AfterHook.ts"
import type { ToolEntry } from "./Timeline.ts"

/** `offer` is a rule that would allow it. */
export interface Denial {
  readonly reason: string
  readonly remedy: string
  readonly offer?: string
}

/** Undefined for a call that was not denied, or that the user denied. */
export const of = ({ decision, offer, outcome, reason, rule, verdict }: ToolEntry): Denial | undefined => {
  if (verdict === "deny") {
    if (AfterHook.isVerdictReason(reason)) return { reason, remedy: "A hook decides this; hooks are configured in the settings file." }
    return reason.includes("dontAsk mode") ? { reason, remedy: "A rule that allows it, or another permission mode, would run it." }
      : rule !== undefined ? { reason, remedy: "No allow rule overrides it: remove that rule to allow it." }
      : { reason, remedy: "Another permission mode would run it, or ask." }
  }
  if (outcome?.status !== "denied" || decision?.by !== "nobody") return undefined
  const [first] = offer
  return first === undefined ? { reason, remedy: "Only a person can approve this; no rule is narrow enough." }
    : { reason, remedy: "Nobody was there to approve it. A rule would allow it.", offer: first }
}
