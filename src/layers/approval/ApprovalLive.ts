/** Rules, risk and mode, applied to everything that a call accesses; the strictest verdict counts. */
import * as Layer from "effect/Layer"
import { optional } from "../../domain/Optional.ts"
import { alwaysRules, folderRule } from "../../domain/approval/AlwaysRules.ts"
import * as InputRules from "../../domain/approval/InputRules.ts"
import * as Call from "../../domain/approval/Call.ts"
import type { PartVerdict } from "../../domain/approval/Evaluation.ts"
import * as Decision from "../../domain/approval/Decision.ts"
import type { Mode } from "../../domain/approval/Mode.ts"
import * as Risk from "../../domain/approval/Risk.ts"
import * as Rule from "../../domain/approval/Rule.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Access } from "../../domain/tool/Access.ts"
import { analyse } from "../../domain/tool/CommandLine.ts"
import { Approval, type Verdict } from "../../services/Approval.ts"
import * as SessionRules from "./SessionRules.ts"

const decisions = { Allow: "allow", Ask: "ask", Deny: "deny" } as const

/** The facts about a session that rules can test. */
const factsOf = ({ facts, settings: { mode, onAsk } }: Session): Call.Facts => {
  const branch = facts?.git?.branch
  return { mode: mode === "plan" ? "plan" : "act", interactive: onAsk === "ask", ...optional({ branch }) }
}

interface JudgeOptions {
  readonly session: Session
  readonly mode: Mode
  /** The tool's name, for rules that use it. */
  readonly by?: string
  readonly isQuiet?: boolean
}

/** Rules, risk and mode about one access. */
const judgeAccess = (access: Access, { by, isQuiet = false, mode, session }: JudgeOptions) => {
  const { cwd, home } = session
  const roots = SessionRules.rootsOf(session)
  const rules = SessionRules.of(session)
  const riskContext: Risk.RiskContext = { roots, cwd, home, isQuiet, isAllowedHost: (url) => Rule.namesHost(rules, url) }
  const analysis = access._tag === "Command" ? analyse(access.command) : undefined
  const risk = Risk.assess(access, { ...riskContext, ...optional({ analysis }) })
  const call = Call.fromAccess(access, { cwd, roots, ...optional({ by }), facts: { ...factsOf(session), risk: risk.level } })
  const ofCommand = analysis === undefined ? Rule.evaluate(rules, call) : Rule.evaluateAnalysis(rules, analysis, call)
  const evaluation = access._tag !== "Command" || access.input === undefined ? ofCommand
    : InputRules.evaluate(access.command, ofCommand, Rule.hasRestrictions(rules))
  const { parts = [], reason, undecided } = evaluation
  const riskOf = (part: PartVerdict["part"]) =>
    Risk.assess(access, { ...riskContext, ...(analysis === undefined ? {} : { analysis: { ...analysis, parts: [part] } }) })
  /** What the mode adds to the rules about a part: one that needs no approval by itself is not what a prompt is about. */
  const verdictOf = (verdict: PartVerdict): PartVerdict =>
    isUndecided(verdict) && Decision.decide({ access, risk: riskOf(verdict.part), mode, evaluation: verdict })._tag === "Allow"
      ? { ...verdict, decision: "allow" } : verdict
  const undecidedRisk = analysis === undefined || undecided === undefined ? {}
    : { undecidedRisk: Risk.assess(access, { ...riskContext, analysis: { ...analysis, parts: undecided } }) }
  const decision = Decision.decide({ access, risk, mode, evaluation, ...undecidedRisk })
  const isAboutPart = decision._tag !== "Allow" && isUndecided(evaluation) && parts.some((verdict) => verdict.reason === reason)
  const part = isAboutPart ? parts.find((verdict) => isUndecided(verdictOf(verdict))) : undefined
  return {
    risk,
    decision: part === undefined ? decision
      : { ...decision, reasons: decision.reasons.map((each) => each === reason ? part.reason : each) },
    verdicts: () => parts.map(verdictOf)
  }
}

const isUndecided = ({ decision, rule }: Pick<PartVerdict, "decision" | "rule">): boolean => decision === "ask" && rule === undefined

export const layer = Layer.succeed(
  Approval,
  Approval.of({
    explain: (access, session) => {
      const parts = access.flatMap((one) =>
        one._tag !== "Command" || one.input !== undefined ? [] : judgeAccess(one, { session, mode: session.settings.mode }).verdicts()
      )
      return parts.length < 2 ? [] : parts.map(({ decision, part, reason }) => ({ part: part.source, decision, reason }))
    },
    editScope: ({ access, reason }, session) => {
      const { cwd, home, settings: { mode } } = session
      if (access.length === 0 || !access.every(({ _tag }) => _tag === "Edit")) return {}
      const decide = (mode: Mode) => Decision.strictest(access.map((one) => judgeAccess(one, { session, mode }).decision))
      // A question of a hook, or about a repeated call, has another reason: no rule or mode answers the next one.
      const current = decide(mode === "acceptEdits" ? "default" : mode)
      if (current._tag !== "Ask" || current.rule !== undefined || current.reasons.join("; ") !== reason) return {}
      const calls = access.map((one) => Call.fromAccess(one, { cwd, roots: SessionRules.rootsOf(session) }))
      return optional({
        folderRule: folderRule(calls, { root: cwd, home }),
        canAcceptEdits: decide("acceptEdits")._tag === "Allow" ? true as const : undefined
      })
    },
    judge: ({ access, requestsApproval, name, hasNoOtherEffects = false }, session) => {
      const { cwd, home, settings: { mode } } = session
      const roots = SessionRules.rootsOf(session)
      const offeredRules = (access: ReadonlyArray<Access>) =>
        access.flatMap((one) =>
          one._tag === "Command" && one.input !== undefined && InputRules.takesAnyCommand(one.command) ? []
            : alwaysRules(Call.fromAccess(one, { cwd, roots }), { root: cwd, home }, one._tag === "Command" ? one.always : undefined)
        )
      const all = access.map((one) => judgeAccess(one, { session, mode, by: name, isQuiet: hasNoOtherEffects }))
      const decision = Decision.strictest(all.map(({ decision }) => decision))
      const isRequested = requestsApproval && decision._tag === "Allow"
      return {
        decision: isRequested ? "ask" : decisions[decision._tag],
        risk: Risk.highestLevel(all.map(({ risk }) => risk.level)),
        reason: isRequested ? "the model asks for approval" : decision.reasons.join("; "),
        ...optional({ rule: decision.rule }),
        offer: decision._tag === "Ask" ? offeredRules(access) : []
      } satisfies Verdict
    }
  })
)
