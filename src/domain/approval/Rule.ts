/**
 * Permission rules: text to a compiled set, and a compiled set to a decision over one call.
 * Deny, then ask, then allow; specificity never matters; what no rule names is asked, without a rule.
 */
import * as Result from "effect/Result"
import type { Analysis } from "../tool/CommandLine.ts"
import type { Call, Context } from "./Call.ts"
import { compileEntry, type Entry, errorOf, objectOf, type Options } from "./RuleParser.ts"
import { judge as judgeCommand, judgeAnalysis } from "./CommandRules.ts"
import { type Compiled, type Evaluation, noRule, ruled } from "./Evaluation.ts"
import * as Examples from "./Examples.ts"
import * as Location from "./Location.ts"
import { judge as judgePath } from "./PathRules.ts"
import type { RuleError } from "./RuleError.ts"
import * as RuleList from "./RuleIndex.ts"
import type { ListName } from "./RuleIndex.ts"
import { judge as judgeUrl, names as nameHost } from "./UrlRules.ts"
import { fieldNames } from "./ToolName.ts"

export type { Call, CommandCall, PathCall, ToolCall, UrlCall } from "./Call.ts"
export type { Entry, Options } from "./RuleParser.ts"
export type { Compiled, Evaluation, PartVerdict } from "./Evaluation.ts"
export { RuleError } from "./RuleError.ts"

/** The three lists, as settings hold them. Missing lists are empty. */
export type Rules = { readonly [list in ListName]?: ReadonlyArray<Entry> }

/** The rules of one place: managed, user, project, local, session, flags. */
export interface Scope {
  readonly rules: Rules
  readonly options?: Options
}

/** Rules as text into rules that can be asked; a rule that could never bind, or is unknown, is an error with its place. */
export const compile = (rules: Rules, options: Options = {}): Result.Result<Compiled, RuleError> => compileScopes([{ rules, options }])

/** Merges scopes: a deny from any of them wins, then an ask. The first scope's root and home are those of the calls. */
export const compileScopes = (scopes: ReadonlyArray<Scope>): Result.Result<Compiled, RuleError> => {
  const lists: Record<ListName, Array<RuleList.Rule>> = { deny: [], ask: [], allow: [] }
  for (const { options = {}, rules } of scopes) {
    for (const list of order) {
      for (const entry of rules[list] ?? []) {
        const rule = compileEntry(list, entry, options)
        if (Result.isFailure(rule)) return Result.fail(rule.failure)
        const problem = Examples.broken(rule.success, objectOf(entry), decidesAlone(rule.success, options))
        if (problem !== undefined) return Result.fail(errorOf(list, entry, options, problem))
        lists[list].push(rule.success)
      }
    }
  }
  const options = scopes.map(({ options }) => options)
  return Result.succeed(assemble(lists, {
    root: options.find((each) => each?.root !== undefined)?.root ?? Location.unknownRoot,
    home: options.find((each) => each?.home !== undefined)?.home ?? Location.unknownHome
  }))
}

const assemble = (lists: Readonly<Record<ListName, ReadonlyArray<RuleList.Rule>>>, { home, root }: { readonly root: string; readonly home: string }): Compiled => ({
  deny: RuleList.make(lists.deny, true),
  ask: RuleList.make(lists.ask, true),
  allow: RuleList.make(lists.allow, false),
  root: Location.resolve("/", root),
  home: Location.resolve("/", home)
})

/** Whether this rule and no other decides a call, whatever its condition. */
const decidesAlone = (rule: RuleList.Rule, { home = Location.unknownHome, root = Location.unknownRoot }: Options) => {
  const alone = { deny: [], ask: [], allow: [], [rule.list]: [{ ...rule, condition: undefined }] }
  return (call: Call): boolean => {
    const evaluation = evaluate(assemble(alone, { root, home }), call)
    return evaluation.decision === rule.list && evaluation.rule === rule.text
  }
}

const order: ReadonlyArray<ListName> = ["deny", "ask", "allow"]

/** The strictest answer over all parts of the call. Never throws, whatever the call holds. */
export const evaluate = (compiled: Compiled, call: Call): Evaluation => {
  const tools = fieldNames(call.tool, call.by)
  if ("command" in call) return judgeCommand(compiled, call, tools)
  if ("path" in call) return judgePath(compiled, call, tools)
  if ("url" in call) return judgeUrl(compiled, call, tools)
  const name = "input" in call ? nameIn(call.input) : undefined
  const { facts = {} } = call satisfies Context
  for (const list of order) {
    const rules = compiled[list]
    const rule = RuleList.forTool(rules, tools, facts)
      ?? (name === undefined ? undefined : RuleList.forName(rules, tools, name, facts))
    if (rule !== undefined) return ruled(rule, call.tool)
  }
  return noRule(call.tool)
}

/** Whether a rule allows the host of this URL by its name: only then may it be one of a private network. */
export const namesHost = (compiled: Compiled, url: string, tool: "WebFetch" | "Browser" = "WebFetch"): boolean => nameHost(compiled, url, fieldNames(tool, undefined))

/** The decision over a command that is analysed already. */
export const evaluateAnalysis = (compiled: Compiled, analysis: Analysis, context: Context): Evaluation =>
  judgeAnalysis(compiled, analysis, context, fieldNames("Bash", context.by))

/** What an Agent or Skill call names. */
const nameIn = (input: unknown): string | undefined => {
  if (typeof input !== "object" || input === null) return undefined
  for (const key of ["name", "agent", "skill"]) {
    const value = Object.hasOwn(input, key) ? (input as Readonly<Record<string, unknown>>)[key] : undefined
    if (typeof value === "string") return value
  }
  return undefined
}
