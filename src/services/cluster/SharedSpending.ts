/** What sessions of many processes spend in a day (UTC), under one limit. Without it a daily limit is one of this machine. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Session } from "../../domain/session/Session.ts"

/** `day` is a date; the settings of `session` have a daily limit. Amounts are in USD. */
export interface SharedSpending {
  /** The current limit, where the one in the session's settings may be older; undefined for that one. */
  readonly limit: Effect.Effect<number | undefined, LogError>
  readonly spent: (session: Session, day: string) => Effect.Effect<number, LogError>
  /** Reserves an amount for the session's next request, unless the day's total would pass `limit`. */
  readonly reserve: (session: Session, day: string, usd: number, limit: number) => Effect.Effect<boolean, LogError>
  /** The request cost `usd`, and not what was `reserved` for it. What is never settled counts as spent. */
  readonly settle: (session: Session, reserved: number, usd: number) => Effect.Effect<void, LogError>
}

export const SharedSpending = Context.Reference<SharedSpending | undefined>("dacapo/SharedSpending", { defaultValue: () => undefined })
