/**
 * How the page proves that it may ask: it exchanges the token in the fragment of its address, which no server or log ever sees, for a
 * cookie that no script can read.
 */
import * as Gate from "../../layers/mcp/Gate.ts"
import * as Secret from "../../layers/network/Secret.ts"

/** The header that the page sends with every request that changes something: no form of another site can. */
export const changeHeader = "x-dacapo-page"

export interface PageLogin {
  /**
   * Whether the request has the cookie and comes from the page itself: cookies are shared by all ports of a host, so those of another
   * local server's pages are refused.
   */
  readonly isAuthorized: (head: Gate.RequestHead) => boolean
  /** The response to a request with the token. */
  readonly setCookie: () => Response
}

export const make = (secret: string, port: number): PageLogin => {
  const name = `dacapo_${port}`
  return {
    isAuthorized: ({ headers, method }) => {
      if (headers["sec-fetch-site"] !== "same-origin") return false
      if (method !== "GET" && headers[changeHeader] !== "1") return false
      const cookies = (headers["cookie"] ?? "").split(/;\s*/)
      return cookies.some((cookie) => cookie.startsWith(`${name}=`) && Secret.isSame(secret, cookie.slice(name.length + 1)))
    },
    setCookie: () =>
      new Response(null, {
        status: 204,
        headers: { "set-cookie": `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/`, "cache-control": "no-store" }
      })
  }
}
