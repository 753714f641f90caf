/** Reserves what a request can cost before it goes out, and settles it when it is known what it cost. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Budget from "../../domain/session/Budget.ts"
import type { Session } from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import { Budget as Above } from "../../services/Budget.ts"

type Event<Tag extends Settled["_tag"]> = Extract<Settled, { readonly _tag: Tag }>

/** `maxTokens` is what the answer may be at most; `event` is absent where nothing bounds the session. */
export interface Reserved {
  readonly _tag: "Reserved"
  readonly maxTokens: number
  readonly event?: Event<"BudgetReserved">
}

/**
 * Holds the need at every level, or tells which one does not pay it. Where only those beside it leave too little for now, it
 * waits until one of them has settled: what they hold is the most that they can cost, and seldom what they do.
 */
export const reserve = Effect.fn("Agent.reserve")((session: Session, need: Budget.Need) => Effect.uninterruptibleMask((restore) => Effect.gen(function*() {
  if (!Budget.applies(session)) return { _tag: "Reserved", maxTokens: need.maxTokens } satisfies Reserved as Reserved
  const levels = yield* Above
  while (true) {
    const above = Budget.hasAbove(session) ? yield* levels.above(session) : undefined
    const told = above === undefined ? {} : { above }
    const made = Budget.reserve([...Budget.own(session), ...above ?? []], need)
    if (Result.isFailure(made)) {
      if (made.failure.level === "parent" && (yield* restore(levels.freed(session)))) continue
      return { _tag: "BudgetExhausted", ...made.failure, ...told } satisfies Event<"BudgetExhausted">
    }
    const { amount, maxTokens } = made.success
    if (above !== undefined && !(yield* levels.hold(session, amount))) continue
    return { _tag: "Reserved", maxTokens, event: { _tag: "BudgetReserved", ...amount, ...told } } satisfies Reserved as Reserved
  }
})))

/** What was reserved for a request that did not go out after all. */
export const release = Effect.fnUntraced(function*(session: Session, held: Budget.Amount) {
  if (Budget.hasAbove(session)) yield* (yield* Above).settle(session, held, Budget.nothing)
})

/** The event that settles the open reservation: at what was used, where that is known, else at all of it. */
export const settlement = (session: Session, used?: Budget.Amount): ReadonlyArray<Settled> => {
  const held = Budget.open(session)
  return held === undefined ? [] : [Budget.settled(session, used ?? held)]
}

/** Tells the levels above what `session`, in which the reservation was open, used of it. */
export const tellAbove = Effect.fn("Agent.tellAbove")(function*(session: Session, used?: Budget.Amount) {
  const held = Budget.open(session)
  if (held === undefined || !Budget.hasAbove(session)) return
  yield* (yield* Above).settle(session, held, used ?? held)
})
