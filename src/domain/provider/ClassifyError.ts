/**
 * Classifies an error response by what can be done next: tables over the provider's error type, its message, and the status.
 * The patterns match messages observed from providers; an unknown 400 remains a BadRequest.
 */
import { optional } from "../Optional.ts"
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as ErrorBody from "./ErrorBody.ts"
import type { ErrorResponse } from "./Protocol.ts"
import { ProviderError, type ProviderReason } from "./ProviderError.ts"
import * as Retry from "./Retry.ts"

type ReasonTag = Exclude<ProviderReason["_tag"], "Idle" | "StreamBroken" | "EmptyAnswer">

/** `error.type`, `error.code` or `error.status`, the reasons of Google and the exceptions of AWS, as the wires spell them. */
const tagByType: Readonly<Record<string, ReasonTag>> = {
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

/** Messages for a prompt that is too long. */
const overflowPatterns: ReadonlyArray<RegExp> = [
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

/** Messages for exhausted credit, where the status alone suggests a rate limit or a bad request. */
const quotaPatterns: ReadonlyArray<RegExp> = [
  /insufficient[_ ](?:quota|balance|credits?|funds)/i,
  /exceeded your current quota/i,
  /credit balance is too low/i,
  /out of credits|payment required|billing/i
]

const tagByStatus = (status: number): ReasonTag =>
  status === 401 || status === 403 ? "Auth"
    : status === 402 ? "Quota"
    : status === 413 ? "ContextOverflow"
    : status === 429 ? "RateLimited"
    : status === 503 || status === 529 ? "Overloaded"
    : status === 408 || status === 409 || status >= 500 ? "ServerFault"
    : "BadRequest"

const secretPattern = /\b(?:(?:sk|pk|gsk|xai|nvapi|hf|csk|fw|r8|ghp|gho|AIza)[-_]?[A-Za-z0-9_\-*]{12,}|Bearer\s+\S{8,})/g

/** A message from a server, safe to show and store: one paragraph, at most 500 characters, no control characters, no keys. */
export const clean = (message: string): string =>
  message.slice(0, 2000).replace(secretPattern, "[key]").replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, " ").trim()
    .slice(0, 500)

const reasonTag = (status: number, types: ReadonlyArray<string>, message: string): ReasonTag => {
  const fromType = types.map((type) => OwnProperty.get(tagByType, type) ?? OwnProperty.get(tagByType, exceptionName(type))).find((match) =>
    match !== undefined
  )
  if (fromType === "ContextOverflow" || fromType === "Quota") return fromType
  if (
    (status === 404 && /\bmodels?\b/i.test(`${message} ${types.join(" ").replaceAll("_", " ")}`)) ||
    (status === 400 && unknownModelPattern.test(message))
  ) return "UnknownModel"
  if ((status === 400 || status === 413 || status === 422 || status === 500) && overflowPatterns.some((pattern) => pattern.test(message)))
    return "ContextOverflow"
  // Google also calls the limit per minute a quota, and suggests a retry delay even if the quota of the day is exhausted.
  if (status === 429 && types.some((type) => /PerDay/.test(type))) return "Quota"
  if (status === 429 && /please retry in/i.test(message)) return "RateLimited"
  if ((status === 400 || status === 403 || status === 429) && quotaPatterns.some((pattern) => pattern.test(message))) return "Quota"
  // A server that calls a refused request an error of its own (api_error with 400) would refuse it again.
  if (status === 400 && fromType === "ServerFault" || status === 500 && toolSetupPattern.test(message)) return "BadRequest"
  return status >= 300 && status !== 400 && status !== 424 ? tagByStatus(status) : fromType ?? tagByStatus(status)
}

/** `throttlingException` in a stream, `com.amazon.coral#ThrottlingException:http://…` in a header. */
const exceptionName = (type: string): string => {
  const name = type.replace(/:.*$/, "").replace(/^.*#/, "")
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The message with which AWS reports an unknown model, with status 400. */
const unknownModelPattern = /model identifier is invalid/i

/** The messages with which llama.cpp refuses native tools that it was not started for, with status 500. */
const toolSetupPattern = /\btool(?:s|_choice) param requires\b|\bunsupported param: tool/i

const requestIds = ["request-id", "x-request-id", "x-amzn-requestid", "cf-ray"]

/** What to do next, by reason. */
const advice: Partial<Record<ReasonTag, (response: ErrorResponse) => string>> = {
  UnknownModel: ({ provider }) =>
    ` Check its name, and that your API key may use it. Run \`dacapo models\` to list the models of ${provider}.`,
  Auth: ({ provider }) => ` Check the API key for ${provider}: \`dacapo auth status\` shows where it comes from.`,
  Quota: ({ provider }) => ` Add credit at ${provider} and continue (\`dacapo --continue\`), or use another model (--model).`,
  BadRequest: ({ status }) =>
    status === 404 ? " Nothing answers at this address: check the base URL."
      : status >= 300 && status < 400 ? " The server redirects elsewhere. Redirects are not followed, to protect the API key."
      : ""
}

/** The error for an error response. */
export const classify = (response: ErrorResponse): ProviderError => {
  const { message, types: bodyTypes } = ErrorBody.read(response.body)
  const types = [...bodyTypes, response.headers["x-amzn-errortype"]].filter((type) => type !== undefined)
  const tag = reasonTag(response.status, types, message)
  const retryAfterMs = Retry.retryAfterHeader(response.headers, response.now) ?? Retry.retryAfterInBody(response.body, message)
  const requestId = requestIds.map((name) => response.headers[name]).find((id) => id !== undefined)
  const text = clean(message) || `status ${response.status}`
  const hasPause = retryAfterMs !== undefined && (tag === "RateLimited" || tag === "Overloaded" || tag === "ServerFault")
  const pauseText = hasPause && retryAfterMs > 0 ? ` The server asks to wait ${Retry.durationText(retryAfterMs)}.` : ""
  return new ProviderError({
    provider: response.provider,
    message: `${response.provider} returned ${response.status}: ${text}${/[.!?]$/.test(text) ? "" : "."}${pauseText}${
      advice[tag]?.(response) ?? ""
    }`,
    reason: hasPause ? { _tag: tag, retryAfterMs } : tag === "UnknownModel" ? { _tag: tag, near: [] } : { _tag: tag },
    ...(response.status > 0 ? { status: response.status } : {}),
    ...optional({ requestId })
  })
}
