/** Rules applied to a URL: a private address is denied unless an allow rule names its host, and some URLs are always denied. */
import * as WebUrl from "../network/WebUrl.ts"
import type { Facts, UrlCall } from "./Call.ts"
import { type Compiled, type Evaluation, noRule, ruleEvaluation } from "./Evaluation.ts"
import * as RuleIndex from "./RuleIndex.ts"

export const judge = (compiled: Compiled, { facts = {}, url }: UrlCall, tools: ReadonlyArray<string>): Evaluation => {
  const target = WebUrl.read(url)
  const findRule = (list: RuleIndex.RuleIndex) => RuleIndex.forTool(list, tools, facts) ?? hostRule(list, target, tools, facts)
  const denyRule = findRule(compiled.deny)
  if (denyRule !== undefined) return ruleEvaluation(denyRule, url)
  if (target._tag === "Refused") return { decision: "deny", reason: `${url} can't be fetched: ${target.why}` }
  if (target._tag === "Private" && !allowsPrivateHost(compiled, url, tools)) {
    return {
      decision: "deny",
      reason: `${url} needs a rule that names its host, such as ${tools[0]}(domain:${target.url.host}): ${target.why}`
    }
  }
  const askRule = findRule(compiled.ask)
  if (askRule !== undefined) return ruleEvaluation(askRule, url)
  const allowRule = target._tag === "Private" ? hostRule(compiled.allow, target, tools, facts) : findRule(compiled.allow)
  return allowRule === undefined ? noRule(`fetching ${url}`) : ruleEvaluation(allowRule, url)
}

/** Whether an allow rule names the host of a URL, regardless of conditions. */
export const allowsNamedHost = ({ allow }: Compiled, url: string, tools: ReadonlyArray<string>): boolean => {
  const target = WebUrl.read(url)
  return target._tag !== "Refused" && RuleIndex.namesHost(allow, tools, target.host)
}

/**
 * Whether an allow rule names the host of a URL as a private one: only then may it lead to this machine or its network.
 * A rule for a public name never does, since whoever owns the name decides where it leads.
 */
export const allowsPrivateHost = ({ allow }: Compiled, url: string, tools: ReadonlyArray<string>): boolean => {
  const target = WebUrl.read(url)
  return target._tag !== "Refused" && RuleIndex.namesPrivateHost(allow, tools, target.host)
}

const hostRule = (
  list: RuleIndex.RuleIndex,
  target: WebUrl.WebUrl,
  tools: ReadonlyArray<string>,
  facts: Facts
): RuleIndex.Rule | undefined => target._tag === "Refused" ? undefined : RuleIndex.forHost(list, tools, target.host, target.port, facts)
