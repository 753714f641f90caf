/**
 * From an error answer to what can be done next: tables over the provider's own type, its words, and the status.
 * The wordings are those that providers were seen to use; an unknown 400 stays a BadRequest.
 */
import type { ErrorAnswer } from "./Protocol.ts"
import { ProviderError, type ProviderReason } from "./ProviderError.ts"
import * as RetryAfter from "./RetryAfter.ts"

type Family = Exclude<ProviderReason["_tag"], "Idle" | "StreamBroken" | "EmptyAnswer">

/** `error.type`, `error.code` or `error.status`, the reasons of Google and the exceptions of AWS, as the wires spell them. */
const byType: Readonly<Record<string, Family>> = {
  authentication_error: "Auth",
  permission_error: "Auth",
  invalid_api_key: "Auth",
  PERMISSION_DENIED: "Auth",
  UNAUTHENTICATED: "Auth",
  billing_error: "Quota",
  insufficient_quota: "Quota",
  insufficient_balance: "Quota",
  billing_hard_limit_reached: "Quota",
  rate_limit_error: "RateLimited",
  rate_limit_exceeded: "RateLimited",
  tokens: "RateLimited",
  overloaded_error: "Overloaded",
  engine_overloaded: "Overloaded",
  api_error: "ServerFault",
  timeout_error: "ServerFault",
  server_error: "ServerFault",
  context_length_exceeded: "ContextOverflow",
  exceed_context_size_error: "ContextOverflow",
  request_too_large: "ContextOverflow",
  string_above_max_length: "ContextOverflow",
  API_KEY_INVALID: "Auth",
  ACCESS_TOKEN_EXPIRED: "Auth",
  SERVICE_DISABLED: "Auth",
  AccessDeniedException: "Auth",
  ExpiredTokenException: "Auth",
  UnrecognizedClientException: "Auth",
  ThrottlingException: "RateLimited",
  ServiceQuotaExceededException: "RateLimited",
  ModelNotReadyException: "Overloaded",
  ServiceUnavailableException: "Overloaded",
  ModelErrorException: "ServerFault",
  ModelStreamErrorException: "ServerFault",
  ModelTimeoutException: "ServerFault",
  InternalServerException: "ServerFault"
}

/** How providers say that a prompt is too long. */
const overflow: ReadonlyArray<RegExp> = [
  /prompt is too long/i,
  /maximum context length/i,
  /context window/i,
  /context[_ ](?:length|size|limit)/i,
  /input (?:length|token count|tokens?).{0,40}exceeds?/i,
  /too many (?:input |total )?tokens/i,
  /maximum (?:prompt|input) length/i,
  /input is too long/i,
  /(?:prompt|request|input) (?:contains|has|is) .{0,40}tokens?.{0,60}(?:exceed|maximum|limit|too)/i,
  /reduce the length of the (?:messages|prompt|input)/i,
  /request entity too large|request_too_large|payload too large/i
]

/** Words for money that ran out, where the status alone reads as a rate limit or a bad request. */
const quota: ReadonlyArray<RegExp> = [
  /insufficient[_ ](?:quota|balance|credits?|funds)/i,
  /exceeded your current quota/i,
  /credit balance is too low/i,
  /out of credits|payment required|billing/i
]

const byStatus = (status: number): Family =>
  status === 401 || status === 403 || status === 404 ? "Auth"
  : status === 402 ? "Quota"
  : status === 413 ? "ContextOverflow"
  : status === 429 ? "RateLimited"
  : status === 503 || status === 529 ? "Overloaded"
  : status === 408 || status === 409 || status >= 500 ? "ServerFault"
  : status < 300 ? "BadAnswer"
  : "BadRequest"

/** What an error body says: its types and codes, and its message, wherever this provider keeps them. */
const read = (body: unknown): { readonly types: ReadonlyArray<string>; readonly message: string } => {
  if (typeof body === "string") {
    const page = /<(?:!doctype|html|head|body)/i.exec(body) !== null
    return { types: [], message: page ? pageTitle(body) : body }
  }
  if (Array.isArray(body)) return read(body[0])
  if (typeof body !== "object" || body === null) return { types: [], message: "" }
  const outer = body as Readonly<Record<string, unknown>>
  const inner = (typeof outer.error === "object" && outer.error !== null ? outer.error : outer) as typeof outer
  const reasons = Array.isArray(inner.details) ? inner.details.flatMap(detailed) : []
  const types = [...reasons, inner.type, inner.code, inner.status, outer.type, outer.code, outer.__type].filter((type) => typeof type === "string")
  const message = [inner.message, outer.message, outer.error, inner.detail, outer.detail].find((text) => typeof text === "string")
  return { types, message: typeof message === "string" ? message : JSON.stringify(body) }
}

