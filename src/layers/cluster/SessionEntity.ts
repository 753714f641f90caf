/**
 * A session as an entity of Effect's cluster. Its id is that of the root session, so that a session and its subagents are on one
 * runner; its messages are the operations of the control protocol.
 */
import * as ClusterSchema from "effect/cluster/ClusterSchema"
import * as Entity from "effect/cluster/Entity"
import * as Rpc from "effect/rpc/Rpc"
import * as Schema from "effect/Schema"
import { WireEvent } from "../../domain/control/ClientEvent.ts"
import { Operation, OperationResult } from "../../domain/control/Operation.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"

/**
 * Work: a message that is stored until nothing runs in the session any more. Until then each owner of the session gets it again, so
 * that what a runner left unfinished continues on the next one. `key` makes it one message, however often it is sent.
 */
export const Work = Rpc.make("Work", {
  payload: { key: Schema.String, operation: Operation },
  primaryKey: ({ key }) => key,
  error: RequestFailed
}).annotate(ClusterSchema.Persisted, true).annotate(ClusterSchema.InterruptOnTermination, true)

/** One operation, done when it is answered. It is not stored: who sent it hears if its runner died. */
export const Operate = Rpc.make("Operate", {
  payload: { operation: Operation },
  success: OperationResult,
  error: RequestFailed
}).annotate(ClusterSchema.InterruptOnTermination, true)

/**
 * The client events of a session or of a subagent of it, from a sequence number on. A null every `heartbeatMs` says that the runner still
 * has the session: a stream may also end without a word, with a runner that is paused or has no time to say goodbye.
 */
export const Follow = Rpc.make("Follow", {
  payload: { session: Schema.String, from: Schema.Int },
  success: Schema.NullOr(WireEvent),
  error: RequestFailed,
  stream: true
}).annotate(ClusterSchema.InterruptOnTermination, true)

export const heartbeatMs = 2_000

export const SessionEntity = Entity.make("Session", [Work, Operate, Follow])
