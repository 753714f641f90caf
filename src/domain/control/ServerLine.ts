/** The lines of `dacapo serve --stdio`: requests with numbers of the client's choice, and their responses, one JSON object a line. */
import * as Schema from "effect/Schema"
import { WireEvent } from "./ClientEvent.ts"
import { Operation, OperationResult } from "./Operation.ts"
import { OperationFailure } from "./OperationFailure.ts"

/** A stored session; times in ms since the epoch. */
export const StoredSession = Schema.Struct({
  id: Schema.String,
  cwd: Schema.String,
  title: Schema.String,
  model: Schema.String,
  created: Schema.Finite,
  updated: Schema.Finite,
  events: Schema.Int,
  isOpen: Schema.Boolean
}).annotate({ identifier: "StoredSession" })
export type StoredSession = typeof StoredSession.Type

const id = { id: Schema.Int }

/** `follow` has many responses, until `cancel` names its number or the server ends it. */
export const ClientLine = Schema.Union([
  Schema.Struct({ ...id, operation: Operation }),
  Schema.Struct({ ...id, sessions: Schema.Struct({ cwd: Schema.optionalKey(Schema.String) }) }),
  Schema.Struct({ ...id, follow: Schema.Struct({ session: Schema.String, from: Schema.Int }) }),
  Schema.Struct({ cancel: Schema.Int })
]).annotate({ identifier: "ClientLine" })
export type ClientLine = typeof ClientLine.Type

export const ServerLine = Schema.Union([
  Schema.Struct({ ...id, result: OperationResult }),
  Schema.Struct({ ...id, sessions: Schema.Array(StoredSession) }),
  Schema.Struct({ ...id, event: WireEvent }),
  /** Nothing follows any more; the client may follow again after the last event that it got. */
  Schema.Struct({ ...id, end: Schema.Literal(true) }),
  Schema.Struct({
    ...id,
    error: Schema.Struct({ reason: Schema.String, message: Schema.String, error: Schema.optionalKey(OperationFailure) })
  })
]).annotate({ identifier: "ServerLine" })
export type ServerLine = typeof ServerLine.Type
