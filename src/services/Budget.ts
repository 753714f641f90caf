/** Who else counts what a session spends: the sessions above it, and the user's day. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Amount, Level } from "../domain/session/Budget.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Session } from "../domain/session/Session.ts"

export class Budget extends Context.Service<Budget, {
  /** What the levels above leave for its next request. */
  readonly above: (session: Session) => Effect.Effect<ReadonlyArray<Level>, LogError>
  /** Waits until a session beside it has settled what it holds of what they share; false where none holds anything. */
  readonly freed: (session: Session) => Effect.Effect<boolean, LogError>
  /** Holds an amount at each of them; false where one can't pay it any more, and then nothing is held. */
  readonly hold: (session: Session, amount: Amount) => Effect.Effect<boolean, LogError>
  /** What was held has come to `used`. */
  readonly settle: (session: Session, held: Amount, used: Amount) => Effect.Effect<void, LogError>
}>()("dacapo/Budget") {}
