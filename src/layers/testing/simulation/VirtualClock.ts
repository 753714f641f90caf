/** Time that passes only when nothing else can happen: then it is at once as late as the next sleeper wants to be woken. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** The time of a world, in ms since the epoch; processes that follow each other share it. */
export interface Time {
  now: number
}

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

const nanosecondsPerMs = 1_000_000n

export class VirtualClock implements Clock.Clock {
  private readonly time: Time
  private readonly schedule: (task: () => void) => void
  private readonly sleepers = new Set<Sleeper>()

  /** `schedule` runs what a sleeper does when it is woken. */
  constructor(time: Time, schedule: (task: () => void) => void) {
    this.time = time
    this.schedule = schedule
  }

  currentTimeMillisUnsafe(): number {
    return this.time.now
  }
  readonly currentTimeMillis: Effect.Effect<number> = Effect.sync(() => this.time.now)
  currentTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.time.now)) * nanosecondsPerMs
  }
  readonly currentTimeNanos: Effect.Effect<bigint> = Effect.sync(() => this.currentTimeNanosUnsafe())
  monotonicTimeNanosUnsafe(): bigint {
    return this.currentTimeNanosUnsafe()
  }
  readonly monotonicTimeNanos: Effect.Effect<bigint> = this.currentTimeNanos

  sleep(duration: Duration.Duration): Effect.Effect<void> {
    // As with a timer, in whole ms.
    const ms = Math.ceil(Duration.toMillis(duration))
    if (ms <= 0) return Effect.yieldNow
    if (!Number.isFinite(ms)) return Effect.never
    return Effect.callback<void>((resume) => {
      const sleeper = { until: this.time.now + ms, wake: () => resume(Effect.void) }
      this.sleepers.add(sleeper)
      return Effect.sync(() => void this.sleepers.delete(sleeper))
    })
  }

  /** Schedules a task for `ms` from now. */
  after(ms: number, task: () => void): void {
    this.sleepers.add({ until: this.time.now + ms, wake: task })
  }

  /** When the next sleeper is due; Infinity if nobody sleeps. */
  get nextDue(): number {
    let next = Infinity
    for (const { until } of this.sleepers) next = Math.min(next, until)
    return next
  }

  /** Lets time pass until the next sleeper is due, and wakes all that are; false if nobody sleeps. */
  advance(): boolean {
    const next = this.nextDue
    if (next === Infinity) return false
    this.time.now = Math.max(this.time.now, next)
    this.wakeDue()
    return true
  }

  /** Wakes those whose time has come while others let it pass. */
  wakeDue(): void {
    for (const sleeper of this.sleepers) {
      if (sleeper.until > this.time.now) continue
      this.sleepers.delete(sleeper)
      this.schedule(sleeper.wake)
    }
  }
}
