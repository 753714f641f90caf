/** Asks the approver one question. The answer is logged before anything follows from it. */
import * as Effect from "effect/Effect"
import { optional } from "../../domain/Optional.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Call } from "../../domain/session/Transcript.ts"
import type { RaisableLimit } from "../../domain/session/Task.ts"
import { lostMessage } from "../../domain/tool/Outcome.ts"
import { Approval, type EditScope } from "../../services/Approval.ts"
import { Approver, type Reply } from "../../services/Approver.ts"
import { SharedSpending } from "../../services/cluster/SharedSpending.ts"
import type { SessionLog } from "../../services/EventLog.ts"
import { Tools } from "../../services/Tools.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Retry from "../../domain/provider/Retry.ts"

export const ask = Effect.fn("Agent.ask")(function*(log: SessionLog, session: Session, { isRetry, call, proposal, state }: Call) {
  const approval = yield* Approval
  const approver = yield* Approver
  const tools = yield* Tools
  const { access, action, risk, rule } = proposal!
  // A call that may have run already is asked about again, whatever the rules allow.
  const isRepeat = isRetry === true || state === "lost"
  const { offer, reason } = isRepeat ? { offer: [], reason: `${lostMessage} Run it again?` } : proposal!
  const failure = isRepeat || state === "asked" ? undefined : yield* tools.failure(call, session)
  if (failure !== undefined) return yield* log.append([{ _tag: "ToolFinished", call: call.id, outcome: failure }], session.seq)
  if (state !== "asked") yield* log.append([{ _tag: "ApprovalAsked", call: call.id, action }], session.seq)
  const diff = yield* tools.preview(call, session)
  const parts = approval.explain(access, session)
  const editScope = isRepeat ? {} : approval.editScope(proposal!, session)
  const answer = yield* approver.ask({
    session: session.id,
    call,
    action,
    access,
    risk,
    reason,
    // No allow rule overrides an ask rule.
    offer: isAskRule(session, rule) ? [] : offer,
    ...(isRepeat ? {} : optional({ rule })),
    ...(diff === null ? {} : { diff }),
    ...(parts.length === 0 ? {} : { parts }),
    ...(Object.keys(editScope).length === 0 ? {} : { editScope: session.parent === undefined ? editScope : withoutMode(editScope) }),
    ...(session.parent === undefined ? {} : { from: session.title })
  })
  const { by, decision, params, scope, words } = answer
  const offered = new Set([...offer, ...(editScope.folderRule === undefined ? [] : [editScope.folderRule])])
  const rules = answer.rules?.filter((rule) => offered.has(rule)) ?? offer
  yield* log.append([
    {
      _tag: "ApprovalDecided",
      call: call.id,
      decision,
      scope,
      by,
      ...optional({ words }),
      ...(params === undefined || decision === "deny" ? {} : { params }),
      ...(scope === "once" || decision === "deny" ? {} : { rules })
    },
    ...(by === "nobody" && session.settings.onAsk === "exit"
      ? [{ _tag: "TaskFailed", reason: "approval", message: `${call.name} needs approval, and no one can answer: ${reason}` } as const]
      : [])
  ])
})

const isAskRule = ({ settings: { rules } }: Session, rule: string | undefined): boolean =>
  rules.ask.some((one) => (typeof one === "string" ? one : one.rule) === rule)

/** A subagent has its own mode, which its user does not see. */
const withoutMode = ({ folderRule }: EditScope): EditScope => optional({ folderRule })

// The budget does not cover the next request: the user decides whether to continue with a larger one, if it is the user's own.

/** The options. Any other answer stops the task. */
export const budgetOptions = { more: "Continue", stop: "Stop" } as const

/** Twice the limit, and at least what the next request needs. */
const raisedLimit = ({ left, limit, needs, unit }: Budget.Refusal): number => {
  const next = Math.max(limit * 2, limit - left + needs)
  return unit === "tokens" ? Math.ceil(next) : Math.ceil(next * 100) / 100
}

