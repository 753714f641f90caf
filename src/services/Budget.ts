/** The budget levels above a session: its parent sessions, and the user's day. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Amount, Level } from "../domain/session/Budget.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Session } from "../domain/session/Session.ts"

export class Budget extends Context.Service<Budget, {
  /** What the levels above leave for its next request. */
  readonly parentLevels: (session: Session) => Effect.Effect<ReadonlyArray<Level>, LogError>
  /** Waits until a concurrent session has settled its share of a common budget; false if none holds anything. */
  readonly awaitRelease: (session: Session) => Effect.Effect<boolean, LogError>
  /** Reserves an amount at each of them; false if one can't cover it any more, and then nothing is reserved. */
  readonly reserve: (session: Session, amount: Amount) => Effect.Effect<boolean, LogError>
  /**
   * Settles the reservation at `used`; absent: the cost is unknown, and all of it counts. Without a reservation nothing is settled.
   */
  readonly settle: (session: Session, reservation: Amount, spent?: Amount) => Effect.Effect<void, LogError>
  /** Nothing of the session runs any more: what it still holds counts as spent. */
  readonly release: (session: Session) => Effect.Effect<void, LogError>
}>()("dacapo/Budget") {}
