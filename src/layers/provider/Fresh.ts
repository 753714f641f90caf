/**
 * A server may close an idle connection at the very moment when it is used again. Where an endpoint has answered before,
 * a request that dies before its answer is therefore sent once more at once, over a fresh connection, and nobody hears of it.
 */
import { codes } from "./Refusal.ts"

const gone = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

export const wrap = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => {
  let answered = false
  return async (input, init) => {
    const asks = init?.method?.toUpperCase() === "POST"
    try {
      const response = await fetch(input, init)
      answered ||= asks
      return response
    } catch (error) {
      if (!asks || !answered || init.signal?.aborted === true || !codes(error).some((code) => gone.has(code))) throw error
      return await fetch(input, init)
    }
  }
}
