/** Google Cloud's variables. */
import type { EnvEndpoint, Variables } from "../../../services/Route.ts"

/** Variables that may hold an access token obtained elsewhere. Tokens last an hour. */
export const keys = ["GOOGLE_VERTEX_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"]

export const projects = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_VERTEX_PROJECT", "GCLOUD_PROJECT"]
const locations = ["GOOGLE_CLOUD_LOCATION", "GOOGLE_VERTEX_LOCATION", "CLOUD_ML_REGION"]

/** The value of the first variable that is not empty. */
export const firstSet = (variables: Variables, names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => variables[name]?.trim()).find((value) => value !== undefined && value !== "")

/** The region, or `global`. */
export const location = (variables: Variables): string => firstSet(variables, locations) ?? "global"

export const place: EnvEndpoint = {
  keys: locations,
  address: (variables) => {
    const region = location(variables)
    return `https://${region === "global" ? "" : `${region}-`}aiplatform.googleapis.com`
  }
}
