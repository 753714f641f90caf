/**
 * Permission rules: text to a compiled set, and a compiled set to a decision over one call. Deny, then ask, then allow;
 * specificity never matters; whatever no rule names is asked about.
 */
import * as Result from "effect/Result"
import type { Analysis } from "../tool/CommandLine.ts"
import type { Call, CommandContext, Context } from "./Call.ts"
import { compileEntry, type Entry, errorOf, objectOf, type Options } from "./RuleParser.ts"
import { judge as judgeCommand, judgeAnalysis } from "./CommandRules.ts"
import { type Compiled, type Evaluation, noRule, ruleEvaluation } from "./Evaluation.ts"
import * as RuleParser from "./RuleParser.ts"
import * as PathSpec from "./PathSpec.ts"
import { judge as judgePath } from "./PathRules.ts"
import type { RuleError } from "./RuleParser.ts"
import * as RuleIndex from "./RuleIndex.ts"
import type { ListName } from "./RuleIndex.ts"
import { judge as judgeUrl, allowsNamedHost, allowsPrivateHost } from "./UrlRules.ts"
import { standardNames } from "./ToolName.ts"

export type { Call, CommandCall, PathCall, ToolCall, UrlCall } from "./Call.ts"
export type { Entry, Options } from "./RuleParser.ts"
export type { Compiled, Evaluation, PartVerdict } from "./Evaluation.ts"
export { RuleError } from "./RuleParser.ts"

/** The three lists, as in settings. Missing lists are empty. */
export type Rules = { readonly [list in ListName]?: ReadonlyArray<Entry> }

/** The rules of one place: managed, user, project, local, session, flags. */
export interface Scope {
  readonly rules: Rules
  readonly options?: Options
}

/** Compiles rules from text; a rule that could never match, or is unknown, is an error with its location. */
export const compile = (rules: Rules, options: Options = {}): Result.Result<Compiled, RuleError> => compileScopes([{ rules, options }])

/** Merges scopes: a deny from any of them wins, then an ask. The root and home of the first scope apply to the calls. */
export const compileScopes = (scopes: ReadonlyArray<Scope>): Result.Result<Compiled, RuleError> => {
  const lists: Record<ListName, Array<RuleIndex.Rule>> = { deny: [], ask: [], allow: [] }
  for (const { options = {}, rules } of scopes) {
    for (const list of order) {
      for (const entry of rules[list] ?? []) {
        const rule = compileEntry(list, entry, options)
        if (Result.isFailure(rule)) return Result.fail(rule.failure)
        const problem = RuleParser.brokenExample(rule.success, objectOf(entry), matchesExample(rule.success, options))
        if (problem !== undefined) return Result.fail(errorOf(list, entry, options, problem))
        lists[list].push(rule.success)
      }
    }
  }
  const options = scopes.map(({ options }) => options)
  return Result.succeed(assemble(lists, {
    root: options.find((each) => each?.root !== undefined)?.root ?? PathSpec.unknownRoot,
    home: options.find((each) => each?.home !== undefined)?.home ?? PathSpec.unknownHome
  }))
}

const assemble = (
  lists: Readonly<Record<ListName, ReadonlyArray<RuleIndex.Rule>>>,
  { home, root }: { readonly root: string; readonly home: string }
): Compiled => ({
  deny: RuleIndex.make(lists.deny, true),
  ask: RuleIndex.make(lists.ask, true),
  allow: RuleIndex.make(lists.allow, false),
  root: PathSpec.resolve("/", root),
  home: PathSpec.resolve("/", home)
})

/** Whether this rule alone decides a call, regardless of its condition. */
const matchesExample = (rule: RuleIndex.Rule, { home = PathSpec.unknownHome, root = PathSpec.unknownRoot }: Options) => {
  const singleRuleLists = { deny: [], ask: [], allow: [], [rule.list]: [{ ...rule, condition: undefined }] }
  return (call: Call): boolean => {
    const evaluation = evaluate(assemble(singleRuleLists, { root, home }), call)
    return evaluation.decision === rule.list && evaluation.rule === rule.text
  }
}

const order: ReadonlyArray<ListName> = ["deny", "ask", "allow"]

/** The strictest decision over all parts of the call. Never throws, whatever the call contains. */
export const evaluate = (compiled: Compiled, call: Call): Evaluation => {
  const tools = standardNames(call.tool, call.by)
  if ("command" in call) return judgeCommand(compiled, call, tools)
  if ("path" in call) return judgePath(compiled, call, tools)
  if ("url" in call) return judgeUrl(compiled, call, tools)
  const name = "input" in call ? nameIn(call.input) : undefined
  const { facts = {} } = call satisfies Context
  for (const list of order) {
    const rules = compiled[list]
    const rule = RuleIndex.forTool(rules, tools, facts)
      ?? (name === undefined ? undefined : RuleIndex.forName(rules, tools, name, facts))
    if (rule !== undefined) return ruleEvaluation(rule, call.tool)
  }
  return noRule(`using ${call.tool}`)
}

/** Whether any rule denies something, or asks about it. */
export const hasRestrictions = ({ ask, deny }: Compiled): boolean => deny.rules.length > 0 || ask.rules.length > 0

/** Whether a rule allows the host of this URL by its name. */
export const namesHost = (compiled: Compiled, url: string): boolean => allowsNamedHost(compiled, url, standardNames("WebFetch", undefined))

/** Whether a rule allows the host of this URL as a private one: only then may it lead to this machine or its network. */
export const namesPrivateHost = (compiled: Compiled, url: string, tool: "WebFetch" | "Browser" = "WebFetch"): boolean =>
  allowsPrivateHost(compiled, url, standardNames(tool, undefined))

/** The decision over a command that is already analysed. */
export const evaluateAnalysis = (compiled: Compiled, analysis: Analysis, context: CommandContext): Evaluation =>
  judgeAnalysis(compiled, analysis, context, standardNames("Bash", context.by))

/** What an Agent or Skill call names. */
const nameIn = (input: unknown): string | undefined => {
  if (typeof input !== "object" || input === null) return undefined
  for (const key of ["name", "agent", "skill"]) {
    const value = Object.hasOwn(input, key) ? (input as Readonly<Record<string, unknown>>)[key] : undefined
    if (typeof value === "string") return value
  }
  return undefined
}
