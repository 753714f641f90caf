/**
 * Google Cloud's credentials: an access token from the environment, else what `google-auth-library` finds (a service
 * account's file, the user's own login, the machine's account). It is imported when the first request goes out.
 */
import * as Redacted from "effect/Redacted"
import { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint, Place, Variables } from "../../../services/Route.ts"

/** Where access tokens are found that somebody else got; they last an hour. */
export const keys = ["GOOGLE_VERTEX_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"]

const projects = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_PROJECT", "GCLOUD_PROJECT"]
const locations = ["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION", "CLOUD_ML_REGION"]

const told = (variables: Variables, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => variables[name]?.trim()).find((value) => value !== undefined && value !== "")

export const location = (variables: Variables): string => told(variables, locations) ?? "global"

export const place: Place = {
  keys: locations,
  address: (variables) => {
    const at = location(variables)
    return `https://${at === "global" ? "" : `${at}-`}aiplatform.googleapis.com`
  }
}

/** Who gives tokens gives them soon; away from Google's machines nobody answers at all. In ms. */
const patience = 5_000

const patiently = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.any([AbortSignal.timeout(patience), ...(init?.signal ? [init.signal] : [])]) })

export interface Credentials {
  readonly token: string
  readonly project: string
}

/** Asks anew for each request, because tokens end; the library keeps what is still good. `own`: project variables that go before the usual. */
export const credentials = ({ fetch, key, provider, variables }: Endpoint, own: ReadonlyArray<string>): () => Promise<Credentials> => {
  const fail = (message: string, cause?: unknown) =>
    new ProviderError({ provider, reason: { _tag: "Auth" }, message: `${message}${cause instanceof Error ? ` (${cause.message})` : ""}` })
  const names = [...own, ...projects]
  const noProject = () => fail(`There is no project for ${provider}: set ${names[0]} in the environment.`)
  const project = told(variables, names)
  if (key !== undefined) {
    return async () => {
      if (project === undefined) throw noProject()
      return { token: Redacted.value(key), project }
    }
  }
  const library = async () => {
    // CommonJS: bundled, it has a default export alone.
    const { default: { GoogleAuth } } = await import("google-auth-library")
    const keyFilename = variables.GOOGLE_APPLICATION_CREDENTIALS
    return new GoogleAuth({
      scopes: ["https://www.googleapis.com/auth/cloud-platform"],
      clientOptions: { transporterOptions: { fetchImplementation: patiently(fetch) } },
      ...(keyFilename === undefined || keyFilename === "" ? {} : { keyFilename })
    })
  }
  let made: ReturnType<typeof library> | undefined
  return async () => {
    const auth = await (made ??= library())
    const token = await auth.getAccessToken().catch((cause: unknown) => {
      throw fail(`There are no credentials for ${provider}: log in with "gcloud auth application-default login", or set GOOGLE_APPLICATION_CREDENTIALS or ${keys[0]} in the environment.`, cause)
    })
    if (!token) throw fail(`Google gave no access token for ${provider}.`)
    const found = project ?? await auth.getProjectId().catch(() => undefined)
    if (!found) throw noProject()
    return { token, project: found }
  }
}

/**
 * Sends with this token in place of the key that Google's SDK was told. It wants one, or else looks for credentials by
 * itself, and tells on stdout which of the environment's it prefers.
 */
export const authorize = (fetch: typeof globalThis.fetch, token: string): typeof globalThis.fetch => (input, init) => {
  const headers = new Headers(init?.headers)
  headers.delete("x-goog-api-key")
  headers.set("authorization", `Bearer ${token}`)
  return fetch(input, { ...init, headers })
}
