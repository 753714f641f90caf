/** Rules tried over what was recorded: which calls they would have stopped, asked about, let run. */
import type { SessionEvent, SessionSettings, Settled } from "../session/SessionEvent.ts"
import * as Session from "../session/Session.ts"
import type { Access } from "../tool/Access.ts"

export type Decision = "allow" | "ask" | "deny"

/** A call as it was proposed once, and the session that it was proposed in, under other rules. */
export interface Proposed {
  readonly session: Session.Session
  readonly seq: number
  readonly tool: string
  readonly access: ReadonlyArray<Access>
  /** What was decided then. */
  readonly was: Decision
}

/** Every call of a log that was understood; grants of the time do not count, the mode and folder do. */
export const proposals = (events: ReadonlyArray<SessionEvent>, rules: SessionSettings["rules"]): ReadonlyArray<Proposed> => {
  const found: Array<Proposed> = []
  // An object of its own, since compiled rules are kept by it and hold the session's folder.
  const own = { ...rules }
  let session = Session.empty
  for (const at of events) {
    if (at.event._tag === "ToolProposed") found.push(proposal(session, at.seq, at.event, own))
    session = Session.apply(session, at)
  }
  return found
}

const none: Session.Session["grants"] = []

const proposal = (
  session: Session.Session,
  seq: number,
  { access, call, decision }: Extract<Settled, { readonly _tag: "ToolProposed" }>,
  rules: SessionSettings["rules"]
): Proposed => ({
  seq,
  access,
  was: decision,
  tool: session.calls.find((one) => one.call.id === call)?.call.name ?? "",
  session: { ...session, grants: none, settings: { ...session.settings, rules } }
})
