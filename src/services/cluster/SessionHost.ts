/** Runs the sessions that a runner of the cluster is given. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import type { RequestFailed } from "../../domain/control/RequestFailed.ts"

/** An open session. Operations and events may also name its subagents. */
export interface RunningSession {
  readonly run: (operation: Operation) => Effect.Effect<OperationResult, RequestFailed>
  /** Waits until nothing runs in `session` any more. */
  readonly settled: (session: string) => Effect.Effect<void, RequestFailed>
  readonly events: (session: string, from: number) => Stream.Stream<ClientEvent, RequestFailed>
}

export class SessionHost extends Context.Service<SessionHost, {
  /**
   * Opens the session `id` until the scope closes; what it left unfinished continues here, and later elsewhere. A session that is not
   * stored begins as `operation` says, if that is `Start` or `Fork`.
   */
  readonly open: (id: string, operation: Operation | undefined) => Effect.Effect<RunningSession, RequestFailed, Scope.Scope>
}>()("dacapo/SessionHost") {}
