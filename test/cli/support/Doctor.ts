/** What `dacapo doctor` says about model servers, and a place with the key of one. */
import * as Process from "./Process.ts"

export const withKeys = (place: Process.Place): Process.Place => ({
  ...place,
  environment: { ...place.environment, DACAPO_DISABLE_KEYRING: "1", OPENAI_COMPATIBLE_API_KEY: "sk-test" }
})

export const findings = async (place: Process.Place, name: string): Promise<ReadonlyArray<{ readonly state: string; readonly detail: string }>> => {
  const rows = JSON.parse((await Process.run(place, ["doctor", "--output-format", "json"])).stdout) as ReadonlyArray<{ name: string; state: string; detail: string }>
  return rows.filter((row) => row.name === name).map(({ detail, state }) => ({ state, detail }))
}
