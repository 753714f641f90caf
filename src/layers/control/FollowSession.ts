/** What a client sees of a session: its events, and the requests that wait for an answer. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import { Detached } from "../../domain/control/ControlError.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import { Agent } from "../../services/Agent.ts"
import type { PendingRequests } from "./PendingRequests.ts"

/** `maxLag` events may wait for the client. */
export const make = Effect.fnUntraced(function*(pending: PendingRequests, maxLag: number) {
  const agent = yield* Agent

  /** Whether a session is this one, or a subagent below it. A request without a session is for everyone. */
  const belongs = (session: string, root: string): Effect.Effect<boolean> =>
    session === root
      ? Effect.succeed(true)
      : agent.state(session).pipe(
        Effect.flatMap(({ parent }) => parent === undefined ? Effect.succeed(false) : belongs(parent, root)),
        Effect.orElseSucceed(() => false)
      )

  const events = (session: string, from: number): Stream.Stream<ClientEvent, Detached | LogError> =>
    Stream.callback<ClientEvent, Detached | LogError>((queue) =>
      Effect.gen(function*() {
        const { seq: pastSeq } = yield* agent.state(session)
        let lastSeq = from - 1
        const push = (event: ClientEvent, isLive: boolean): Effect.Effect<void, Detached> => {
          if (isLive && Queue.sizeUnsafe(queue) > maxLag / 2) return Effect.void
          return Queue.offerUnsafe(queue, event) ? Effect.void : new Detached({ session, seq: lastSeq })
        }
        const requests = yield* Queue.unbounded<ClientEvent & { readonly _tag: "Requested" | "Resolved" }>()
        yield* Effect.acquireRelease(
          Effect.sync(() => pending.subscribe((event) => Queue.offerUnsafe(requests, event))),
          (unsubscribe) => Effect.sync(unsubscribe)
        )
        const followRequests = Stream.fromQueue(requests).pipe(
          Stream.runForEach(Effect.fnUntraced(function*(event) {
            const asking = event._tag === "Requested" ? event.request.session : event.session
            if (asking === undefined || (yield* belongs(asking, session))) yield* push(event, false)
          }))
        )
        const followLog = agent.follow(session, from).pipe(
          Stream.runForEach((event) => {
            if (event._tag !== "Settled") return push(event, true)
            // What is past is read at the client's own pace.
            const delivery = event.at.seq <= pastSeq ? Effect.asVoid(Queue.offer(queue, event)) : push(event, false)
            return Effect.map(delivery, () => void (lastSeq = event.at.seq))
          })
        )
        yield* Effect.raceFirst(followRequests, followLog)
      }).pipe(Effect.catchCause((cause) => Queue.failCause(queue, cause))), { bufferSize: maxLag, strategy: "suspend" })

  return events
})
