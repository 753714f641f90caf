/** Open sessions of this process: each is open once, while it is in use, and the last few remain open afterwards. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"

/** Unused sessions that stay open: the next step of a conversation finds its log read and its lease held. */
export const maxIdle = 32

export interface OpenSessions<A, E> {
  /** The session, open at least until the scope closes. */
  readonly get: (id: string) => Effect.Effect<A, E, Scope.Scope>
}

/** `open` opens a session in the scope of its use. Of the unused ones, the least recently used is closed first. */
export const make = Effect.fnUntraced(function*<A, E, R>(open: (id: string) => Effect.Effect<A, E, R>) {
  const sessions = yield* RcMap.make({ lookup: open })
  const layer = yield* Effect.scope
  /** In the order of their last use. */
  const recent = new Map<string, Scope.Closeable>()

  const remember = Effect.fnUntraced(function*(id: string) {
    const existing = recent.get(id)
    if (existing !== undefined) {
      recent.delete(id)
      return void recent.set(id, existing)
    }
    const scope = yield* Scope.fork(layer)
    recent.set(id, scope)
    yield* Effect.onError(
      Scope.provide(RcMap.get(sessions, id), scope),
      () => Effect.andThen(Effect.sync(() => recent.delete(id)), Scope.close(scope, Exit.void))
    )
    const [oldest] = recent
    if (recent.size <= maxIdle || oldest === undefined) return
    recent.delete(oldest[0])
    yield* Scope.close(oldest[1], Exit.void)
  })

  const openSessions: OpenSessions<A, E> = {
    get: (id) => Effect.tap(RcMap.get(sessions, id), () => Effect.uninterruptible(remember(id)))
  }
  return openSessions
})
