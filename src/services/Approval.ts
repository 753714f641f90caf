/** What the rules say about a call: compiled from the session's own settings and grants. */
import * as Context from "effect/Context"
import type { Session } from "../domain/session/Session.ts"
import type { Understood } from "./Tools.ts"

export interface Verdict {
  readonly decision: "allow" | "ask" | "deny"
  readonly risk: "low" | "medium" | "high"
  readonly reason: string
  readonly rule?: string
  /** The rules that "always" would write; none where no rule is narrow enough. */
  readonly offer: ReadonlyArray<string>
}

export class Approval extends Context.Service<Approval, {
  readonly judge: (call: Understood, session: Session) => Verdict
}>()("efferent/Approval") {}
