/**
 * A gate per endpoint and key, which all sessions of a process go through. Where one of them is told to slow down, the
 * others wait with it instead of being told, too; when the time is over they go one after another until one is answered.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { retryAfter } from "../../domain/provider/ProviderError.ts"
import { base, patience } from "../../domain/provider/Retry.ts"
import type { Begun } from "./ResponseStart.ts"

/** `narrow`: it was closed, and nobody has been answered since. Times in ms since the epoch. */
interface Gate {
  readonly one: Semaphore.Semaphore
  closedAt: number
  opensAt: number
  narrow: boolean
}

export const make = () => {
  const gates = new Map<string, Gate>()
  return (key: string) => {
    const gate = gates.get(key) ?? { one: Semaphore.makeUnsafe(1), closedAt: -1, opensAt: 0, narrow: false }
    gates.set(key, gate)
    return (begun: Begun): Begun => enter(gate, begun, true)
  }
}

/** `patient`: told to slow down after someone else was, it waits with them and asks again, once. */
const enter = (gate: Gate, begun: Begun, patient: boolean): Begun =>
  Effect.flatMap(Clock.currentTimeMillis, (sent) =>
    Effect.catch(pass(gate, begun), (error): Begun =>
      error.reason._tag !== "RateLimited" ? Effect.fail(error) : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const asked = retryAfter(error)
        // A pause that nobody sleeps through closes nothing: whoever asks meanwhile is told so at once.
        if (asked > patience) return Effect.fail(error)
        const told = gate.narrow && gate.closedAt >= sent
        Object.assign(gate, { narrow: true, closedAt: now, opensAt: Math.max(gate.opensAt, now + (asked || base)) })
        return told && patient ? enter(gate, begun, false) : Effect.fail(error)
      })))

const pass = (gate: Gate, begun: Begun): Begun => {
  const asked = Effect.tap(begun, () => Effect.sync(() => void (gate.narrow = false)))
  const inTurn = Effect.suspend(() => gate.narrow ? Effect.andThen(opened(gate), asked) : Effect.undefined)
  return Effect.suspend(() => gate.narrow ? Effect.flatMap(gate.one.withPermits(1)(inTurn), (answer) => answer === undefined ? begun : Effect.succeed(answer)) : asked)
}

const opened = (gate: Gate) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, gate.opensAt - now)))
