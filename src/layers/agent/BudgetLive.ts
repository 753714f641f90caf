/**
 * The levels above a session. A parent's log holds what its children reserve, so that children side by side share one
 * budget; what the user spends in a day stands in a file that all processes change under one lock. What is held when a
 * process dies counts as spent.
 */
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Day from "../../domain/session/Day.ts"
import { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Budget as Above } from "../../services/Budget.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog, type SessionLog } from "../../services/EventLog.ts"
import { KeptFiles } from "../../services/JsonFiles.ts"

/** What a day has cost; `day` is a date in UTC. */
const Spent = Schema.Struct({ day: Schema.String, usd: Schema.Finite })
const isSpent = Schema.is(Spent)

/** Whether every limit has room for an amount. */
const pays = (levels: ReadonlyArray<Budget.Level>, { tokens, usd }: Budget.Amount): boolean =>
  levels.every((level) => (level.usd?.left ?? Infinity) >= usd && (level.tokens?.left ?? Infinity) >= tokens)

const ofParent = (level: Budget.Level): Budget.Level => ({ ...level, level: "parent" })

export const layer = Layer.effect(Above, Effect.gen(function*() {
  const eventLog = yield* EventLog
  const files = yield* KeptFiles
  const { folders } = yield* Environment
  const ledger = yield* files.at(join(folders.data, "spending.json"), "What was spent today (UTC), while a daily limit is set.")

  /** The session's ancestors, the nearest first. */
  const ancestors = (session: Session): Effect.Effect<ReadonlyArray<string>, LogError> =>
    session.parent === undefined ? Effect.succeed([]) : Effect.flatMap(
      inLog(session.parent, (log) => Effect.flatMap(log.state, ancestors)),
      (above) => Effect.succeed([session.parent!, ...above])
    )

  const inLog = <A, E>(id: string, use: (log: SessionLog) => Effect.Effect<A, E>): Effect.Effect<A, E | LogError> =>
    Effect.scoped(Effect.flatMap(eventLog.open(id), use))

  const today = Effect.map(Clock.currentTimeMillis, Day.of)

  const spentOn = (day: string, kept: unknown): number => isSpent(kept) && kept.day === day ? kept.usd : 0

  const unwritten = (session: Session) => ({ message, where }: SettingsError) =>
    new LogError({ session: session.id, message: `What is spent in a day can't be kept: ${where} ${message}`, reason: { _tag: "Disk", code: "EIO" } })

  /** Adds to what the day has cost, if that stays within `limit`. */
  const spend = (session: Session, usd: number, limit = Infinity) =>
    Effect.flatMap(today, (day) =>
      ledger.changeNow(["today"], (before) => {
        const sum = Math.max(0, spentOn(day, before) + usd)
        return sum <= limit ? [true, { day, usd: sum }] : [false, before]
      })).pipe(Effect.mapError(unwritten(session)))

  const dayOf = Effect.fnUntraced(function*(session: Session) {
    const { dayUsd } = session.settings.limits
    if (dayUsd === undefined) return []
    const kept = yield* Effect.mapError(ledger.value, unwritten(session))
    const spent = spentOn(yield* today, kept === undefined ? undefined : (kept as { readonly today?: unknown }).today)
    return [Budget.level("day", { usd: dayUsd }, { usd: spent, tokens: 0 })]
  })

  const above = Effect.fn("Budget.above")(function*(session: Session) {
    const parents = yield* Effect.forEach(yield* ancestors(session), (id) => inLog(id, (log) => Effect.map(log.state, Budget.own)))
    return [...parents.flat().map(ofParent), ...(yield* dayOf(session))]
  })

  /** Decided from one state of the parent: a sibling that was faster is seen. */
  const holdAt = (id: string, child: string, amount: Budget.Amount): Effect.Effect<boolean, LogError> =>
    inLog(id, Effect.fnUntraced(function*(log) {
      const parent = yield* log.state
      if (!pays(Budget.own(parent), amount)) return false
      yield* log.append([{ _tag: "BudgetReserved", ...amount, child }], parent.seq)
      return true
    })).pipe(Effect.catchTag("Stale", () => holdAt(id, child, amount)))

  const settleAt = (id: string, child: string, used: Budget.Amount) =>
    inLog(id, (log) => Effect.flatMap(log.state, (parent) => log.append([{ ...Budget.settled(parent, used), child }])))

  const hold = Effect.fn("Budget.hold")(function*(session: Session, amount: Budget.Amount) {
    const { dayUsd } = session.settings.limits
    if (dayUsd !== undefined && !(yield* spend(session, amount.usd, dayUsd))) return false
    const held: Array<string> = []
    for (const id of yield* ancestors(session)) {
      if (!(yield* holdAt(id, session.id, amount))) {
        yield* Effect.forEach(held, (id) => settleAt(id, session.id, Budget.nothing), { discard: true })
        if (dayUsd !== undefined) yield* spend(session, -amount.usd)
        return false
      }
      held.push(id)
    }
    return true
  })

  const settle = Effect.fn("Budget.settle")(function*(session: Session, held: Budget.Amount, used: Budget.Amount) {
    for (const id of yield* ancestors(session)) yield* settleAt(id, session.id, used)
    if (session.settings.limits.dayUsd !== undefined && used.usd !== held.usd) yield* spend(session, used.usd - held.usd)
  })

  const freed = Effect.fn("Budget.freed")(function*({ id, parent }: Session) {
    if (parent === undefined) return false
    return yield* inLog(parent, Effect.fnUntraced(function*(log) {
      const { budget, seq } = yield* log.state
      if (![...budget.held.keys()].some((by) => by !== "" && by !== id)) return false
      yield* log.follow(seq + 1).pipe(
        Stream.filter((followed) => followed._tag === "Settled" && followed.at.event._tag === "BudgetSettled"),
        Stream.take(1),
        Stream.runDrain
      )
      return true
    }))
  })

  return Above.of({ above, freed, hold, settle })
}))
