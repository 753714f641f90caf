/** Errors of a request to a model, by what can be done next. */
import * as Schema from "effect/Schema"

/**
 * - `Auth`: the key is missing or rejected (401, 403, 404 of an account). `Quota`: no credit left (402, insufficient_quota).
 * - `RateLimited`, `Overloaded`, `ServerFault`, `Connection`: worth a retry. `retryAfterMs` is how long the server
 *   asks to wait, or how long the circuit breaker stays open.
 * - `StreamBroken`: the response began and did not end. `Idle`: the server was silent for too long.
 * - `ContextOverflow`: the prompt is too long. `BadRequest`: the request was rejected for its content.
 * - `UnknownModel`: neither the catalogue nor the server has it.
 * - `EmptyAnswer`: a complete response without content. `BadAnswer`: a response that violates the wire (HTML, broken
 *   JSON). `lasting`: a retry would fail in the same way.
 */
export const ProviderReason = Schema.TaggedUnion({
  Auth: {},
  Quota: {},
  RateLimited: { retryAfterMs: Schema.optionalKey(Schema.Finite) },
  Overloaded: { retryAfterMs: Schema.optionalKey(Schema.Finite) },
  ServerFault: { retryAfterMs: Schema.optionalKey(Schema.Finite) },
  Connection: { retryAfterMs: Schema.optionalKey(Schema.Finite), lasting: Schema.optionalKey(Schema.Boolean) },
  StreamBroken: {},
  Idle: { afterMs: Schema.Finite },
  ContextOverflow: {},
  BadRequest: {},
  UnknownModel: { near: Schema.Array(Schema.String) },
  EmptyAnswer: {},
  BadAnswer: { lasting: Schema.optionalKey(Schema.Boolean) }
}).annotate({ identifier: "ProviderReason" })
export type ProviderReason = typeof ProviderReason.Type

/** `provider` is the route's name; `status` and `requestId` are the server's; `message` is the server's text without secrets. */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  message: Schema.String,
  reason: ProviderReason,
  status: Schema.optionalKey(Schema.Int),
  requestId: Schema.optionalKey(Schema.String)
}) {}

/** How long the server asks to wait, in ms; 0 if it does not say. */
export const retryAfterMsOf = (error: ProviderError): number => "retryAfterMs" in error.reason ? error.reason.retryAfterMs ?? 0 : 0
