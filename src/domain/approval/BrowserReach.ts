/** What a page may reach besides the places that calls opened: its own pieces, from hosts that no rule speaks against. */
import * as WebUrl from "../network/WebUrl.ts"
import type { Compiled } from "./Evaluation.ts"
import * as Rule from "./Rule.ts"

/** A place is a host and port, as in `example.com:443`. */
export type Place = string

/**
 * - `named`: whether an allow rule names the URL's host; only then may it lead to a private address.
 * - `refusal`: why a page may not ask for a URL, undefined where it may; `opened` are the places that calls opened.
 */
export interface Reach {
  readonly named: (url: string) => boolean
  readonly refusal: (url: string, opened: ReadonlySet<Place>) => string | undefined
}

/** Undefined for what never reaches the network by itself (`about:`, `data:`, `blob:`), and for what is no URL. */
export const placeOf = (url: string): Place | undefined => {
  const target = WebUrl.read(url)
  return target._tag === "Refused" ? undefined : `${target.host}:${target.port}`
}

/** By the rules of a session. What a rule would ask about is not asked of a page's pieces: it is refused, and may be opened. */
export const of = (rules: Compiled): Reach => {
  const named = (url: string) => Rule.namesHost(rules, url, "Browser")
  const refusal: Reach["refusal"] = (url, opened) => {
    const target = WebUrl.read(url)
    if (target._tag === "Refused") return target.why
    const { decision, reason, rule } = Rule.evaluate(rules, { tool: "Browser", url, by: "browser" })
    if (decision === "deny") return reason
    if (decision === "allow" || opened.has(`${target.host}:${target.port}`)) return undefined
    if (target._tag === "Private") return `${target.why}, and it was not opened`
    return rule === undefined ? undefined : `${rule} asks about it, and it was not opened`
  }
  return { named, refusal }
}
