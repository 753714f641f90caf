/** Why a request to a server or to a runner could not be done, as they send it to their clients. */
import * as Schema from "effect/Schema"
import { OperationFailure } from "./OperationFailure.ts"

/** A sentence. `NotFound`: there is no such session. `error`: the same as data, for our own clients. */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  reason: Schema.Literals(["Invalid", "NotFound", "Failed"]),
  message: Schema.String,
  error: Schema.optionalKey(OperationFailure)
}) {}
