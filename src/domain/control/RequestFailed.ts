/** Why a request to a server or to a runner could not be done, or not now, as they send it to their clients. */
import * as Schema from "effect/Schema"
import { OperationFailure } from "./OperationFailure.ts"

/** As a sentence and in its parts. `NotFound`: there is no such session. `error`: the same as data, for our own clients. */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  reason: Schema.Literals(["Invalid", "NotFound", "Failed"]),
  message: Schema.String,
  parts: Schema.optionalKey(Schema.Struct({ headline: Schema.String, cause: Schema.String, next: Schema.String })),
  error: Schema.optionalKey(OperationFailure)
}) {}

/** A tenant has as much as its limits allow for now. The request has no effect; it may be sent again after `retryAfter` seconds. */
export class LimitReached extends Schema.TaggedError<LimitReached>()("LimitReached", {
  message: Schema.String,
  retryAfter: Schema.Int
}) {}
