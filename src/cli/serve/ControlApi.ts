/** The HTTP API of `dacapo serve`: the control protocol, typed by its own schemas. Its OpenAPI document is made from this. */
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { WireEvent } from "../../domain/control/ClientEvent.ts"
import { Operation, OperationResult } from "../../domain/control/Operation.ts"
import { LimitReached, RequestFailed } from "../../domain/control/RequestFailed.ts"
import { StoredSession } from "../../domain/control/ServerLine.ts"

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

/** With the header `Retry-After`. */
const limited = LimitReached.pipe(HttpApiSchema.status(429))

export const ControlApi = HttpApi.make("dacapo").annotate(OpenApi.Title, "dacapo control protocol").add(
  HttpApiGroup.make("control")
    .add(HttpApiEndpoint.get("sessions", "/sessions", {
      query: { cwd: Schema.optional(Schema.String) },
      success: Schema.Array(StoredSession),
      error: failures
    }))
    .add(HttpApiEndpoint.post("operate", "/operations", { payload: Operation, success: OperationResult, error: [...failures, limited] }))
    .add(HttpApiEndpoint.get("events", "/sessions/:session/events", {
      params: { session: Schema.String },
      query: { from: Schema.optional(SequenceNumber) },
      headers: { "last-event-id": Schema.optional(Schema.String) },
      success: HttpApiSchema.StreamSse({ events: EventMessage }),
      error: failures
    }))
)