export const askForMore = Effect.fn("Agent.askForMore")(function*(log: SessionLog, session: Session, refusal: Budget.Refusal) {
  const approver = yield* Approver
  const { level, unit } = refusal
  const limit = raisedLimit(refusal)
  const amount = unit === "usd" ? `$${Budget.formatUsd(limit)}` : `${limit} tokens`
  const isShared = level === "day" && (yield* SharedSpending) !== undefined
  const reply: Reply = isShared ? { by: "nobody" } : yield* approver.question(
    Budget.withSeparators(`${Budget.refusalMessage(refusal)} Continue with a budget of ${amount}?`),
    Object.values(budgetOptions),
    session.id
  )
  const isApproved = reply.by === "user" && reply.text.trim().toLowerCase() === budgetOptions.more.toLowerCase()
  yield* log.append([
    isApproved
      ? { _tag: "BudgetRaised", level, unit, limit }
      : { _tag: "TaskFailed", reason: "budget", message: Budget.refusalMessage(refusal) }
  ], session.seq)
})

// The provider asks for a long pause: the user decides whether to wait.

interface Wait {
  readonly delayMs: number
  readonly message: string
}

/** The options. Any other answer stops the task, for example to switch models. */
export const waitOptions = { wait: "Wait", stop: "Stop" } as const

export const askToWait = Effect.fn("Agent.askToWait")(function*(log: SessionLog, session: Session, { delayMs, message }: Wait) {
  const approver = yield* Approver
  const duration = Retry.durationText(delayMs)
  const reply = yield* approver.question(
    `${message} Wait ${duration} and try again? Press Ctrl-C at any time to stop waiting.`,
    Object.values(waitOptions),
    session.id
  )
  const shouldWait = reply.by === "user" && reply.text.trim().toLowerCase() === waitOptions.wait.toLowerCase()
  yield* log.append([
    shouldWait
      ? { _tag: "ModelWaiting", message, delayMs }
      : { _tag: "TaskFailed", reason: "provider", message: `${message} The session is saved: continue it later, or with another model.` }
  ], session.seq)
})

// The task reached a limit: the user lets it continue, with or without advice for the model, or stops it.

interface Reached {
  readonly limit: RaisableLimit
  readonly message: string
}

/** Without a number in the answer, the limit is doubled. */
const defaultMore = ({ settings: { limits } }: Session, limit: RaisableLimit): number =>
  limit === "turns" ? limits.turns ?? 1 : limit === "time" ? Math.round((limits.wallMs ?? 1000) / 1000) : limits[limit]

const units = { turns: "turn", time: "second", mistakes: "attempt", repeats: "time" } as const

const amountOf = (limit: RaisableLimit, count: number): string => `${count} more ${units[limit]}${count === 1 ? "" : "s"}`

/**
 * The options for a limit. A number with a plus continues for so many (without one it would be that of an option); any other text is
 * advice for the model, and continues as well.
 */
const limitOptions = (limit: RaisableLimit, more: number) => ({ more: `Continue for ${amountOf(limit, more)}`, stop: "Stop" }) as const

/** The most that one answer adds. */
const maxMore = 100_000

export const askAtLimit = Effect.fn("Agent.askAtLimit")(function*(log: SessionLog, session: Session, { limit, message }: Reached) {
  const approver = yield* Approver
  const usual = defaultMore(session, limit)
  const options = limitOptions(limit, usual)
  const example = limit === "time" ? 60 : 20
  const reply = yield* approver.question(
    `${message} Continue? Choose, or type "+${example}" for ${example} ${units[limit]}s, or advice for the model.`,
    Object.values(options),
    session.id
  )
  const text = reply.by === "user" ? reply.text.trim() : ""
  const lower = text.toLowerCase()
  if (text === "" || lower === options.stop.toLowerCase()) {
    return yield* log.append([{ _tag: "TaskFailed", reason: limit, message }], session.seq)
  }
  const isNumber = /^\+ ?\d{1,6}$/.test(text)
  const count = isNumber ? Math.min(Math.max(1, Number(text.slice(1))), maxMore) : usual
  yield* log.append([{
    _tag: "LimitRaised",
    limit,
    more: limit === "time" ? count * 1000 : count,
    ...(isNumber || lower === "continue" || lower === options.more.toLowerCase() ? {} : { words: text })
  }], session.seq)
})
