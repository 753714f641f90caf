/** The sessions behind a server: those that its process runs, or those of a cluster. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ClientEvent } from "../../domain/control/ClientEvent.ts"
import type { Operation, OperationResult } from "../../domain/control/Operation.ts"
import type { RequestFailed } from "../../domain/control/RequestFailed.ts"
import type { StoredSession } from "../../domain/control/ServerLine.ts"

/** `events` end when the client can't be served any more: it may connect again after the last settled event that it got. */
export interface ServedSessions {
  readonly isOpen: (id: string) => boolean
  readonly list: (cwd: string | undefined) => Effect.Effect<ReadonlyArray<StoredSession>, RequestFailed>
  readonly run: (operation: Operation) => Effect.Effect<OperationResult, RequestFailed>
  readonly events: (id: string, from: number) => Effect.Effect<Stream.Stream<ClientEvent>, RequestFailed>
}
