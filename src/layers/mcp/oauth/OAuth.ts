/**
 * Login to remote servers with OAuth 2.1: when a request is refused, the SDK discovers the authorization server, renews
 * the tokens or has the user log in, and the request is sent once more.
 */
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  isStrictScopeSuperset,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  UnauthorizedError
} from "@modelcontextprotocol/client"
import { optional } from "../../../domain/Optional.ts"

/** What is stored for a server: its tokens, and our client registration. */
export interface Credentials {
  readonly tokens?: StoredOAuthTokens
  readonly client?: StoredOAuthClientInformation
}

export interface Options {
  readonly server: string
  readonly redirectUrl: string
  /** A secret of this login, which the response must carry. */
  readonly state: string
  readonly read: () => Promise<Credentials>
  readonly write: (credentials: Credentials) => Promise<void>
  /** Has the user log in at an address, and returns the browser's redirect; rejects if nobody can. */
  readonly visit: (url: URL) => Promise<URLSearchParams>
  /** Our identity from the user or from a metadata document; else we register. */
  readonly client?: StoredOAuthClientInformation
  readonly clientMetadataUrl?: string
  readonly scope?: string
  readonly skipIssuerCheck?: boolean
}

/** The maximum number of logins for one request: a further refusal means missing permission. */
const maxLogins = 3

/** The same for a login that someone else conducts (a token by client credentials, for example). */
export type Login = Pick<Options, "server" | "skipIssuerCheck" | "visit"> & {
  readonly provider: OAuthClientProvider
  readonly address: () => URL | undefined
}

/** A provider for the SDK, backed by the store. */
export const login = (options: Options): Login => {
  let address: URL | undefined
  let verifier = ""
  let discovery: OAuthDiscoveryState | undefined
  const update = async (credentials: Credentials) => options.write({ ...await options.read(), ...credentials })
  const provider: OAuthClientProvider = {
    redirectUrl: options.redirectUrl,
    ...optional({ clientMetadataUrl: options.clientMetadataUrl }),
    clientMetadata: {
      client_name: "dacapo",
      redirect_uris: [options.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...optional({ scope: options.scope })
    },
    state: () => options.state,
    clientInformation: async () => options.client ?? (await options.read()).client,
    saveClientInformation: (client) => update({ client }),
    tokens: async () => (await options.read()).tokens,
    saveTokens: (tokens) => update({ tokens }),
    redirectToAuthorization: (url) => void (address = url),
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovery = state),
    discoveryState: () => discovery,
    invalidateCredentials: async (scope) => {
      const { client, tokens } = await options.read()
      if (scope === "all" || scope === "discovery") discovery = undefined
      await options.write({
        ...(tokens === undefined || scope === "all" || scope === "tokens" ? {} : { tokens }),
        ...(client === undefined || scope === "all" || scope === "client" ? {} : { client })
      })
    }
  }
  const { server, skipIssuerCheck = false, visit } = options
  return { server, skipIssuerCheck, visit, provider, address: () => address }
}

/** A fetch that logs in when the server requires it; concurrent requests wait for one login. */
export const wrap = (fetch: FetchLike, { address, provider, server, skipIssuerCheck = false, visit }: Login): FetchLike => {
  let pendingLogin: Promise<void> | undefined

  const logIn = async (response: Response): Promise<void> => {
    const { resourceMetadataUrl, scope: requestedScope } = extractWWWAuthenticateParams(response)
    const grantedScope = (await provider.tokens())?.scope
    const scope = response.status === 403 ? computeScopeUnion(grantedScope, requestedScope) : requestedScope
    const options = {
      serverUrl: server,
      fetchFn: fetch,
      skipIssuerMetadataValidation: skipIssuerCheck,
      ...optional({ resourceMetadataUrl, scope })
    }
    // A renewed token has the same scope as before.
    const isReauthorization = response.status === 403 && isStrictScopeSuperset(scope, grantedScope)
    if (await auth(provider, { ...options, forceReauthorization: isReauthorization }) === "AUTHORIZED") return
    const url = address()
    if (url === undefined) throw new UnauthorizedError()
    const callback = await visit(url)
    const code = callback.get("code")
    if (code === null || callback.get("state") !== url.searchParams.get("state"))
      throw new UnauthorizedError(
        callback.get("error_description") ?? callback.get("error") ?? "the login response did not match the request"
      )
    const iss = callback.get("iss")
    await auth(provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) })
  }

  const authorizedFetch = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    const tokens = await provider.tokens()
    if (tokens !== undefined) headers.set("Authorization", `Bearer ${tokens.access_token}`)
    return fetch(input, { ...init, headers })
  }

  return async (input, init) => {
    let response = await authorizedFetch(input, init)
    for (let logins = 0; logins < maxLogins && wantsLogin(response); logins++) {
      pendingLogin ??= logIn(response).finally(() => void (pendingLogin = undefined))
      await pendingLogin
      response = await authorizedFetch(input, init)
    }
    return response
  }
}

const wantsLogin = (response: Response): boolean =>
  response.status === 401 || (response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope")
