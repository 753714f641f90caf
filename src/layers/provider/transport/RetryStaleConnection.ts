/**
 * Retries a request once, at once and on a new connection, if the server had closed the idle connection at the moment when it
 * was used again. That is assumed only for addresses that have responded before.
 */
import { errorCodes } from "./HttpErrors.ts"

const staleCodes = new Set(["ECONNRESET", "EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "UND_ERR_SOCKET"])

export const wrap = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => {
  const responsive = new Set<string>()
  return async (input, init) => {
    const address = typeof input === "string" || input instanceof URL ? String(input) : input.url
    try {
      const response = await fetch(input, init)
      responsive.add(address)
      return response
    } catch (error) {
      const isStale = responsive.has(address) && init?.signal?.aborted !== true && errorCodes(error).some((code) => staleCodes.has(code))
      if (!isStale) throw error
      return await fetch(input, init)
    }
  }
}
