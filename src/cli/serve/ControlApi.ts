/** The HTTP API of `dacapo serve`: the control protocol, typed by its own schemas. Its OpenAPI document is made from this. */
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { WireEvent } from "../../domain/control/ClientEvent.ts"
import { Operation, OperationResult } from "../../domain/control/Operation.ts"
import { OperationFailure } from "../../domain/control/OperationFailure.ts"
import { StoredSession } from "../../domain/control/ServerLine.ts"

/**
 * Why a request could not be done, as a sentence and in its parts. `NotFound`: there is no such session. `error`: the same as data, for
 * our own clients.
 */
export class RequestFailed extends Schema.TaggedError<RequestFailed>()("RequestFailed", {
  reason: Schema.Literals(["Invalid", "NotFound", "Failed"]),
  message: Schema.String,
  parts: Schema.optionalKey(Schema.Struct({ headline: Schema.String, cause: Schema.String, next: Schema.String })),
  error: Schema.optionalKey(OperationFailure)
}) {}

/** A server-sent event: `id` is the sequence number of a settled event, `data` the client event as JSON. */
const EventMessage = Schema.Struct({
  id: Schema.optional(Schema.String),
  event: Schema.Literal("message"),
  data: Schema.fromJsonString(WireEvent)
})

const SequenceNumber = Schema.NumberFromString.pipe(Schema.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(0)))

const failures = [
  RequestFailed.pipe(HttpApiSchema.status(422))
] as const

export const ControlApi = HttpApi.make("dacapo").annotate(OpenApi.Title, "dacapo control protocol").add(
  HttpApiGroup.make("control")
    .add(HttpApiEndpoint.get("sessions", "/sessions", {
      query: { cwd: Schema.optional(Schema.String) },
      success: Schema.Array(StoredSession),
      error: failures
    }))
    .add(HttpApiEndpoint.post("operate", "/operations", { payload: Operation, success: OperationResult, error: failures }))
    .add(HttpApiEndpoint.get("events", "/sessions/:session/events", {
      params: { session: Schema.String },
      query: { from: Schema.optional(SequenceNumber) },
      headers: { "last-event-id": Schema.optional(Schema.String) },
      success: HttpApiSchema.StreamSse({ events: EventMessage }),
      error: failures
    }))
)