/** What a detail of Google's names: a reason, or the quotas that were used up. */
const detailed = (detail: { readonly reason?: unknown; readonly violations?: ReadonlyArray<{ readonly quotaId?: unknown }> } | null): ReadonlyArray<unknown> =>
  [detail?.reason, ...(Array.isArray(detail?.violations) ? detail.violations.map(({ quotaId }) => quotaId) : [])]

const pageTitle = (html: string): string => {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(html.slice(0, 20_000))?.[1]?.trim()
  return title === undefined ? "an HTML page came in place of an answer" : `an HTML page came in place of an answer: ${title}`
}

const secrets = /\b(?:(?:sk|pk|gsk|xai|nvapi|hf|csk|fw|r8|ghp|gho|AIza)[-_]?[A-Za-z0-9_\-*]{12,}|Bearer\s+\S{8,})/g

/** Words of a server, fit to be shown and kept: one paragraph, at most 500 characters, no controls, no keys. */
export const clean = (message: string): string =>
  message.slice(0, 2000).replace(secrets, "[key]").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ").trim().slice(0, 500)

const family = (status: number, types: ReadonlyArray<string>, message: string): Family => {
  const told = types.map((type) => byType[type] ?? byType[exception(type)]).find((known) => known !== undefined)
  if (told === "ContextOverflow" || told === "Quota") return told
  if ((status === 404 && /\bmodels?\b/i.test(`${message} ${types.join(" ").replaceAll("_", " ")}`)) || (status === 400 && noModel.test(message))) return "UnknownModel"
  if ((status === 400 || status === 413 || status === 422 || status === 500) && overflow.some((words) => words.test(message))) return "ContextOverflow"
  // Google speaks of a quota for the limit of a minute, too, and then says when to come back.
  if (status === 429 && /please retry in/i.test(message)) return types.some((type) => /PerDay/.test(type)) ? "Quota" : "RateLimited"
  if ((status === 400 || status === 403 || status === 429) && quota.some((words) => words.test(message))) return "Quota"
  return status >= 300 && status !== 400 && status !== 424 ? byStatus(status) : told ?? byStatus(status)
}

/** `throttlingException` in mid-stream, `com.amazon.coral#ThrottlingException:http://…` in a header. */
const exception = (type: string): string => {
  const name = type.replace(/:.*$/, "").replace(/^.*#/, "")
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** How AWS says under a 400 that it has no such model. */
const noModel = /model identifier is invalid/i

const requestIds = ["request-id", "x-request-id", "x-amzn-requestid", "cf-ray"]

/** What to do next, said where the family knows it. */
const advice: Partial<Record<Family, (answer: ErrorAnswer) => string>> = {
  UnknownModel: ({ provider }) => ` Is its name right, and may this key use it? "dacapo models" lists what ${provider} is known to have.`,
  Auth: ({ provider, status }) =>
    status === 404
      ? " Is the base URL right?"
      : ` Check the key for ${provider}: "dacapo doctor" tells where it comes from.`,
  Quota: ({ provider }) => ` Add credit at ${provider}, or choose another model with --model.`,
  BadRequest: ({ status }) => status >= 300 && status < 400 ? " The server redirects elsewhere; redirects are not followed, so that no key goes astray." : ""
}

/** The error for an answer that is one. */
export const classify = (answer: ErrorAnswer): ProviderError => {
  const { message, types: inBody } = read(answer.body)
  const types = [...inBody, answer.headers["x-amzn-errortype"]].filter((type) => type !== undefined)
  const tag = family(answer.status, types, message)
  const retryAfterMs = RetryAfter.parse(answer.headers, answer.now) ?? RetryAfter.inBody(answer.body, message)
  const requestId = requestIds.map((name) => answer.headers[name]).find((id) => id !== undefined)
  const said = clean(message) || `status ${answer.status}`
  const waits = retryAfterMs !== undefined && (tag === "RateLimited" || tag === "Overloaded" || tag === "ServerFault")
  const when = waits && retryAfterMs > 0 ? ` It asks to wait ${RetryAfter.words(retryAfterMs)}.` : ""
  return new ProviderError({
    provider: answer.provider,
    message: `${answer.provider} answered ${answer.status}: ${said}${/[.!?]$/.test(said) ? "" : "."}${when}${advice[tag]?.(answer) ?? ""}`,
    reason: waits ? { _tag: tag, retryAfterMs } : tag === "UnknownModel" ? { _tag: tag, near: [] } : { _tag: tag },
    ...(answer.status > 0 ? { status: answer.status } : {}),
    ...(requestId === undefined ? {} : { requestId })
  })
}
