/** The budget does not pay the next request, and someone is there: they say whether to go on with more. */
import * as Effect from "effect/Effect"
import * as Budget from "../../domain/session/Budget.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Approver } from "../../services/Approver.ts"
import type { SessionLog } from "../../services/EventLog.ts"

/** The answers that can be chosen; any other words stop the task. */
export const answers = { more: "Go on", stop: "Stop" } as const

/** As much again as the limit was, and at least what the next request needs. */
const more = ({ left, limit, needs, unit }: Budget.Refusal): number => {
  const next = Math.max(limit * 2, limit - left + needs)
  return unit === "tokens" ? Math.ceil(next) : Math.ceil(next * 100) / 100
}

export const askForMore = Effect.fn("Agent.askForMore")(function*(log: SessionLog, session: Session, refusal: Budget.Refusal) {
  const approver = yield* Approver
  const { level, unit } = refusal
  const limit = more(refusal)
  const told = unit === "usd" ? `$${Budget.money(limit)}` : `${limit} tokens`
  const reply = yield* approver.question(`${Budget.sentence(refusal)} Go on with a budget of ${told}?`, Object.values(answers))
  const agreed = reply.by === "user" && reply.words.trim().toLowerCase() === answers.more.toLowerCase()
  yield* log.append([
    agreed
      ? { _tag: "BudgetRaised", level, unit, limit }
      : { _tag: "TaskFailed", reason: "budget", message: Budget.sentence(refusal) }
  ], session.seq)
})
