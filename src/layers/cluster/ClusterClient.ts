/** Sends operations to the sessions of a cluster and follows their events, wherever they run and whenever they move. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"
import { heartbeatMs, SessionEntity } from "./SessionEntity.ts"

/** `root` is the session whose entity has the one that the operation names: itself, unless that is a subagent. */
export interface ClusterClient {
  /** The operation runs once, and is answered; `Say` and `Continue` are stored first, so that nothing of them is lost. */
  readonly run: (root: string, operation: Operation, key: string) => Effect.Effect<OperationResult, RequestFailed>
  /** Ends only with an error that another attempt would meet as well. */
  readonly events: (root: string, session: string, from: number) => Stream.Stream<ClientEvent, RequestFailed>
}

/** How long a session is waited for: a runner that was killed is replaced in less. */
const maxWait = "30 seconds"

/** How long one attempt waits, and a stream for its next sign of life: what got lost with a runner is not answered. */
const attemptMs = 4 * heartbeatMs

const again = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("2 seconds")])

/** Operations that change nothing when they are run a second time. */
const repeatable: ReadonlySet<Operation["_tag"]> = new Set([
  "Fork",
  "Interrupt",
  "Replay",
  "Say",
  "SetEffort",
  "SetMode",
  "SetModel",
  "Start"
])

/** What is stored until the session that it makes work has settled. */
export const isWork = ({ _tag }: Operation): boolean => _tag === "Say" || _tag === "Continue"

const away = (session: string) =>
  new RequestFailed({
    reason: "Failed",
    message: `No runner answers for the session ${session}. Check the runners of the cluster, or start one with \`dacapo runner\`.`
  })

/** The refusal by the session itself, if the runner has one to report. */
const refusalOf = (cause: Cause.Cause<unknown>): RequestFailed | undefined => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof RequestFailed ? error : undefined
}

const isPassing = ({ error, reason }: RequestFailed): boolean => reason === "Failed" && (error === undefined || error._tag === "LogError")

/** Who gives up does not wait until the effect has stopped, for which the runner would have to answer. */
const detached = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.forkDetach(effect),
    (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.forkDetach(Fiber.interrupt(fiber)))
  )

const detachedStream = <A, E>(stream: Stream.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.callback<A, E>((queue) =>
    stream.pipe(
      Stream.runForEach((item) => Queue.offer(queue, item)),
      Effect.matchCause({ onFailure: (cause) => Queue.failCauseUnsafe(queue, cause), onSuccess: () => Queue.endUnsafe(queue) }),
      detached
    ), { bufferSize: 16, strategy: "suspend" })

export const make = Effect.gen(function*() {
  const clientOf = yield* SessionEntity.client

  /** A runner that died, or was about to lose the session, is not the session's answer. */
  const send = <A, E>(session: string, effect: Effect.Effect<A, E>, isRepeatable: boolean): Effect.Effect<A, RequestFailed> =>
    (isRepeatable ? Effect.timeout(detached(effect), attemptMs) : detached(effect)).pipe(
      Effect.catchCause((cause) => Effect.fail(refusalOf(cause) ?? away(session))),
      Effect.retry({ while: (failure) => isRepeatable && isPassing(failure), schedule: Schedule.upTo(again, { duration: maxWait }) }),
      Effect.timeoutOrElse({ duration: maxWait, orElse: () => Effect.fail(away(session)) })
    )

  const run: ClusterClient["run"] = Effect.fnUntraced(function*(root, operation, key) {
    const client = clientOf(root)
    if (isWork(operation)) yield* send(root, client.Work({ key, operation }, { discard: true }), true)
    if (operation._tag === "Continue") return { session: operation.session }
    return yield* send(root, client.Operate({ operation }), repeatable.has(operation._tag))
  })

  const events: ClusterClient["events"] = (root, session, from) => {
    let next = from
    /** Requests that the client was shown. Those that still wait are shown again by the next runner. */
    const requestIds = new Set<string>()
    const withdraw = (): ReadonlyArray<ClientEvent> => {
      const ids = [...requestIds]
      requestIds.clear()
      return ids.map((id) => ({ _tag: "Resolved", id, session }))
    }
    /** What the client is shown of an event: the cluster itself asks the next runner again when one dies, from the first event on. */
    const accept = (event: ClientEvent): ReadonlyArray<ClientEvent> => {
      if (event._tag === "Requested") requestIds.add(event.request.id)
      if (event._tag === "Resolved") requestIds.delete(event.id)
      if (event._tag !== "Settled") return [event]
      if (event.at.seq < next) return withdraw()
      next = event.at.seq + 1
      return [event]
    }
    const follow = Stream.suspend(() => detachedStream(clientOf(root).Follow({ session, from: next }))).pipe(
      Stream.timeoutOrElse({ duration: attemptMs, orElse: () => Stream.fail(away(session)) }),
      Stream.catchCause((cause) => Stream.fail(refusalOf(cause) ?? away(session))),
      Stream.map((event) => event === null ? [] : accept(event as ClientEvent)),
      // The session was closed, and opens where it is followed.
      Stream.concat(Stream.fail(away(session)))
    )
    return Stream.concat(Stream.sync(withdraw), follow).pipe(
      Stream.flattenIterable,
      Stream.retry(Schedule.while(Schedule.setInputType<RequestFailed>()(again), ({ input }) => isPassing(input)))
    )
  }

  return { run, events } satisfies ClusterClient as ClusterClient
})
