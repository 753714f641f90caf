/**
 * A server may close an idle connection at the very moment when it is used again. Where an address has answered before, a
 * request that dies before its answer is therefore sent once more at once, over a fresh connection, and nobody hears of it.
 */
import { codes } from "../Refusal.ts"

const gone = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

export const wrap = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => {
  const answered = new Set<string>()
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input)
    try {
      const response = await fetch(input, init)
      answered.add(address)
      return response
    } catch (error) {
      if (!answered.has(address) || init?.signal?.aborted === true || !codes(error).some((code) => gone.has(code))) throw error
      return await fetch(input, init)
    }
  }
}
