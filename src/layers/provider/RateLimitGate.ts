/**
 * A gate per endpoint and key, shared by all sessions of a process. When one request is rate limited, the others wait with
 * it instead of being refused as well; afterwards they pass one by one until one of them succeeds.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { retryAfterMsOf } from "../../domain/provider/ProviderError.ts"
import { firstPauseMs, maxServerPauseMs } from "../../domain/provider/Retry.ts"
import type { ResponseStart } from "./ResponseStart.ts"

/** `isLimited`: the gate was closed, and no request has succeeded since. Times are in ms since the epoch. */
interface Gate {
  readonly lock: Semaphore.Semaphore
  closedAt: number
  opensAt: number
  isLimited: boolean
}

/** The gates of one process, by the key of an endpoint. */
export const make = () => {
  const gates = new Map<string, Gate>()
  return (key: string) => {
    const gate = gates.get(key) ?? { lock: Semaphore.makeUnsafe(1), closedAt: -1, opensAt: 0, isLimited: false }
    gates.set(key, gate)
    return (start: ResponseStart): ResponseStart => enter(gate, start, true)
  }
}

/** `canRetry`: a request that was sent before the gate closed and is rate limited, too, waits and is sent once more. */
const enter = (gate: Gate, start: ResponseStart, canRetry: boolean): ResponseStart =>
  Effect.flatMap(
    Clock.currentTimeMillis,
    (sentAt) =>
      Effect.catch(pass(gate, start), (error): ResponseStart =>
        error.reason._tag !== "RateLimited" ? Effect.fail(error) : Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const pauseMs = retryAfterMsOf(error)
          // A pause too long to wait for closes nothing: requests in the meantime are refused at once.
          if (pauseMs > maxServerPauseMs)
            return Effect.fail(error)
          const closedMeanwhile = gate.isLimited && gate.closedAt >= sentAt
          Object.assign(gate, { isLimited: true, closedAt: now, opensAt: Math.max(gate.opensAt, now + (pauseMs || firstPauseMs)) })
          return closedMeanwhile && canRetry ? enter(gate, start, false) : Effect.fail(error)
        }))
  )

const pass = (gate: Gate, start: ResponseStart): ResponseStart => {
  const attempt = Effect.tap(start, () => Effect.sync(() => void (gate.isLimited = false)))
  const inTurn = Effect.suspend(() => gate.isLimited ? Effect.andThen(untilOpen(gate), attempt) : Effect.undefined)
  return Effect.suspend(() =>
    gate.isLimited
      ? Effect.flatMap(gate.lock.withPermits(1)(inTurn), (response) => response === undefined ? start : Effect.succeed(response))
      : attempt
  )
}

const untilOpen = (gate: Gate) => Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(Math.max(0, gate.opensAt - now)))
