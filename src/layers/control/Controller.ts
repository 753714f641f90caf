/**
 * The control protocol over the agent: every face that a program, an editor or a page talks to runs its operations and follows its
 * client events through here.
 */
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { ControlError, Detached } from "../../domain/control/ControlError.ts"
import type { Operation, OperationResult, Start } from "../../domain/control/Operation.ts"
import type { OperationFailure } from "../../domain/control/OperationFailure.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { Settings } from "../../services/Settings.ts"
import type { Storage } from "../../services/Storage.ts"
import type { PendingRequests } from "./PendingRequests.ts"

/** `pending` is also the agent's approver. `resolve` completes the options of a new session from settings and flags. */
export interface Options<E> {
  readonly pending: PendingRequests
  readonly resolve: (start: Start) => Effect.Effect<SessionOptions, E>
}

/**
 * `events`: the settled events of a session from `from` on, then all that happens, its requests and those of its subagents among
 * it. Nobody waits for a slow client: it loses live events, and is detached when it is `maxLag` events behind.
 */
export interface Controller<E> {
  readonly run: (operation: Operation) => Effect.Effect<OperationResult, ControlError | E | OperationFailure>
  readonly events: (session: string, from: number) => Stream.Stream<ClientEvent, Detached | LogError>
  /** Waits until nothing runs in the session any more. */
  readonly settled: (session: string) => Effect.Effect<void, LogError>
}

/** How many events may wait for a client. */
export const maxLag = 2_000

/** The controller of the sessions of one agent; `pending` must be the approver that this agent was built with. */
export const make = Effect.fnUntraced(function*<E>(
  { pending, resolve }: Options<E>
): Effect.fn.Return<Controller<E>, never, Agent | EventLog | Settings | Storage> {
  const agent = yield* Agent
  const [RunOperation, FollowSession] = yield* Effect.promise(() =>
    Promise.all([import("./RunOperation.ts"), import("./FollowSession.ts")])
  )
  return {
    run: yield* RunOperation.make(pending, resolve),
    events: yield* FollowSession.make(pending, maxLag),
    settled: (session) => Effect.asVoid(agent.settled(session))
  }
})
