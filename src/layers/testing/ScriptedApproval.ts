/** Rules of a test: every call is judged by one function, and nothing is offered to be allowed for good. */
import * as Layer from "effect/Layer"
import type { Session } from "../../domain/session/Session.ts"
import { Approval, type Verdict } from "../../services/Approval.ts"
import type { ResolvedCall } from "../../services/Tools.ts"

/** `decide` sees the call and its accesses; by default everything is allowed. */
export const layer = (decide: (call: ResolvedCall, session: Session) => Verdict["decision"] = () => "allow"): Layer.Layer<Approval> =>
  Layer.succeed(Approval, {
    judge: (call, session) => ({ decision: decide(call, session), risk: "low", reason: "decided by the test", offer: [] }),
    editScope: () => ({}),
    explain: () => []
  })
