/** What can go wrong between dacapo and an endpoint, as errors with a readable reason. No error contains the endpoint's key. */
import * as Redacted from "effect/Redacted"
import { clean } from "../../../domain/provider/ClassifyError.ts"
import type { Headers as HeaderFields } from "../../../domain/provider/Protocol.ts"
import { ProviderError, type ProviderReason } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../../services/Route.ts"

export type HttpErrors = ReturnType<typeof httpErrors>

/** A shorter key would black out parts of ordinary words. */
const minSecretLength = 4

/** The errors of one endpoint. */
export const httpErrors = (endpoint: Endpoint) => {
  const { idleMs, key, provider } = endpoint
  const secret = key === undefined ? "" : Redacted.value(key)
  const redact = (message: string) => secret.length < minSecretLength ? message : message.replaceAll(secret, "[key]")
  const make = (reason: ProviderReason, message: string) => new ProviderError({ provider, reason, message: redact(message) })
  return {
    make,
    redacted: (error: ProviderError) => new ProviderError({ ...error, message: redact(error.message) }),
    idle: () => make({ _tag: "Idle", afterMs: idleMs }, `${provider} sent nothing for ${Math.round(idleMs / 1000)} s.`),
    connection: (error: unknown) =>
      make(
        { _tag: "Connection", ...(isCertificateError(error) ? { lasting: true } : {}) },
        `Could not reach ${provider} at ${origin(endpoint)}: ${sentence(failureReason(error))}`
      ),
    htmlPage: () =>
      make(
        { _tag: "BadAnswer", lasting: true },
        `${provider} sent a web page instead of a response. `
          + `Check that ${origin(endpoint)} is the right address and that no login page intercepts it.`
      ),
    body: (error: unknown) => {
      const reason = failureReason(error)
      return /incorrect header check|invalid .*(?:block|code|distance)|Decompression/i.test(reason)
        ? make({ _tag: "BadAnswer" }, `The response from ${provider} is not encoded as its headers say. Check the proxy, if there is one.`)
        : make({ _tag: "StreamBroken" }, `The connection to ${provider} broke in the middle of the response: ${sentence(reason)}`)
    }
  }
}

export const sentence = (text: string): string => /[.?!]$/.test(text) ? text : `${text}.`

/** The address of an endpoint, without the parts of a URL that may contain secrets. */
export const origin = ({ baseUrl }: Endpoint): string => URL.parse(baseUrl)?.origin ?? "an invalid URL"

/** A response with an error status. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: HeaderFields
  readonly body: unknown
}

/** Characters of an error body that are read; the rest is dropped. */
const maxBodyLength = 64 * 1024

/**
 * A fetch that captures the error response, and the reason why a request failed, whatever an SDK makes of them. It refuses
 * redirects: an SDK would follow them with the key in its headers.
 */
export const captureErrors = (fetch: typeof globalThis.fetch) => {
  let errorResponse: ErrorResponse | undefined
  let cause: unknown
  const capturing: typeof globalThis.fetch = async (input, init) => {
    try {
      const response = await fetch(input, { ...init, redirect: "manual" })
      if (response.ok) return response
      errorResponse = { status: response.status, headers: Object.fromEntries(response.headers), body: parseBody(await readStart(response)) }
      return new Response(null, { status: response.status, headers: response.headers })
    } catch (error) {
      cause = error
      throw error
    }
  }
  return { fetch: capturing, errorResponse: () => errorResponse, cause: () => cause }
}

const readStart = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    while (reader !== undefined && text.length < maxBodyLength) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    await reader?.cancel()
  } catch {
    // The part that arrived explains more than the broken connection does.
  }
  return text
}

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const extraCertificates = (certificate: string): string => `Set NODE_EXTRA_CA_CERTS to a file with ${certificate}`

const codeMessages: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused (ECONNREFUSED). Is the server running?",
  ECONNRESET: "the connection was reset (ECONNRESET)",
  ERR_STREAM_PREMATURE_CLOSE: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  ENOTFOUND: "the host name does not exist (ENOTFOUND). Is the network up?",
  EAI_AGAIN: "the host name could not be resolved (EAI_AGAIN). Is the network up?",
  ETIMEDOUT: "the connection timed out (ETIMEDOUT)",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_HEADERS_TIMEOUT: "the response timed out",
  SELF_SIGNED_CERT_IN_CHAIN: `the certificate is signed by an untrusted authority. ${extraCertificates("the authority's certificate")}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the certificate can't be verified. ${extraCertificates("the missing authority's certificate")}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `the certificate is self-signed. ${extraCertificates("it")}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the certificate is signed by an unknown authority. ${
    extraCertificates("the authority's certificate")
  }`,
  CERT_HAS_EXPIRED: "the certificate has expired"
}

const maxCauses = 8

/** An error and its causes, outermost first: an SDK wraps the original error several times. */
const causes = (error: unknown): ReadonlyArray<Error & { readonly code?: unknown }> => {
  const errors: Array<Error & { readonly code?: unknown }> = []
  for (let current = error; current instanceof Error && errors.length < maxCauses; current = current.cause) errors.push(current)
  return errors
}

/** The system error codes of a failed request, outermost first. */
export const errorCodes = (error: unknown): ReadonlyArray<string> =>
  causes(error).map(({ code }) => code).filter((code) => typeof code === "string")

/** Whether the server's certificate was rejected: no retry helps. */
const isCertificateError = (error: unknown): boolean => errorCodes(error).some((code) => /CERT|^UNABLE_TO_/.test(code))

/** The innermost reason of a failed request, as the end of a sentence. */
export const failureReason = (error: unknown): string =>
  errorCodes(error).map((code) => codeMessages[code]).findLast((message) => message !== undefined)
    ?? clean(causes(error).at(-1)?.message ?? String(error)).replace(/\.$/, "")
