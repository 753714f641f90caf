/** The sessions behind a server: those that its process runs, or those of a cluster. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import type { WaitingRequest } from "../../domain/control/PageData.ts"
import type { LimitReached, RequestFailed } from "../../domain/control/RequestFailed.ts"
import type { StoredSession } from "../../domain/control/ServerLine.ts"

/** `events` end when the client can't be served any more: it may connect again after the last settled event that it got. */
export interface ServedSessions {
  readonly isOpen: (id: string) => boolean
  /** What waits for an answer in the sessions that are open in this process. */
  readonly waiting: Effect.Effect<ReadonlyArray<WaitingRequest>>
  readonly list: (cwd: string | undefined) => Effect.Effect<ReadonlyArray<StoredSession>, RequestFailed>
  readonly run: (operation: Operation) => Effect.Effect<OperationResult, LimitReached | RequestFailed>
  readonly events: (id: string, from: number) => Effect.Effect<Stream.Stream<ClientEvent>, RequestFailed>
}
