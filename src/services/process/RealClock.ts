/** The clock of what runs in real time, whatever clock the program runs under: processes, threads, connections. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The machine's clock by default. Where such things are simulated, the simulation's clock. */
export const RealClock = Context.Reference<Clock.Clock>("dacapo/RealClock", { defaultValue: () => Clock.Clock.defaultValue() })

/** An effect whose waits and time limits are in real time. */
export const withRealClock = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(RealClock, (clock) => Effect.provideService(effect, Clock.Clock, clock))
