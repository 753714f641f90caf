/**
 * The budget levels above a session. A parent's log holds what its subagents reserve, so that concurrent subagents
 * share one budget; a user's daily spending is recorded in a file that all processes change under one lock, that of a
 * cluster's tenant in the cluster's database. What is held by a session that does not run any more counts as spent.
 */
import { join } from "node:path"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as SubscriptionRef from "effect/SubscriptionRef"
import type { SettingsError } from "../../domain/config/SettingsError.ts"
import * as Budget from "../../domain/session/Budget.ts"
import * as Usage from "../../domain/session/Usage.ts"
import { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"
import { Budget as BudgetService } from "../../services/Budget.ts"
import { SharedSpending } from "../../services/cluster/SharedSpending.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog, type SessionLog } from "../../services/EventLog.ts"
import { JsonFiles } from "../../services/JsonFiles.ts"

/** The cost of a day; `day` is a date in UTC. */
const DailySpending = Schema.Struct({ day: Schema.String, usd: Schema.Finite })
const isDailySpending = Schema.is(DailySpending)

/** Tolerance in USD for sums added in a different order: without it an amount that was found to fit may be refused forever. */
const rounding = 1e-9

/** Whether every limit has room for an amount. */
const covers = (levels: ReadonlyArray<Budget.Level>, { tokens, usd }: Budget.Amount): boolean =>
  levels.every((level) => (level.usd?.left ?? Infinity) + rounding >= usd && (level.tokens?.left ?? Infinity) >= tokens)

const ofParent = (level: Budget.Level): Budget.Level => ({ ...level, level: "parent" })

export const layer = Layer.effect(
  BudgetService,
  Effect.gen(function*() {
    const eventLog = yield* EventLog
    const files = yield* JsonFiles
    const { folders } = yield* Environment
    const ledger = yield* files.at(join(folders.data, "spending.json"), "What was spent today (UTC), while a daily limit is set.")

    /** The session's ancestors, the nearest first. */
    const ancestors = (session: Session): Effect.Effect<ReadonlyArray<string>, LogError> =>
      session.parent === undefined ? Effect.succeed([]) : Effect.flatMap(
        inLog(session.parent, (log) => Effect.flatMap(log.state, ancestors)),
        (parents) => Effect.succeed([session.parent!, ...parents])
      )

    const inLog = <A, E>(id: string, use: (log: SessionLog) => Effect.Effect<A, E>): Effect.Effect<A, E | LogError> =>
      Effect.scoped(Effect.flatMap(eventLog.open(id), use))

    const today = Effect.map(Clock.currentTimeMillis, Usage.formatDay)

    const spentOn = (day: string, stored: unknown): number => isDailySpending(stored) && stored.day === day ? stored.usd : 0

    const writeError = (session: Session) => ({ message, where }: SettingsError) =>
      new LogError({
        session: session.id,
        message: `The daily spending record could not be saved: ${where} ${message}`,
        reason: { _tag: "Disk", code: "EIO" }
      })

    /** Adds to the day's cost, if that stays within `limit`. */
    const spend = (session: Session, usd: number, limit = Infinity) =>
      Effect.flatMap(today, (day) =>
        ledger.changeNow(["today"], (stored) => {
          const sum = Math.max(0, spentOn(day, stored) + usd)
          return sum <= limit ? [true, { day, usd: sum }] : [false, stored]
        })).pipe(Effect.mapError(writeError(session)))

    const ofMachine: SharedSpending = {
      limit: Effect.succeed(undefined),
      spent: Effect.fnUntraced(function*(session, day) {
        const stored = yield* Effect.mapError(ledger.value, writeError(session))
        return spentOn(day, stored === undefined ? undefined : (stored as { readonly today?: unknown }).today)
      }),
      reserve: (session, _, usd, limit) => spend(session, usd, limit),
      settle: (session, reserved, usd) => usd === reserved ? Effect.void : spend(session, usd - reserved)
    }
    const spending = (yield* SharedSpending) ?? ofMachine

    /** The daily limit that applies now to a session whose settings have one. */
    const dayLimit = Effect.fnUntraced(function*({ settings: { limits: { dayUsd } } }: Session) {
      return dayUsd === undefined ? undefined : (yield* spending.limit) ?? dayUsd
    })

    const dayLevel = Effect.fnUntraced(function*(session: Session) {
      const limit = yield* dayLimit(session)
      return limit === undefined ? [] : [
        Budget.level("day", { usd: limit }, { usd: yield* spending.spent(session, yield* today), tokens: 0 })
      ]
    })

    const parentLevels = Effect.fn("Budget.above")(function*(session: Session) {
      const parents = yield* Effect.forEach(yield* ancestors(session), (id) => inLog(id, (log) => Effect.map(log.state, Budget.levelsOf)))
      return [...parents.flat().map(ofParent), ...(yield* dayLevel(session))]
    })

    /**
     * Sessions that hold reservations at the levels above. They run in this process, which has the lease of every log
     * with their reservations: any session not among them has died.
     */
    const holders = yield* SubscriptionRef.make<ReadonlySet<string>>(new Set())
    const begin = ({ id }: Session) => SubscriptionRef.update(holders, (active) => new Set([...active, id]))
    const end = ({ id }: Session) => SubscriptionRef.update(holders, (active) => new Set([...active].filter((one) => one !== id)))

    /** Decided from one state of the parent: a faster sibling is taken into account, and a dead one is settled first. */
    const reserveAt = (id: string, subagent: string, amount: Budget.Amount): Effect.Effect<boolean, LogError> =>
      inLog(
        id,
        Effect.fnUntraced(function*(log) {
          const parent = yield* log.state
          if (!covers(Budget.levelsOf(parent), amount)) return false
          const active = yield* SubscriptionRef.get(holders)
          const stale = [...parent.budget.reservations.keys()].filter((one) => one !== "" && !active.has(one))
          yield* log.append([...stale.map((one) => Budget.settlement(parent, one)!), {
            _tag: "BudgetReserved",
            ...amount,
            child: subagent
          }], parent.seq)
          return true
        })
      ).pipe(Effect.catchTag("Stale", () => reserveAt(id, subagent, amount)))

    const settleAt = (id: string, subagent: string, spent?: Budget.Amount): Effect.Effect<void, LogError> =>
      inLog(
        id,
        Effect.fnUntraced(function*(log) {
          const parent = yield* log.state
          const settled = Budget.settlement(parent, subagent, spent)
          if (settled !== undefined) yield* log.append([settled], parent.seq)
        })
      ).pipe(Effect.catchTag("Stale", () => settleAt(id, subagent, spent)))

    const settleAll = (session: Session, spent?: Budget.Amount) =>
      Effect.flatMap(ancestors(session), Effect.forEach((id) => settleAt(id, session.id, spent), { discard: true })).pipe(
        Effect.ensuring(end(session))
      )

    const reserve = Effect.fn("Budget.hold")(function*(session: Session, amount: Budget.Amount) {
      const limit = yield* dayLimit(session)
      if (limit !== undefined && !(yield* spending.reserve(session, yield* today, amount.usd, limit + rounding))) return false
      yield* begin(session)
      for (const id of yield* ancestors(session)) {
        if (yield* reserveAt(id, session.id, amount)) continue
        yield* settleAll(session, Budget.zero)
        if (limit !== undefined) yield* spending.settle(session, amount.usd, 0)
        return false
      }
      return true
    }, (effect, session) => Effect.onError(effect, () => end(session)))

    const settle = Effect.fn("Budget.settle")(function*(session: Session, reservation: Budget.Amount, spent?: Budget.Amount) {
      yield* settleAll(session, spent)
      if (session.settings.limits.dayUsd !== undefined) yield* spending.settle(session, reservation.usd, (spent ?? reservation).usd)
    })

    const release = Effect.fn("Budget.free")(function*(session: Session) {
      if ((yield* SubscriptionRef.get(holders)).has(session.id)) yield* settleAll(session)
    })

    const awaitRelease = Effect.fn("Budget.freed")(function*({ id, parent }: Session) {
      if (parent === undefined) return false
      const { budget } = yield* inLog(parent, (log) => log.state)
      const initial = yield* SubscriptionRef.get(holders)
      const others = [...budget.reservations.keys()].filter((one) => one !== id && initial.has(one))
      if (others.length === 0) return false
      yield* SubscriptionRef.changes(holders).pipe(
        Stream.filter((active) => others.some((one) => !active.has(one))),
        Stream.take(1),
        Stream.runDrain
      )
      return true
    })

    return BudgetService.of({ parentLevels, release, awaitRelease, reserve, settle })
  })
)
