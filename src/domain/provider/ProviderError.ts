/** What went wrong between us and a model, named for what can be done next. */
import * as Schema from "effect/Schema"

/**
 * - `Auth`: key missing or refused (401, 403, 404 of an account). `Quota`: money or plan ran out (402, insufficient_quota).
 * - `RateLimited`, `Overloaded`, `ServerFault`, `Connection`: worth another try. `retryAfterMs` is what the
 *   server asked for, or how long it is left alone.
 * - `StreamBroken`: the answer began and did not end. `Idle`: nothing came for too long.
 * - `ContextOverflow`: the prompt is too long. `BadRequest`: refused for what it says.
 * - `UnknownModel`: neither catalogue nor server knows it.
 * - `EmptyAnswer`: a whole answer without text, reasoning or call. `BadAnswer`: not what the wire promises (HTML, broken
 *   JSON). `lasting`: asking again would bring the same.
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

/** `provider` is the route's name; `status` and `requestId` as the server gave them; `message` in the server's words, without secrets. */
export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  provider: Schema.String,
  message: Schema.String,
  reason: ProviderReason,
  status: Schema.optionalKey(Schema.Int),
  requestId: Schema.optionalKey(Schema.String)
}) {}

/** How long the server asked us to wait, in ms; 0 when it did not say. */
export const retryAfter = (error: ProviderError): number =>
  "retryAfterMs" in error.reason ? error.reason.retryAfterMs ?? 0 : 0
