/** Rules, risk and mode over everything that a call touches; the strictest verdict counts. */
import * as Layer from "effect/Layer"
import { alwaysRule } from "../../domain/approval/AlwaysRules.ts"
import * as Call from "../../domain/approval/Call.ts"
import * as Decision from "../../domain/approval/Decision.ts"
import * as Risk from "../../domain/approval/Risk.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { Approval, type Verdict } from "../../services/Approval.ts"
import * as SessionRules from "./SessionRules.ts"

const decisions = { Allow: "allow", Ask: "ask", Deny: "deny" } as const

/** What rules may ask about the session that a call is made in. */
const factsOf = ({ facts, settings: { mode, onAsk } }: Session): Call.Facts => {
  const branch = facts?.git?.branch
  return { mode: mode === "plan" ? "plan" : "act", interactive: onAsk === "ask", ...(branch === undefined ? {} : { branch }) }
}

/** The session's own folder, and those that were opened beside it. */
const rootsOf = ({ cwd, settings: { roots = [] } }: Session): ReadonlyArray<string> => [cwd, ...roots]

export const layer = Layer.succeed(Approval, Approval.of({
  explain: (access, session) => {
    const { cwd } = session
    const roots = rootsOf(session)
    const parts = access.flatMap((one) =>
      one._tag !== "Command" ? [] : Rule.evaluate(SessionRules.of(session), Call.fromAccess(one, { cwd, roots, facts: factsOf(session) })).parts ?? [])
    return parts.length < 2 ? [] : parts.map(({ decision, part, reason }) => ({ part: part.source, decision, reason }))
  },
  judge: ({ access, asks, name, quiet = false }, session) => {
    const { cwd, home, settings: { mode } } = session
    const roots = rootsOf(session)
    const rules = SessionRules.of(session)
    const surroundings = { roots, cwd, home, quiet, allowedHost: (url: string) => Rule.namesHost(rules, url) }
    const facts = factsOf(session)
    const one = (access: Access) => {
      const risk = Risk.assess(access, surroundings)
      const call = Call.fromAccess(access, { cwd, roots, by: name, facts: { ...facts, risk: risk.level } })
      return { access, risk, decision: Decision.decide({ access, risk, mode, evaluation: Rule.evaluate(rules, call) }) }
    }
    const offered = (access: ReadonlyArray<Access>) => access.flatMap((one) =>
      alwaysRule(Call.fromAccess(one, { cwd, roots }), { root: cwd, home }, one._tag === "Command" ? one.always : undefined))
    const all = access.map(one)
    const decision = Decision.strictest(all.map(({ decision }) => decision))
    const asked = asks && decision._tag === "Allow"
    return {
      decision: asked ? "ask" : decisions[decision._tag],
      risk: Risk.gravest(all.map(({ risk }) => risk.level)),
      reason: asked ? "the model wants this to be approved" : decision.reasons.join("; "),
      ...(decision.rule === undefined ? {} : { rule: decision.rule }),
      offer: decision._tag === "Ask" ? offered(access) : []
    } satisfies Verdict
  }
}))
