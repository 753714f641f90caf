/**
 * Google Cloud credentials: an access token from the environment, else whatever `google-auth-library` finds (the file of a
 * service account, the user's login, the machine's account). The library is imported with the first request.
 */
import * as Redacted from "effect/Redacted"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../../services/Route.ts"
import { firstSet, keys, projects } from "../clouds/Google.ts"

/** Outside of Google's machines the metadata server does not respond at all. */
const tokenTimeoutMs = 5_000

const withTimeout = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.any([AbortSignal.timeout(tokenTimeoutMs), ...(init?.signal ? [init.signal] : [])]) })

export interface Credentials {
  readonly token: string
  readonly project: string
}

/**
 * Requests a token for each request, because tokens expire; the library caches those that are still valid. `firstProjects`:
 * project variables that take precedence over the usual ones.
 */
export const credentials = (
  { fetch, key, provider, variables }: Endpoint,
  firstProjects: ReadonlyArray<string>
): () => Promise<Credentials> => {
  const fail = (message: string, cause?: unknown) =>
    new ProviderError({ provider, reason: { _tag: "Auth" }, message: `${message}${cause instanceof Error ? ` (${cause.message})` : ""}` })
  const names = [...firstProjects, ...projects]
  const noProject = () => fail(`No Google Cloud project for ${provider}. Set ${names[0]}.`)
  const project = firstSet(variables, names)
  if (key !== undefined) {
    return async () => {
      if (project === undefined) throw noProject()
      return { token: Redacted.value(key), project }
    }
  }
  const createAuth = async () => {
    // CommonJS: when bundled, it only has a default export.
    const { default: { GoogleAuth } } = await import("google-auth-library")
    const keyFilename = variables.GOOGLE_APPLICATION_CREDENTIALS
    return new GoogleAuth({
      scopes: ["https://www.googleapis.com/auth/cloud-platform"],
      clientOptions: { transporterOptions: { fetchImplementation: withTimeout(fetch) } },
      ...(keyFilename === undefined || keyFilename === "" ? {} : { keyFilename })
    })
  }
  let authClient: ReturnType<typeof createAuth> | undefined
  return async () => {
    const auth = await (authClient ??= createAuth())
    const token = await auth.getAccessToken().catch((cause: unknown) => {
      throw fail(
        `No credentials for ${provider}. Run "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS or ${keys[0]}.`,
        cause
      )
    })
    if (!token) throw fail(`Google returned no access token for ${provider}.`)
    const projectId = project ?? await auth.getProjectId().catch(() => undefined)
    if (!projectId) throw noProject()
    return { token, project: projectId }
  }
}

/**
 * Sends this token instead of the placeholder key of Google's SDK. Without a key the SDK would look for credentials itself and
 * print to stdout which ones it prefers.
 */
export const withToken = (fetch: typeof globalThis.fetch, token: string): typeof globalThis.fetch => (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete("x-goog-api-key")
  headers.set("authorization", `Bearer ${token}`)
  return fetch(input, { ...init, headers })
}
