/** Reserves what a request can cost before it is sent, and settles it when the cost is known. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Budget from "../../domain/session/Budget.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import { Budget as BudgetService } from "../../services/Budget.ts"
import type { SessionLog } from "../../services/EventLog.ts"

type Event<Tag extends Settled["_tag"]> = Extract<Settled, { readonly _tag: Tag }>

/** `maxTokens` is the limit of the response; `event` is absent if nothing limits the session. */
export interface Grant {
  readonly _tag: "Reserved"
  readonly maxTokens: number
  readonly event?: Event<"BudgetReserved">
}

/**
 * Reserves the amount at every level, or reports the level that can't cover it. If only concurrent subagents leave too
 * little for now, it waits until one of them has settled: they hold their maximum cost, and seldom use all of it.
 */
export const reserve = Effect.fn("Agent.reserve")((session: Session, bounds: Budget.RequestBounds) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function*() {
      if (!Budget.applies(session)) return { _tag: "Reserved", maxTokens: bounds.maxTokens } satisfies Grant as Grant
      const levels = yield* BudgetService
      while (true) {
        const parentLevels = Budget.hasOuterLevels(session) ? yield* levels.parentLevels(session) : undefined
        const aboveField = parentLevels === undefined ? {} : { above: parentLevels }
        const reservation = Budget.reserve([...Budget.levelsOf(session), ...parentLevels ?? []], bounds)
        if (Result.isFailure(reservation)) {
          if (reservation.failure.level === "parent" && (yield* restore(levels.awaitRelease(session)))) continue
          return { _tag: "BudgetExhausted", ...reservation.failure, ...aboveField } satisfies Event<"BudgetExhausted">
        }
        const { amount, maxTokens } = reservation.success
        if (parentLevels !== undefined && !(yield* levels.reserve(session, amount))) continue
        return { _tag: "Reserved", maxTokens, event: { _tag: "BudgetReserved", ...amount, ...aboveField } } satisfies Grant as Grant
      }
    })
  )
)

/** The budget does not cover the next attempt of a request. */
export class BudgetRefusal extends Data.TaggedError("Unpaid")<{ readonly refusal: Event<"BudgetExhausted"> }> {}

/** An attempt that may have been charged is settled in the log: the next one has its own reservation, for the same request. */
export const reserveAgain = Effect.fn("Agent.reserveAgain")(
  function*(log: SessionLog, before: Session, bounds: Budget.RequestBounds, spent?: Budget.Amount) {
    if (Budget.openReservation(before) === undefined) return
    yield* reportToParents(before, spent)
    const reservation = yield* reserve(yield* log.state, bounds)
    if (reservation._tag === "BudgetExhausted") return yield* new BudgetRefusal({ refusal: reservation })
    if (reservation.event !== undefined) yield* log.append([reservation.event])
  }
)

/** Releases what was reserved for a request that was not sent after all. */
export const release = Effect.fnUntraced(function*(session: Session, reservation: Budget.Amount) {
  if (Budget.hasOuterLevels(session)) yield* (yield* BudgetService).settle(session, reservation, Budget.zero)
})

/** The event that settles the open reservation: at what was used, if known, else at its full amount. */
export const settlement = (session: Session, spent?: Budget.Amount): ReadonlyArray<Settled> => {
  const settled = Budget.settlement(session, "", spent)
  return settled === undefined ? [] : [settled]
}

/** Reports to the levels above what `session`, which held the open reservation, used of it. */
export const reportToParents = Effect.fn("Agent.tellAbove")(function*(session: Session, spent?: Budget.Amount) {
  const reservation = Budget.openReservation(session)
  if (reservation === undefined || !Budget.hasOuterLevels(session)) return
  yield* (yield* BudgetService).settle(session, reservation, spent)
})

/** Its loop has ended: the levels above hold nothing for it any more, however it ended. */
export const releaseFromParents = Effect.fn("Agent.freeAbove")(function*(log: SessionLog) {
  const session = yield* log.state
  if (Budget.hasOuterLevels(session)) yield* (yield* BudgetService).release(session)
})
