/** What a page may reach besides the locations that calls opened: its own resources, from hosts that no rule restricts. */
import * as WebUrl from "../network/WebUrl.ts"
import type { Compiled } from "./Evaluation.ts"
import * as Rule from "./Rule.ts"

/** A place is a host and port, as in `example.com:443`. */
export type HostPort = string

/**
 * - `namesHost`: whether an allow rule names the URL's host as a private one; only then may it lead to a private address.
 * - `refusal`: why a page may not request a URL, undefined if it may; `openedHosts` are the hosts and ports that calls opened.
 */
export interface BrowserReach {
  readonly namesHost: (url: string) => boolean
  readonly refusal: (url: string, openedHosts: ReadonlySet<HostPort>) => string | undefined
}

/** Undefined for what never reaches the network by itself (`about:`, `data:`, `blob:`), and for anything that is not a URL. */
export const hostPort = (url: string): HostPort | undefined => {
  const target = WebUrl.read(url)
  return target._tag === "Refused" ? undefined : `${target.host}:${target.port}`
}

/**
 * Which URLs of private hosts a server at this address may direct us to: those of the private host in the address, and
 * of those that a rule names.
 */
export const serverHostMatcher = (rules: Compiled, address: string): BrowserReach["namesHost"] => {
  const serverUrl = WebUrl.read(address)
  return (url) => {
    const target = WebUrl.read(url)
    return serverUrl._tag === "Private" && target._tag === "Private" && target.host === serverUrl.host || Rule.namesPrivateHost(rules, url)
  }
}

/**
 * By the rules of a session. Where a rule would ask, a page's resource is refused without a question, and may be opened
 * with a call.
 */
export const of = (rules: Compiled): BrowserReach => {
  const namesHost = (url: string) => Rule.namesPrivateHost(rules, url, "Browser")
  const refusal: BrowserReach["refusal"] = (url, openedHosts) => {
    const target = WebUrl.read(url)
    if (target._tag === "Refused") return target.why
    const { decision, reason, rule } = Rule.evaluate(rules, { tool: "Browser", url, by: "browser" })
    if (decision === "deny") return reason
    if (decision === "allow" || openedHosts.has(`${target.host}:${target.port}`)) return undefined
    if (target._tag === "Private") return `${target.why}, and no call opened it`
    return rule === undefined ? undefined : `the rule ${rule} requires approval for it, and no call opened it`
  }
  return { namesHost, refusal }
}
