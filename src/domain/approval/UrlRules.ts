/** Rules over a URL: what is private is denied unless an allow rule names its host, and some URLs are denied at all. */
import * as WebUrl from "../network/WebUrl.ts"
import type { Facts, UrlCall } from "./Call.ts"
import { type Compiled, type Evaluation, noRule, ruled } from "./Evaluation.ts"
import * as RuleList from "./RuleIndex.ts"

export const judge = (compiled: Compiled, { facts = {}, url }: UrlCall, tools: ReadonlyArray<string>): Evaluation => {
  const target = WebUrl.read(url)
  const rule = (list: RuleList.RuleList) => RuleList.forTool(list, tools, facts) ?? ofHost(list, target, tools, facts)
  const denied = rule(compiled.deny)
  if (denied !== undefined) return ruled(denied, url)
  if (target._tag === "Refused") return { decision: "deny", reason: `${url} can't be fetched: ${target.why}` }
  if (target._tag === "Private" && !names(compiled, url, tools)) {
    return { decision: "deny", reason: `${url} is not fetched unless a rule names its host, as ${tools[0]}(domain:${target.url.host}) does: ${target.why}` }
  }
  const asked = rule(compiled.ask)
  if (asked !== undefined) return ruled(asked, url)
  const allowed = target._tag === "Private" ? ofHost(compiled.allow, target, tools, facts) : rule(compiled.allow)
  return allowed === undefined ? noRule(url) : ruled(allowed, url)
}

/** Whether an allow rule names the host of a URL, whatever its conditions. */
export const names = ({ allow }: Compiled, url: string, tools: ReadonlyArray<string>): boolean => {
  const target = WebUrl.read(url)
  return target._tag !== "Refused" && RuleList.namesHost(allow, tools, target.host)
}

const ofHost = (list: RuleList.RuleList, target: WebUrl.WebUrl, tools: ReadonlyArray<string>, facts: Facts): RuleList.Rule | undefined =>
  target._tag === "Refused" ? undefined : RuleList.forHost(list, tools, target.host, portOf(target), facts)

/** A rule without a port speaks of web servers: of a public host the usual ports, of a private one any. */
const portOf = (target: Exclude<WebUrl.WebUrl, { readonly _tag: "Refused" }>): RuleList.Port => ({
  number: target.port,
  usual: target._tag === "Private" || target.port === 80 || target.port === 443
})
