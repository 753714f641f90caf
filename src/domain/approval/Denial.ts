/** How a person can allow what was denied without a question. */
import * as AfterHook from "../hook/AfterHook.ts"
import type { Access } from "../tool/Access.ts"

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
  const ofUser = userRule({ reason, rule })
  if (/\bdontAsk mode\b/.test(reason)) {
    return `To allow it, ${
      ofUser === undefined ? `add ${offer.length === 0 ? "a rule" : `the rule ${offer.join(", ")}`} that allows it` : `remove ${ofUser}`
    }, or choose another permission mode.`
  }
  if (ofUser !== undefined) return removal(ofUser, place)
  return /\bneeds a rule that names\b/.test(reason) ? "To allow it, add that rule." : "No rule or permission mode allows it."
}

/** One sentence for a call that needed approval when no one was there, and for which no rule is offered. */
export const unofferedRemedy = (proposal: Pick<Proposal, "reason" | "rule">): string => {
  const ofUser = userRule(proposal)
  return ofUser === undefined ? "Only a person can approve this; no rule is narrow enough." : removal(ofUser, "the permission rules")
}

/** The same for a file outside the folders of the session, which file tools read and change nowhere else; undefined for any other call. */
export const outsideRemedy = (access: ReadonlyArray<Access>, reason: string): string | undefined =>
  access.some(({ _tag }) => _tag === "Read" || _tag === "Edit") && / is outside the workspace(?:;|$)/.test(reason)
    ? "To allow it, add its folder with --add-dir." : undefined

/** Whether a rule of the user decided, which no allow rule overrides. */
export const isUserRule = (proposal: Pick<Proposal, "reason" | "rule">): boolean => userRule(proposal) !== undefined

/** How a sentence names the user's rule that decided; the rules of protected paths are dacapo's own. */
const userRule = ({ reason, rule }: { readonly reason: string; readonly rule?: string | undefined }): string | undefined =>
  rule === undefined || / is protected: /.test(reason) ? undefined : reason.includes(rule) ? "that rule" : `the rule ${rule}`

const removal = (rule: string, place: string): string => `To allow it, remove ${rule} from ${place}; no allow rule overrides it.`
