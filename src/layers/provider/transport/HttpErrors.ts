/** What goes wrong between us and an endpoint, in words. No error ever holds its key. */
import * as Redacted from "effect/Redacted"
import { ProviderError, type ProviderReason } from "../../../domain/provider/ProviderError.ts"
import type { Endpoint } from "../../../services/Route.ts"
import * as Refusal from "../Refusal.ts"

export type Failures = ReturnType<typeof failures>

/** The errors of one endpoint. */
export const failures = (endpoint: Endpoint) => {
  const { idleMs, key, provider } = endpoint
  const secret = key === undefined ? "" : Redacted.value(key)
  const hide = (message: string) => secret.length < 4 ? message : message.replaceAll(secret, "[key]")
  const make = (reason: ProviderReason, message: string) => new ProviderError({ provider, reason, message: hide(message) })
  return {
    make,
    hidden: (error: ProviderError) => new ProviderError({ ...error, message: hide(error.message) }),
    idle: () => make({ _tag: "Idle", afterMs: idleMs }, `${provider} sent nothing for ${Math.round(idleMs / 1000)} s.`),
    connection: (error: unknown) => make({ _tag: "Connection", ...(Refusal.isDistrust(error) ? { lasting: true } : {}) }, `${provider} could not be reached at ${origin(endpoint)}: ${sentence(Refusal.why(error))}`),
    body: (error: unknown) => {
      const why = Refusal.why(error)
      return /incorrect header check|invalid .*(?:block|code|distance)|Decompression/i.test(why)
        ? make({ _tag: "BadAnswer" }, `The answer of ${provider} is not encoded as it says: a proxy in between may be at fault.`)
        : make({ _tag: "StreamBroken" }, `The connection to ${provider} broke in the middle of the answer: ${sentence(why)}`)
    }
  }
}

const sentence = (words: string): string => /[.?!]$/.test(words) ? words : `${words}.`

/** Where requests go, without what a URL may hold of secrets. */
export const origin = ({ baseUrl }: Endpoint): string => URL.parse(baseUrl)?.origin ?? "an address that is no URL"
