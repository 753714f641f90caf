import { assert, describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { classify, clean } from "../../../src/domain/provider/ClassifyError.ts"
import { ProviderError, type ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import * as Retry from "../../../src/domain/provider/Retry.ts"

const now = Date.UTC(2026, 10, 1, 12)

describe("when a server wants to be asked again", () => {
  const spellings: ReadonlyArray<readonly [Record<string, string>, number | undefined]> = [
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "Sun, 01 Nov 2026 12:00:20 GMT" }, 20_000],
    [{ "retry-after": "Sun, 01 Nov 2026 11:59:00 GMT" }, 0],
    [{ "retry-after": "Sun, 01 Nov 2026 13:00:20 GMT", "date": "Sun, 01 Nov 2026 13:00:00 GMT" }, 20_000],
    [{ "retry-after": "Sun, 01 Nov 2026 11:00:20 GMT", "date": "Sun, 01 Nov 2026 11:00:00 GMT" }, 20_000],
    [{ "retry-after": "7", "date": "Sun, 01 Nov 2026 13:00:00 GMT" }, 7000],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "soon" }, undefined],
    [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "120ms" }, 300_000],
    [{ "x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms" }, 120],
    [{ "x-ratelimit-reset-requests": "1h2m3.5s" }, 300_000],
    [{ "x-ratelimit-reset-requests": "2m3.5s" }, 123_500],
    [{ "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-01T12:00:20Z" }, 20_000],
    [{ "x-ratelimit-reset": String(now / 1000 + 30) }, 30_000],
    [{ "x-ratelimit-reset": String(now + 30_000) }, 30_000],
    [{ "ratelimit-reset": "12" }, 12_000],
    [{}, undefined]
  ]
  for (const [headers, ms] of spellings) {
    it(`reads ${JSON.stringify(headers)}`, () => assert.strictEqual(Retry.retryAfterHeader(headers, now), ms))
  }

  it("reads it from the body, too", () => {
    assert.strictEqual(Retry.retryAfterInBody([{ error: { details: [{ retryDelay: "21s" }] } }], ""), 21_000)
    assert.strictEqual(Retry.retryAfterInBody({}, "Rate limit reached. Please try again in 1.2s."), 1200)
    assert.strictEqual(Retry.retryAfterInBody({}, "Slow down."), undefined)
  })
})

