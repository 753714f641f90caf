/** Rules applied to a path: deny and ask rules match the path or its link target, allow rules must match both. */
import type { PathCall } from "./Call.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import { type Compiled, type Evaluation, noRule, ruleEvaluation } from "./Evaluation.ts"
import * as PathSpec from "./PathSpec.ts"
import * as RuleIndex from "./RuleIndex.ts"

export const judge = (compiled: Compiled, call: PathCall, tools: ReadonlyArray<string>): Evaluation => {
  const { cwd = compiled.root, facts = {} } = call
  if (call.path === "" || /\p{Cc}/u.test(call.path)) return { decision: "deny", reason: "the path is empty or contains control characters" }
  const paths = [...new Set([call.path, call.resolvedPath ?? call.path])].map((path) =>
    PathSpec.resolve(cwd, PathSpec.expandHome(path, compiled.home))
  )
  const firstRule = (list: RuleIndex.RuleIndex) => {
    const toolRule = RuleIndex.forTool(list, tools, facts)
    return toolRule ?? paths.map((path) => RuleIndex.forPath(list, tools, path, facts)).find((rule) => rule !== undefined)
  }
  const denyRule = firstRule(compiled.deny)
  if (denyRule !== undefined) return ruleEvaluation(denyRule, call.path)
  const protections = paths.map((path) => isEdit(tools) ? ProtectedPaths.writeProtection(path) : ProtectedPaths.readProtection(path))
  const denial = protections.find((protection) => protection?.decision === "deny")
  if (denial !== undefined) return { decision: "deny", rule: denial.rule, reason: `${call.path} is protected: ${denial.reason}` }
  const askRule = firstRule(compiled.ask)
  if (askRule !== undefined) return ruleEvaluation(askRule, call.path)
  const allowRules = paths.map((path, i) => findAllowRule(compiled, tools, path, protections[i] !== undefined, facts))
  const activeProtection = protections.find((protection, i) => protection !== undefined && allowRules[i] === undefined)
  if (activeProtection !== undefined)
    return { decision: "ask", rule: activeProtection.rule, reason: `${call.path} is protected: ${activeProtection.reason}` }
  const missingIndex = allowRules.findIndex((rule) => rule === undefined)
  return missingIndex < 0 ? ruleEvaluation(allowRules[0]!, call.path)
    : noRule(`${isEdit(tools) ? "editing" : "reading"} ${call.path}${missingIndex === 0 ? "" : `, which links to ${paths[missingIndex]}`}`)
}

const isEdit = (tools: ReadonlyArray<string>): boolean => tools.includes("Edit")

/** Only a rule that spells out a protected path allows it. */
export const findAllowRule = (
  { allow }: Compiled,
  tools: ReadonlyArray<string>,
  path: string,
  isProtected: boolean,
  facts: NonNullable<PathCall["facts"]>
): RuleIndex.Rule | undefined => {
  const rule = RuleIndex.forPath(allow, tools, path, facts)
  if (!isProtected) return RuleIndex.forTool(allow, tools, facts) ?? rule
  return allow.rules.find((rule) =>
    rule.spec?.kind === "path" && tools.some(rule.covers) && RuleIndex.applies(rule, facts) &&
    RuleIndex.namesLiterally(rule.spec.path, path)
  )
}
