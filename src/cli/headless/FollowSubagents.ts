/** The sessions that a followed one starts, followed beside it: what they bring is told with theirs and its call's ids. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { LogError } from "../../domain/session/LogError.ts"
import type { Followed, SessionEvent } from "../../domain/session/SessionEvent.ts"
import { Agent } from "../../services/Agent.ts"

/** Who brings something: a child session, and the call that gave it its work; that of another child begins with its session. */
export interface Child {
  readonly session: string
  readonly call: string
}

/** `owner` is the session that started it, undefined for the one that is followed; `by` the call in its words. */
interface Known extends Child {
  readonly owner: string | undefined
  readonly by: string
  seen: number
  fiber: Fiber.Fiber<void, LogError> | undefined
}

/**
 * Told of each settled event of the session: begins with a child, and has told all of it when its end is told. A child that
 * can't be read is not shown, and its report is.
 */
export interface Offspring {
  readonly on: (at: SessionEvent) => Effect.Effect<void>
}

export const make = Effect.fnUntraced(function*(tell: (child: Child, followed: Followed) => Effect.Effect<void>) {
  const agent = yield* Agent
  const scope = yield* Effect.scope
  const known = new Map<string, Known>()

  const told = (child: Known) => (followed: Followed) =>
    Effect.suspend(() => {
      if (followed._tag === "Settled") {
        if (followed.at.seq <= child.seen) return Effect.void
        child.seen = followed.at.seq
        if (followed.at.event._tag !== "ChildStarted") return Effect.andThen(heard(child.session, followed.at), tell(child, followed))
        return Effect.andThen(tell(child, followed), heard(child.session, followed.at))
      }
      return tell(child, followed)
    })

  const begin = Effect.fnUntraced(function*(owner: string | undefined, { call: by, session }: Child) {
    const child: Known = { owner, by, call: owner === undefined ? by : `${owner}_${by}`, session, seen: -1, fiber: undefined }
    known.set(session, child)
    child.fiber = yield* agent.follow(session, 0).pipe(
      Stream.filter(({ _tag }) => _tag === "Settled" || _tag === "Output"),
      Stream.runForEach((followed) => Effect.uninterruptible(told(child)(followed))),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })

  const end = Effect.fnUntraced(function*(child: Known) {
    known.delete(child.session)
    if (child.fiber !== undefined) yield* Fiber.interrupt(child.fiber)
    const { seq } = yield* agent.state(child.session)
    if (child.seen >= seq) return
    yield* agent.follow(child.session, child.seen + 1).pipe(
      Stream.takeUntil((followed) => followed._tag === "Settled" && followed.at.seq >= seq),
      Stream.runForEach(told(child))
    )
  })

  const heard = (owner: string | undefined, { event }: SessionEvent): Effect.Effect<void> => {
    if (event._tag === "ChildStarted") return Effect.ignore(begin(owner, event))
    if (event._tag !== "ChildFinished" && event._tag !== "ToolFinished") return Effect.void
    const over = [...known.values()].filter((child) =>
      event._tag === "ChildFinished" ? child.session === event.session : child.owner === owner && child.by === event.call)
    return Effect.ignore(Effect.forEach(over, end, { discard: true }))
  }
  return { on: (at) => heard(undefined, at) } satisfies Offspring
})