describe("an error answer", () => {
  it("is read from the header in which AWS names it", () =>
    assert.strictEqual(classify({ provider: "p", status: 400, headers: { "x-amzn-errortype": "ServiceQuotaExceededException:http://internal/" }, body: { message: "Too much." }, now }).reason._tag, "RateLimited"))
  const tag = (status: number, body: unknown): ProviderReason["_tag"] => classify({ provider: "p", status, headers: {}, body, now }).reason._tag
  const google = (code: number, message: string, status: string, ...details: ReadonlyArray<object>) => ({ error: { code, message, status, details } })
  const busy = "You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generate_requests, limit: 10\nPlease retry in 21.4s."
  const rows: ReadonlyArray<readonly [number, unknown, ProviderReason["_tag"]]> = [
    [400, google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", { reason: "API_KEY_INVALID" }), "Auth"],
    [400, google(400, "Invalid value at 'contents'.", "INVALID_ARGUMENT"), "BadRequest"],
    [400, google(400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT"), "ContextOverflow"],
    [404, google(404, "models/gemini-9 is not found for API version v1beta, or is not supported for generateContent.", "NOT_FOUND"), "UnknownModel"],
    [429, google(429, busy, "RESOURCE_EXHAUSTED", { violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier" }] }, { retryDelay: "21s" }), "RateLimited"],
    [429, google(429, "Resource has been exhausted.", "RESOURCE_EXHAUSTED", { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] }), "Quota"],
    [429, google(429, "Resource has been exhausted.", "RESOURCE_EXHAUSTED", { violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }), "RateLimited"],
    [429, google(429, busy, "RESOURCE_EXHAUSTED", { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }), "Quota"],
    [503, google(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"), "Overloaded"],
    [400, { message: "Input is too long for requested model." }, "ContextOverflow"],
    [400, { message: "The provided model identifier is invalid." }, "UnknownModel"],
    [403, { message: "The security token included in the request is invalid." }, "Auth"],
    [429, { message: "Too many requests, please wait before trying again." }, "RateLimited"],
    [424, { message: "The model returned an error.", type: "modelStreamErrorException" }, "ServerFault"],
    [400, { message: "Your account is not authorized to invoke this API operation.", __type: "com.amazon.coral#AccessDeniedException" }, "Auth"],
    [401, { error: { type: "authentication_error", message: "invalid x-api-key" } }, "Auth"],
    [403, { error: { message: "forbidden" } }, "Auth"],
    [404, { type: "error", error: { type: "not_found_error", message: "model: foo" } }, "UnknownModel"],
    [404, { error: { code: "model_not_found", message: "The requested one does not exist" } }, "UnknownModel"],
    [404, { error: { message: "Invalid URL (POST /chat/completions)" } }, "BadRequest"],
    [402, { error: { message: "Payment required" } }, "Quota"],
    [429, { error: { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your current quota" } }, "Quota"],
    [400, { error: { type: "invalid_request_error", message: "Your credit balance is too low to access the Anthropic API." } }, "Quota"],
    [429, { error: { type: "rate_limit_error" } }, "RateLimited"],
    [529, { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "Overloaded"],
    [503, "Service Unavailable", "Overloaded"],
    [400, { type: "error", error: { type: "api_error", message: "The request is not valid." } }, "BadRequest"],
    [500, "<html><title>Internal Server Error</title></html>", "ServerFault"],
    [502, "bad gateway", "ServerFault"],
    [504, "timeout", "ServerFault"],
    [408, "", "ServerFault"],
    [413, "", "ContextOverflow"],
    [400, { error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" } }, "ContextOverflow"],
    [400, { error: { message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.", code: "context_length_exceeded" } }, "ContextOverflow"],
    [400, { error: { message: "Your input exceeds the context window of this model. Please adjust your input and try again.", code: "context_length_exceeded" } }, "ContextOverflow"],
    [400, { error: { code: 400, message: "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).", status: "INVALID_ARGUMENT" } }, "ContextOverflow"],
    [400, { error: { code: 400, message: "the request exceeds the available context size. try increasing the context size or enable context shift", type: "exceed_context_size_error" } }, "ContextOverflow"],
    [400, { error: { message: "Unsupported parameter: 'max_tokens'", code: "unsupported_parameter" } }, "BadRequest"],
    [400, { type: "error", error: { type: "invalid_request_error", message: "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01" } }, "BadRequest"],
    [422, { detail: "wrong" }, "BadRequest"],
    [500, { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } }, "BadRequest"],
    [500, { error: { code: 500, message: "Unsupported param: tools", type: "server_error" } }, "BadRequest"],
    [302, "", "BadRequest"]
  ]
  for (const [status, body, expected] of rows) {
    it(`${status} ${JSON.stringify(body).slice(0, 90)} is ${expected}`, () => assert.strictEqual(tag(status, body), expected))
  }

  it("names the provider, the cause and the next step in one short line without keys", () => {
    const { message } = classify({ provider: "openai", status: 401, headers: {}, body: { error: { message: "Incorrect API key provided: sk-proj-abcdefghijklmnop.\nSee\u001b[31m docs." } }, now })
    assert.strictEqual(message, "openai returned 401: Incorrect API key provided: [key]. See [31m docs. Check the API key for openai: `dacapo auth status` shows where it comes from.")
    assert.isAtMost(clean("x".repeat(5000)).length, 500)
  })

  it("says when a limit ends", () => {
    const { message, reason } = classify({ provider: "openai", status: 429, headers: { "retry-after": "86400" }, body: { error: { message: "Slow down" } }, now })
    assert.deepStrictEqual([message, reason], ["openai returned 429: Slow down. The server asks to wait 24 h.", { _tag: "RateLimited", retryAfterMs: 86_400_000 }])
  })
})

describe("the rule of retries", () => {
  const error = (reason: ProviderReason) => new ProviderError({ provider: "p", message: "", reason })
  const pauses = (reason: ProviderReason, random = 0) => Array.from({ length: 7 }, (_, i) => Option.getOrNull(Retry.retryPause(error(reason), i + 1, random)))

  it("doubles the pause from one second to thirty, five times, between half of it and the whole", () => {
    assert.deepStrictEqual(pauses({ _tag: "ServerFault" }), [500, 1000, 2000, 4000, 8000, null, null])
    assert.deepStrictEqual(pauses({ _tag: "Overloaded" }, 0.999), [1000, 1999, 3998, 7996, 15_992, null, null])
    assert.strictEqual(Retry.maxPauseMs, 30_000)
  })
  it("gives broken and empty answers three more tries", () => {
    for (const reason of [{ _tag: "StreamBroken" }, { _tag: "EmptyAnswer" }, { _tag: "Idle", afterMs: 1 }] as const) {
      assert.deepStrictEqual(pauses(reason).map((pause) => pause !== null), [true, true, true, false, false, false, false])
    }
  })
  it("waits at least as long as the server asks, but never over five minutes", () => {
    assert.deepStrictEqual(pauses({ _tag: "RateLimited", retryAfterMs: 20_000 })[0], 20_000)
    assert.deepStrictEqual(pauses({ _tag: "RateLimited", retryAfterMs: 300_000 })[0], 300_000)
    assert.deepStrictEqual(pauses({ _tag: "RateLimited", retryAfterMs: 300_001 })[0], null)
  })
  it("does not try again what can't succeed", () => {
    for (const _tag of ["Auth", "Quota", "BadRequest", "ContextOverflow"] as const) assert.deepStrictEqual(pauses({ _tag })[0], null)
  })
})
