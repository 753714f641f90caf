/** Tries rules on recorded sessions: which calls they would have denied, asked about, or allowed. */
import type { SessionEvent, SessionSettings, Settled } from "../session/SessionEvent.ts"
import * as Session from "../session/Session.ts"
import type { Access } from "../tool/Access.ts"

export type Decision = "allow" | "ask" | "deny"

/** A call as it was once proposed, with the session that proposed it, under other rules. */
export interface RuleTrial {
  readonly session: Session.Session
  readonly seq: number
  readonly tool: string
  readonly access: ReadonlyArray<Access>
  /** What was decided then. */
  readonly originalDecision: Decision
}

/** Every decoded call of a log; grants of the time do not count, the mode and folder do. */
export const ruleTrials = (events: ReadonlyArray<SessionEvent>, rules: SessionSettings["rules"]): ReadonlyArray<RuleTrial> => {
  const trials: Array<RuleTrial> = []
  // A separate object, since compiled rules are cached by it and contain the session's folder.
  const ruleCopy = { ...rules }
  let session = Session.empty
  for (const at of events) {
    if (at.event._tag === "ToolProposed") trials.push(ruleTrial(session, at.seq, at.event, ruleCopy))
    session = Session.apply(session, at)
  }
  return trials
}

const noGrants: Session.Session["grants"] = []

const ruleTrial = (
  session: Session.Session,
  seq: number,
  { access, call, decision }: Extract<Settled, { readonly _tag: "ToolProposed" }>,
  rules: SessionSettings["rules"]
): RuleTrial => ({
  seq,
  access,
  originalDecision: decision,
  tool: session.calls.find((one) => one.call.id === call)?.call.name ?? "",
  session: { ...session, grants: noGrants, settings: { ...session.settings, rules } }
})
