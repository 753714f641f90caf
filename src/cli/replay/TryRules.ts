/** Tries permission rules on recorded sessions: what they would have denied, asked about and allowed. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import * as RuleTrial from "../../domain/approval/RuleTrial.ts"
import type { TrialFinding, TrialReport } from "../../domain/control/PageData.ts"
import type { SessionSettings } from "../../domain/session/SessionEvent.ts"
import { builtin } from "../../layers/tool/builtin.ts"
import { Approval } from "../../services/Approval.ts"
import { EventLog } from "../../services/EventLog.ts"
import type { Any } from "../../services/Tool.ts"
import * as View from "../render/view/View.ts"

/** Names of tools whose only effects are their accesses. */
const quietTools: ReadonlySet<string> = new Set(
  (builtin as ReadonlyArray<Any>).flatMap(({ aliases = [], name, hasNoOtherEffects }) =>
    hasNoOtherEffects === true ? [name, ...aliases] : []
  )
)

/** The decisions, the strictest first. */
export const order: ReadonlyArray<RuleTrial.Decision> = ["deny", "ask", "allow"]

/** What the rules decide for every call of these sessions; equal actions are counted together. */
export const run = Effect.fnUntraced(function*(rules: SessionSettings["rules"], sessions: ReadonlyArray<string>) {
  const approval = yield* Approval
  const log = yield* EventLog
  const findings = new Map<string, TrialFinding>()
  let calls = 0
  for (const id of sessions) {
    for (const { access, session, tool, originalDecision } of RuleTrial.ruleTrials(yield* log.read(id), rules)) {
      const { decision, reason, rule } = approval.judge({
        name: tool,
        kind: "command",
        tags: [],
        access,
        requestsApproval: false,
        hasNoOtherEffects: quietTools.has(tool)
      }, session)
      const action = access.map(View.describeAccess).join(", ") || tool
      const key = JSON.stringify([action, decision, originalDecision])
      const times = (findings.get(key)?.times ?? 0) + 1
      calls++
      findings.set(key, { ...findings.get(key) ?? { action, decision, was: originalDecision, reason, ...optional({ rule }) }, times })
    }
  }
  const all = [...findings.values()].sort((a, b) => order.indexOf(a.decision) - order.indexOf(b.decision) || b.times - a.times)
  const count = (by: "decision" | "was") =>
    Object.fromEntries(order.map((decision) => [decision, all.reduce((sum, one) => one[by] === decision ? sum + one.times : sum, 0)]))
  return {
    sessions: sessions.length,
    calls,
    now: count("decision") as TrialReport["now"],
    before: count("was") as TrialReport["before"],
    findings: all
  } satisfies TrialReport
})
