/** What a server said when it refused, and why a request did not get through, whatever an SDK makes of it. */
import type { Headers as Pairs } from "../../domain/provider/Protocol.ts"
import { clean } from "../../domain/provider/ClassifyError.ts"

export interface Refused {
  readonly status: number
  readonly headers: Pairs
  readonly body: unknown
}

/** Bytes of an error answer that are read; the rest is dropped. */
const enough = 64 * 1024

/**
 * A fetch that keeps what came in place of an answer. Redirects are refused: an SDK would follow them with the key
 * in its headers.
 */
export const watch = (fetch: typeof globalThis.fetch) => {
  let refused: Refused | undefined
  let cause: unknown
  const watched: typeof globalThis.fetch = async (input, init) => {
    try {
      const response = await fetch(input, { ...init, redirect: "manual" })
      if (response.ok) return response
      refused = { status: response.status, headers: Object.fromEntries(response.headers), body: json(await head(response)) }
      return new Response(null, { status: response.status, headers: response.headers })
    } catch (error) {
      cause = error
      throw error
    }
  }
  return { fetch: watched, refused: () => refused, cause: () => cause }
}

const head = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    while (reader !== undefined && text.length < enough) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    await reader?.cancel()
  } catch {
    // What had come says more than that the rest did not.
  }
  return text
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (ECONNREFUSED). Is the server running?",
  ECONNRESET: "the connection was reset (ECONNRESET)",
  UND_ERR_SOCKET: "the connection was closed",
  ENOTFOUND: "its name is not known (ENOTFOUND). Is there a network?",
  EAI_AGAIN: "its name could not be looked up (EAI_AGAIN). Is there a network?",
  ETIMEDOUT: "it did not answer in time (ETIMEDOUT)",
  UND_ERR_CONNECT_TIMEOUT: "it did not answer in time",
  UND_ERR_HEADERS_TIMEOUT: "it did not answer in time",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that is not trusted here; NODE_EXTRA_CA_CERTS can name a file with it",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate can't be verified; NODE_EXTRA_CA_CERTS can name a file with the missing authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself; NODE_EXTRA_CA_CERTS can name a file with it",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an authority that is not known here; NODE_EXTRA_CA_CERTS can name a file with it",
  CERT_HAS_EXPIRED: "its certificate has expired"
}

/** A failed request and what it says was behind it, outermost first; an SDK wraps it several times. */
const chain = (error: unknown): ReadonlyArray<Error & { readonly code?: unknown }> => {
  const found: Array<Error & { readonly code?: unknown }> = []
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(at)
  return found
}

/** The codes of the system that a failed request tells. */
export const codes = (error: unknown): ReadonlyArray<string> => chain(error).map(({ code }) => code).filter((code) => typeof code === "string")

/** Whether the server's certificate was the reason: that mends itself for nobody. */
export const isDistrust = (error: unknown): boolean => codes(error).some((code) => /CERT|^UNABLE_TO_/.test(code))

/** The innermost reason of a failed request, in words. */
export const why = (error: unknown): string =>
  codes(error).map((code) => words[code]).findLast((known) => known !== undefined)
    ?? clean(chain(error).at(-1)?.message ?? String(error)).replace(/\.$/, "")
