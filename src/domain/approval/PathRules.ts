/** Rules over one path: a deny or an ask on either of its names holds, an allow needs both. */
import type { PathCall } from "./Call.ts"
import * as Defaults from "./ProtectedPaths.ts"
import { type Compiled, type Evaluation, noRule, ruled } from "./Evaluation.ts"
import * as Location from "./Location.ts"
import * as RuleList from "./RuleIndex.ts"

export const judge = (compiled: Compiled, call: PathCall, tools: ReadonlyArray<string>): Evaluation => {
  const { cwd = compiled.root, facts = {} } = call
  if (call.path === "" || /\p{Cc}/u.test(call.path)) return { decision: "deny", reason: "the path is empty or holds control characters" }
  const paths = [...new Set([call.path, call.resolvedPath ?? call.path])].map((path) => Location.resolve(cwd, Location.expandHome(path, compiled.home)))
  const first = (list: RuleList.RuleList) => {
    const whole = RuleList.forTool(list, tools, facts)
    return whole ?? paths.map((path) => RuleList.forPath(list, tools, path, facts)).find((rule) => rule !== undefined)
  }
  const denied = first(compiled.deny)
  if (denied !== undefined) return ruled(denied, call.path)
  const protections = paths.map((path) => isEdit(tools) ? Defaults.writing(path) : Defaults.reading(path))
  const barred = protections.find((protection) => protection?.decision === "deny")
  if (barred !== undefined) return { decision: "deny", rule: barred.rule, reason: `${call.path} is protected: ${barred.reason}` }
  const asked = first(compiled.ask)
  if (asked !== undefined) return ruled(asked, call.path)
  const allows = paths.map((path, i) => allowing(compiled, tools, path, protections[i] !== undefined, facts))
  const open = protections.find((protection, i) => protection !== undefined && allows[i] === undefined)
  if (open !== undefined) return { decision: "ask", rule: open.rule, reason: `${call.path} is protected: ${open.reason}` }
  const missing = allows.findIndex((rule) => rule === undefined)
  return missing < 0 ? ruled(allows[0]!, call.path) : noRule(missing === 0 ? call.path : `${call.path}, which leads to ${paths[missing]}`)
}

const isEdit = (tools: ReadonlyArray<string>): boolean => tools.includes("Edit")

/** Only a rule that spells a protected path's name allows it. */
export const allowing = (
  { allow }: Compiled,
  tools: ReadonlyArray<string>,
  path: string,
  isProtected: boolean,
  facts: NonNullable<PathCall["facts"]>
): RuleList.Rule | undefined => {
  const rule = RuleList.forPath(allow, tools, path, facts)
  if (!isProtected) return RuleList.forTool(allow, tools, facts) ?? rule
  return allow.rules.find((rule) =>
    rule.spec?.kind === "path" && tools.some(rule.covers) && RuleList.applies(rule, facts) && RuleList.spells(rule.spec.path, path)
  )
}
