/** The types, codes, message and status in the body of an error, wherever a provider puts them. */
import * as OwnProperty from "../parser/OwnProperty.ts"
import * as Reader from "./Reader.ts"

export interface ErrorBody {
  readonly types: ReadonlyArray<string>
  readonly message: string
  /** The status of the error, or the one it would have had as a response; undefined if the body does not say. */
  readonly status: number | undefined
}

export const read = (body: unknown): ErrorBody => {
  if (typeof body === "string") {
    const page = /<(?:!doctype|html|head|body)/i.exec(body) !== null
    return { types: [], message: page ? pageTitle(body) : body, status: undefined }
  }
  if (Array.isArray(body)) return read(body[0])
  const outer = Reader.fields(body)
  if (outer === undefined) return { types: [], message: "", status: undefined }
  const inner = Reader.fields(outer["error"]) ?? outer
  const details = Reader.list(detail)(inner["details"]) ?? []
  const types = [...details.flatMap(namesOf), inner["type"], inner["code"], inner["status"], outer["type"], outer["code"], outer["__type"]]
    .filter((type) => typeof type === "string")
  const message = [inner["message"], outer["message"], outer["error"], inner["detail"], outer["detail"]].find((text) =>
    typeof text === "string"
  )
  const numbers = [inner, outer].flatMap(({ code, status, status_code }) => [status, status_code, code]).map(Number)
  return {
    types,
    message: typeof message === "string" ? message : JSON.stringify(body),
    status: numbers.find((number) => number >= 400 && number < 600) ??
      types.map((type) => OwnProperty.get(statusByType, type)).find((status) => status !== undefined)
  }
}

/** What an error detail of Google's names: a reason, or the exhausted quotas. */
const detail = Reader.record({ reason: Reader.text, violations: Reader.list(Reader.record({ quotaId: Reader.text })) })
const namesOf = (
  { reason, violations = [] }: Reader.Value<typeof detail>
): ReadonlyArray<string | undefined> => [reason, ...violations.map(({ quotaId }) => quotaId)]

const pageTitle = (html: string): string => {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(html.slice(0, 20_000))?.[1]?.trim()
  return title === undefined ? "an HTML page instead of a response" : `an HTML page instead of a response: ${title}`
}

/** The status that an error type would have as a response, as the wires spell the types. */
const statusByType: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  invalid_prompt: 400,
  context_length_exceeded: 400,
  tool_use_failed: 400,
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  validationException: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  UNAUTHENTICATED: 401,
  billing_error: 402,
  permission_error: 403,
  PERMISSION_DENIED: 403,
  accessDeniedException: 403,
  not_found_error: 404,
  NOT_FOUND: 404,
  resourceNotFoundException: 404,
  modelTimeoutException: 408,
  request_too_large: 413,
  modelErrorException: 424,
  modelStreamErrorException: 424,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  RESOURCE_EXHAUSTED: 429,
  throttlingException: 429,
  api_error: 500,
  server_error: 500,
  INTERNAL: 500,
  internalServerException: 500,
  UNAVAILABLE: 503,
  serviceUnavailableException: 503,
  timeout_error: 504,
  DEADLINE_EXCEEDED: 504,
  overloaded_error: 529,
  server_is_overloaded: 529,
  slow_down: 529
}

/** An error in the middle of a response. Without a status or type it is a server error. */
export const streamFailure = (body: unknown): { readonly status: number; readonly body: unknown } => ({
  status: read(body).status ?? 500,
  body
})
