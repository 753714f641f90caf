/** The timestamps of a session's events. Within a task they follow the monotonic clock, so that setting the clock triggers no limit. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Settled } from "../../domain/session/SessionEvent.ts"

/** Returns the time of each event in ms since the epoch. The wall clock is read when a session or a task starts. */
export const make = Effect.map(Clock.Clock, (clock) => {
  const elapsed = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  let offset = clock.currentTimeMillisUnsafe() - elapsed()
  return (event: Settled): number => {
    if (isBeginning(event)) offset = clock.currentTimeMillisUnsafe() - elapsed()
    return offset + elapsed()
  }
})

const isBeginning = (event: Settled): boolean =>
  event._tag === "SessionStarted" || event._tag === "Resumed" || (event._tag === "UserSaid" && event.delivery === "task")
