/**
 * How the page proves that it may ask: it exchanges the token in the fragment of its address, which no server or log ever sees, for a
 * cookie that no script can read.
 */
import * as Gate from "../../layers/mcp/Gate.ts"
import * as Secret from "../../layers/network/Secret.ts"

/** The header that the page sends with every request that changes something: no form of another site can. */
const changeHeader = "x-dacapo-page"

export interface PageLogin {
  /**
   * Whether the request has the cookie and comes from the page itself: cookies are shared by all ports of a host, so those of another
   * local server's pages are refused.
   */
  readonly isAuthorized: (head: Gate.RequestHead) => boolean
  /** The response to a request with the token. */
  readonly setCookie: () => Response
}

/** How the page is served: with TLS, or `isExposed` to other machines without it. */
export interface Options {
  readonly port: number
  readonly isSecure: boolean
  readonly isExposed: boolean
}

export const make = (secret: string, { isExposed, isSecure, port }: Options): PageLogin => {
  const name = `dacapo_${port}`
  return {
    isAuthorized: ({ headers, method }) => {
      // Browsers send Sec-Fetch-Site to this machine and over TLS only. Elsewhere every request needs the header that no other site
      // can send.
      if (!isExposed && headers["sec-fetch-site"] !== "same-origin") return false
      if ((isExposed || method !== "GET") && headers[changeHeader] !== "1") return false
      const cookies = (headers["cookie"] ?? "").split(/;\s*/)
      return cookies.some((cookie) => cookie.startsWith(`${name}=`) && Secret.isSame(secret, cookie.slice(name.length + 1)))
    },
    setCookie: () =>
      new Response(null, {
        status: 204,
        headers: {
          "set-cookie": `${name}=${secret}; HttpOnly; SameSite=Strict; Path=/${isSecure ? "; Secure" : ""}`,
          "cache-control": "no-store"
        }
      })
  }
}
