/** Follows the subagent sessions of a followed session, and passes on their events with their session and call ids. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"

/** The source of an event: a subagent session and the call that started it. A nested call's id is prefixed with its session. */
export interface Subagent {
  readonly session: string
  readonly call: string
}

/** `parentSession` is the session that started it, undefined for the followed session; `parentCall` is the id of the call there. */
interface FollowedSubagent extends Subagent {
  readonly parentSession: string | undefined
  readonly parentCall: string
  lastSeq: number
  fiber: Fiber.Fiber<void, LogError> | undefined
}

/**
 * Handles each settled event of the session: starts to follow a subagent when it starts, and passes on all of its events before
 * its end is handled. If a subagent can't be read, only its report is shown.
 */
export interface SubagentFollower {
  readonly handle: (entry: SessionEvent) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(onEvent: (subagent: Subagent, followed: Followed) => Effect.Effect<void>) {
  const agent = yield* Agent
  const scope = yield* Effect.scope
  const subagents = new Map<string, FollowedSubagent>()

  const deliver = (subagent: FollowedSubagent) => (followed: Followed) =>
    Effect.suspend(() => {
      if (followed._tag === "Settled") {
        if (followed.at.seq <= subagent.lastSeq) return Effect.void
        subagent.lastSeq = followed.at.seq
        if (followed.at.event._tag !== "ChildStarted") {
          return Effect.andThen(handle(subagent.session, followed.at), onEvent(subagent, followed))
        }
        return Effect.andThen(onEvent(subagent, followed), handle(subagent.session, followed.at))
      }
      return onEvent(subagent, followed)
    })

  const start = Effect.fnUntraced(function*(parentSession: string | undefined, { call: parentCall, session }: Subagent) {
    const call = parentSession === undefined ? parentCall : `${parentSession}_${parentCall}`
    const subagent: FollowedSubagent = { parentSession, parentCall, call, session, lastSeq: -1, fiber: undefined }
    subagents.set(session, subagent)
    subagent.fiber = yield* agent.follow(session, 0).pipe(
      Stream.filter(({ _tag }) => _tag === "Settled" || _tag === "Output"),
      Stream.runForEach((followed) => Effect.uninterruptible(deliver(subagent)(followed))),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })

  const finish = Effect.fnUntraced(function*(subagent: FollowedSubagent) {
    subagents.delete(subagent.session)
    if (subagent.fiber !== undefined) yield* Fiber.interrupt(subagent.fiber)
    const { seq } = yield* agent.state(subagent.session)
    if (subagent.lastSeq >= seq) return
    yield* agent.follow(subagent.session, subagent.lastSeq + 1).pipe(
      Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
      Stream.runForEach(deliver(subagent))
    )
  })

  const handle = (parentSession: string | undefined, { event }: SessionEvent): Effect.Effect<void> => {
    if (event._tag === "ChildStarted") return Effect.ignore(start(parentSession, event))
    if (event._tag !== "ChildFinished" && event._tag !== "ToolFinished") return Effect.void
    const finished = [...subagents.values()].filter((subagent) =>
      event._tag === "ChildFinished"
        ? subagent.session === event.session
        : subagent.parentSession === parentSession && subagent.parentCall === event.call
    )
    return Effect.ignore(Effect.forEach(finished, finish, { discard: true }))
  }
  return { handle: (entry) => handle(undefined, entry) } satisfies SubagentFollower
})
