/**
 * Logging in to remote servers with OAuth 2.1: where a request is refused, the SDK discovers who gives tokens, renews them or
 * has the user log in, and the request is made once more.
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

/** What is kept of a server: its tokens, and who we are to it. */
export interface Kept {
  readonly tokens?: StoredOAuthTokens
  readonly client?: StoredOAuthClientInformation
}

export interface Options {
  readonly server: string
  readonly redirectUrl: string
  /** A secret of this login, which the answer must carry. */
  readonly state: string
  readonly read: () => Promise<Kept>
  readonly write: (kept: Kept) => Promise<void>
  /** Has the user log in at an address, and gives what the browser came back with; rejects where nobody can. */
  readonly visit: (url: URL) => Promise<URLSearchParams>
  /** Where the user or a document of ours says who we are; else we register. */
  readonly client?: StoredOAuthClientInformation
  readonly clientMetadataUrl?: string
  readonly scope?: string
  readonly skipIssuerCheck?: boolean
}

/** Logins for one request: who is still refused then has not the right. */
const most = 3

/** The same, for a login that someone else conducts (a token by client credentials, for example). */
export type Login = Pick<Options, "server" | "skipIssuerCheck" | "visit"> & { readonly provider: OAuthClientProvider; readonly address: () => URL | undefined }

/** A provider for the SDK over what is kept. */
export const login = (options: Options): Login => {
  let address: URL | undefined
  let verifier = ""
  let discovered: OAuthDiscoveryState | undefined
  const change = async (kept: Kept) => options.write({ ...await options.read(), ...kept })
  const provider: OAuthClientProvider = {
    redirectUrl: options.redirectUrl,
    ...(options.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: options.clientMetadataUrl }),
    clientMetadata: {
      client_name: "dacapo",
      redirect_uris: [options.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(options.scope === undefined ? {} : { scope: options.scope })
    },
    state: () => options.state,
    clientInformation: async () => options.client ?? (await options.read()).client,
    saveClientInformation: (client) => change({ client }),
    tokens: async () => (await options.read()).tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: (url) => void (address = url),
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
    invalidateCredentials: async (scope) => {
      const { client, tokens } = await options.read()
      if (scope === "all" || scope === "discovery") discovered = undefined
      await options.write({
        ...(tokens === undefined || scope === "all" || scope === "tokens" ? {} : { tokens }),
        ...(client === undefined || scope === "all" || scope === "client" ? {} : { client })
      })
    }
  }
  const { server, skipIssuerCheck = false, visit } = options
  return { server, skipIssuerCheck, visit, provider, address: () => address }
}

/** A fetch that logs in where the server asks for it; several requests wait for one login. */
export const wrap = (fetch: FetchLike, { address, provider, server, skipIssuerCheck = false, visit }: Login): FetchLike => {
  let busy: Promise<void> | undefined

  const enter = async (refused: Response): Promise<void> => {
    const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(refused)
    const has = (await provider.tokens())?.scope
    const scope = refused.status === 403 ? computeScopeUnion(has, wanted) : wanted
    const options = {
      serverUrl: server,
      fetchFn: fetch,
      skipIssuerMetadataValidation: skipIssuerCheck,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope })
    }
    // A token that is renewed has no more rights than before.
    const anew = refused.status === 403 && isStrictScopeSuperset(scope, has)
    if (await auth(provider, { ...options, forceReauthorization: anew }) === "AUTHORIZED") return
    const to = address()
    if (to === undefined) throw new UnauthorizedError()
    const back = await visit(to)
    const code = back.get("code")
    if (code === null || back.get("state") !== to.searchParams.get("state")) throw new UnauthorizedError(back.get("error_description") ?? back.get("error") ?? "the login was not answered as it was asked")
    const iss = back.get("iss")
    await auth(provider, { ...options, authorizationCode: code, ...(iss === null ? {} : { iss }) })
  }

  const asked = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    const tokens = await provider.tokens()
    if (tokens !== undefined) headers.set("Authorization", `Bearer ${tokens.access_token}`)
    return fetch(input, { ...init, headers })
  }

  return async (input, init) => {
    let response = await asked(input, init)
    for (let logins = 0; logins < most && wantsLogin(response); logins++) {
      busy ??= enter(response).finally(() => void (busy = undefined))
      await busy
      response = await asked(input, init)
    }
    return response
  }
}

const wantsLogin = (response: Response): boolean =>
  response.status === 401 || (response.status === 403 && extractWWWAuthenticateParams(response).error === "insufficient_scope")
