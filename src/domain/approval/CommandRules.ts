/** Rules applied to a command: deny and ask rules look into every part, and every part needs an allow rule of its own. */
import { analyse, type Analysis, flatten, type SimpleCommand, type Touch, type Word } from "../tool/CommandLine.ts"
import * as GitCall from "../tool/shell/GitCall.ts"
import type { CommandCall, CommandContext, Facts } from "./Call.ts"
import * as CommandSpec from "./CommandSpec.ts"
import * as ProtectedPaths from "./ProtectedPaths.ts"
import { type Compiled, type Evaluation, noRule, type PartVerdict, ruleEvaluation, strictest } from "./Evaluation.ts"
import * as PathSpec from "./PathSpec.ts"
import { findAllowRule } from "./PathRules.ts"
import * as Places from "./Places.ts"
import * as RuleIndex from "./RuleIndex.ts"
import * as CommandVariables from "./CommandVariables.ts"

export const judge = (compiled: Compiled, call: CommandCall, tools: ReadonlyArray<string>): Evaluation =>
  judgeAnalysis(compiled, analyse(call.command), call, tools)

/** For a command with its analysis at hand. */
export const judgeAnalysis = (
  compiled: Compiled,
  analysis: Analysis,
  call: CommandContext & Pick<CommandCall, "changes" | "unclear">,
  tools: ReadonlyArray<string>
): Evaluation => {
  const context = ruleContext(compiled, call, tools)
  const verdicts = analysis.parts.flatMap((part) => verdictsOf(context, part))
  const otherEvaluations: ReadonlyArray<Omit<Evaluation, "parts">> = [
    ...toolRuleEvaluations(context),
    ...(call.changes ?? []).flatMap((path) => changeVerdicts(context, path)),
    ...(call.unclear === undefined ? [] : [{ decision: "ask" as const, reason: call.unclear }]),
    ...analysis.faults.map((fault): Omit<Evaluation, "parts"> => ({
      decision: "ask",
      reason: `the command may not run as written: ${fault}`
    }))
  ]
  const { decision, reason, rule } = strictest([...otherEvaluations, ...verdicts]) ?? noRule("an empty command")
  const hasRestrictions = compiled.deny.rules.length > 0 || compiled.ask.rules.length > 0
  const undecided = verdicts.filter(({ decision, rule }) => decision === "ask" && rule === undefined).map(({ part }) => part)
  return {
    decision,
    ...(rule === undefined ? {} : { rule }),
    reason,
    parts: verdicts,
    ...(decision === "ask" && rule === undefined && otherEvaluations.length === 0 && keepsGitSettings(analysis, undecided) ? { undecided }
      : {}),
    ...(decision === "ask" && hasRestrictions && isOpaque(analysis) ? { isOpaque: true } : {})
  }
}

/**
 * Git that a rule allows runs as it is configured, and so does every other git in that command: what only reads must then read
 * the same folders, where the rule accepts the configuration.
 */
const keepsGitSettings = (analysis: Analysis, undecided: ReadonlyArray<SimpleCommand>): boolean => {
  const calls = flatten(analysis.parts).filter(({ name }) => name === "git")
  const changingCalls = calls.filter(({ editsFiles, readOnly }) => !readOnly && !editsFiles)
  if (changingCalls.length === 0) return true
  const folders = new Set(changingCalls.map((call) => GitCall.folders(call)?.join("\0")))
  return undecided.every((call) => call.name !== "git" || folders.has(GitCall.folders(call)?.join("\0") ?? ""))
}

/** Whether it may run more than its parts show. */
const isOpaque = ({ faults, parts }: Analysis): boolean =>
  faults.length > 0 || flatten(parts).some(({ hazards }) => hazards.some(({ opaque }) => opaque))

/** The context that every part is judged in. */
interface RuleContext extends CommandSpec.Directories, Places.PathContext {
  readonly compiled: Compiled
  readonly tools: ReadonlyArray<string>
  readonly facts: Facts
  readonly roots: ReadonlyArray<string>
}

const ruleContext = (
  compiled: Compiled,
  { cwd = compiled.root, facts = {}, leads, roots = [compiled.root] }: CommandContext,
  tools: ReadonlyArray<string>
): RuleContext => ({
  compiled,
  tools,
  facts,
  root: compiled.root,
  home: compiled.home,
  cwd: PathSpec.resolve(compiled.root, cwd),
  ...(leads === undefined ? {} : { leads }),
  roots: roots.map((root) => PathSpec.resolve(compiled.root, root))
})

/** The verdict on a file that a command changes without naming it. Only a rule that spells out a protected file allows it. */
const changeVerdicts = ({ compiled, facts }: RuleContext, path: string): ReadonlyArray<Omit<Evaluation, "parts">> => {
  const restrictingRule = [compiled.deny, compiled.ask].map((list) => RuleIndex.forPath(list, pathTools.write, path, facts)).find((rule) =>
    rule !== undefined
  )
  if (restrictingRule !== undefined) return [ruleEvaluation(restrictingRule, path)]
  const protection = ProtectedPaths.writeProtection(path)
  if (
    protection === undefined ||
    (protection.decision !== "deny" && findAllowRule(compiled, pathTools.write, path, true, facts) !== undefined)
  ) return []
  return [{ decision: "ask", reason: `it would change ${path}, which is protected: ${protection.reason}` }]
}

/** Rules for the whole tool apply even to a command without parts. */
const toolRuleEvaluations = ({ compiled, facts, tools }: RuleContext): ReadonlyArray<Evaluation> =>
  [compiled.deny, compiled.ask].flatMap((list) => {
    const rule = RuleIndex.forTool(list, tools, facts)
    return rule === undefined ? [] : [ruleEvaluation(rule, "every command")]
  })

/** The verdict on a part and the parts within it. A part that a rule allows covers what it runs. */
const verdictsOf = (context: RuleContext, part: SimpleCommand): ReadonlyArray<PartVerdict> => {
  const inner = part.inner.flatMap((each) => verdictsOf(context, each))
  const touchPlaces = part.touches.map((touch): TouchPlaces => ({ touch, places: Places.of(part, touch, context) }))
  const partVerdict = restrictVerdict(context, part, touchPlaces) ?? allowVerdict(context, part, touchPlaces, inner)
  const coversInner = partVerdict.decision === "allow" && partVerdict.rule !== undefined && partVerdict.broad !== true
  return [
    { part, ...partVerdict },
    ...inner.map((verdict) =>
      coversInner && verdict.decision === "ask" && verdict.rule === undefined
        ? { ...verdict, decision: "allow" as const, rule: partVerdict.rule!, reason: partVerdict.reason } : verdict
    )
  ]
}

type Verdict = Omit<PartVerdict, "part"> & { readonly broad?: boolean }

/** The deny and ask walk. */
const restrictVerdict = (context: RuleContext, part: SimpleCommand, touchPlaces: ReadonlyArray<TouchPlaces>): Verdict | undefined => {
  const verdicts: Array<Verdict> = []
  for (const list of [context.compiled.deny, context.compiled.ask]) {
    for (const rule of RuleIndex.forCommand(list, part.name, true)) {
      if (part.words.length === 0 || !context.tools.some(rule.covers) || !RuleIndex.applies(rule, context.facts)) continue
      const match = CommandSpec.matches(rule.spec.command, part)
      if (match === "yes") verdicts.push(ruleEvaluation(rule, part.source))
      if (match === "maybe")
        verdicts.push({
          decision: "ask",
          rule: rule.text,
          reason: `the rule ${rule.text} may apply to ${part.source}, whose arguments are known only at run time`
        })
    }
    if (list.paths.length === 0 && list.toolRules.length === 0) continue
    for (const each of touchPlaces) verdicts.push(...pathVerdicts(context, list, part, each))
  }
  return strictest(verdicts)
}

const pathTools: { readonly [access in Touch["access"]]: ReadonlyArray<string> } = { read: ["Read"], write: ["Edit"], enter: ["Read"] }

const pathVerdicts = (
  context: RuleContext,
  list: RuleIndex.RuleIndex,
  part: SimpleCommand,
  { places, touch }: TouchPlaces
): ReadonlyArray<Verdict> => {
  const tools = pathTools[touch.access]
  const subject = `${touch.path} in ${part.source}`
  const toolRule = touch.access === "enter" || !touch.isCertain ? undefined : RuleIndex.forTool(list, tools, context.facts)
  if (toolRule !== undefined) return [ruleEvaluation(toolRule, subject)]
  const uncertainVerdict = (rule: RuleIndex.Rule): Verdict => ({
    decision: "ask",
    rule: rule.text,
    reason: `the rule ${rule.text} may apply to ${subject}`
  })
  const possibleVerdict = (folder: string, matchesName: (name: string) => boolean): ReadonlyArray<Verdict> => {
    const rule = touch.isCertain ? RuleIndex.findPossible(list, tools, folder, matchesName, context.facts) : undefined
    return rule === undefined ? [] : [uncertainVerdict(rule)]
  }
  return places.flatMap((place): ReadonlyArray<Verdict> => {
    switch (place._tag) {
      case "Named":
        return place.paths.flatMap((path) => {
          const rule = RuleIndex.forPath(list, tools, path, context.facts)
          return rule === undefined ? []
            : [touch.isCertain && touch.access !== "enter" ? ruleEvaluation(rule, subject) : uncertainVerdict(rule)]
        })
      case "Within":
        return place.isSeen ? [] : possibleVerdict(place.folder, place.matchesName)
      case "Below":
        return place.isSeen ? [] : possibleVerdict(place.folder, anyName)
      case "Unknown":
        return possibleVerdict(place.folder, anyName)
    }
  })
}

const anyName = () => true

/** A touch with all the places that it may refer to. */
interface TouchPlaces {
  readonly touch: Touch
  readonly places: ReadonlyArray<Places.Place>
}

/** The allow walk. */
const allowVerdict = (
  context: RuleContext,
  part: SimpleCommand,
  touchPlaces: ReadonlyArray<TouchPlaces>,
  inner: ReadonlyArray<PartVerdict>
): Verdict => {
  const { compiled, facts, tools } = context
  const innerAllowed = inner.every(({ decision }) => decision === "allow")
  if (part.transparent && innerAllowed) {
    const problem = problemOf(context, part, touchPlaces, [], false)
    if (problem === undefined)
      return {
        decision: "allow",
        ...(inner[0]?.rule === undefined ? {} : { rule: inner[0].rule }),
        reason: "everything that it runs is allowed",
        broad: true
      }
  }
  if (part.words.length === 0)
    return problemOf(context, part, touchPlaces, [], false) ??
      { decision: "allow", reason: "it runs nothing and accesses nothing that needs approval" }
  let closestVerdict: Verdict | undefined
  for (const rule of candidates(compiled, part, tools, facts)) {
    const command = rule.spec?.kind === "command" ? rule.spec.command : CommandSpec.any
    const matchedWords = CommandSpec.covers(command, part, context)
    if (matchedWords === undefined) continue
    const broad = command.words.length === 0
    const problem = problemOf(context, part, touchPlaces, matchedWords, broad)
      ?? (broad && !innerAllowed ? inner.find(({ decision }) => decision !== "allow") : undefined)
    if (problem === undefined) return { ...ruleEvaluation(rule, part.source), broad }
    closestVerdict ??= {
      decision: "ask",
      ...(problem.rule === undefined ? {} : { rule: problem.rule }),
      reason: `the rule ${rule.text} does not cover ${part.source}: ${problem.reason}`
    }
  }
  return closestVerdict ?? protectedPlace(context, part, touchPlaces) ?? noRule(part.source)
}

/** A protected path that no rule spells out needs approval under the default's rule, which no mode overrides. */
const protectedPlace = (
  { compiled, facts }: RuleContext,
  part: SimpleCommand,
  touchPlaces: ReadonlyArray<TouchPlaces>
): Verdict | undefined => {
  for (const { places, touch } of touchPlaces) {
    const tools = pathTools[touch.access]
    for (const place of places) {
      for (const path of pathsOf(place)) {
        const protection = Places.isSink(path) ? undefined : ProtectedPaths.touchProtection(part, touch, path)
        if (
          protection === undefined ||
          place._tag === "Named" && protection.decision !== "deny" && findAllowRule(compiled, tools, path, true, facts) !== undefined
        ) continue
        return { decision: "ask", rule: protection.rule, reason: `${touch.path} is protected: ${protection.reason}` }
      }
    }
  }
  return undefined
}

const candidates = function*(
  compiled: Compiled,
  part: SimpleCommand,
  tools: ReadonlyArray<string>,
  facts: Facts
): Generator<RuleIndex.Rule> {
  for (const rule of RuleIndex.forCommand(compiled.allow, part.name, false)) {
    if (tools.some(rule.covers) && RuleIndex.applies(rule, facts)) yield rule
  }
  const toolRule = RuleIndex.forTool(compiled.allow, tools, facts)
  if (toolRule !== undefined) yield toolRule
}

/** Why a part that a rule names is not allowed. */
const problemOf = (
  context: RuleContext,
  part: SimpleCommand,
  touchPlaces: ReadonlyArray<TouchPlaces>,
  matchedWords: ReadonlyArray<Word>,
  broad: boolean
): Verdict | undefined => {
  const hazard = part.hazards.find(({ opaque, word }) => !(word !== undefined && matchedWords.includes(word)) && !(broad && !opaque))
  if (hazard !== undefined) return { decision: "ask", reason: hazard.reason }
  const variable = CommandVariables.hazardOf(part)
  if (variable !== undefined) return { decision: "ask", reason: variable.reason }
  for (const each of touchPlaces) {
    if (matchedWords.includes(each.touch.word)) continue
    const problem = touchProblem(context, part, each, broad)
    if (problem !== undefined) return problem
  }
  return undefined
}

const touchProblem = (context: RuleContext, part: SimpleCommand, { places, touch }: TouchPlaces, broad: boolean): Verdict | undefined => {
  for (const place of places) {
    for (const path of pathsOf(place)) {
      const reason = placeProblem(context, part, touch, place, path, broad)
      if (reason !== undefined)
        return typeof reason === "string" ? { decision: "ask", reason }
          : { decision: "ask", rule: reason.rule, reason: `${touch.path} is protected: ${reason.reason}` }
    }
  }
  return undefined
}

/** The paths that a place names. */
const pathsOf = (place: Places.Place): ReadonlyArray<string> =>
  place._tag === "Named" ? place.paths : place._tag === "Below" ? [] : [place.folder]

/** Why a touch of this path, one of `place`, is not allowed. */
const placeProblem = (
  context: RuleContext,
  part: SimpleCommand,
  touch: Touch,
  place: Places.Place,
  path: string,
  broad: boolean
): string | ProtectedPaths.Protection | undefined => {
  const { compiled, facts, roots } = context
  const folderPlace = place._tag === "Within" || place._tag === "Unknown" ? place : undefined
  if (folderPlace === undefined && (Places.isSink(path) || Places.isPublic(touch, path))) return undefined
  const protectionOf = touch.access === "write" ? ProtectedPaths.writeProtection : ProtectedPaths.readProtection
  const isSeen = folderPlace?._tag === "Within" && folderPlace.isSeen
  const protection = protectionOf(path) ?? (folderPlace === undefined || isSeen ? undefined : protectionOf(`/${touch.path}`))
  const grant = folderPlace !== undefined || protection?.decision === "deny" ? undefined
    : findAllowRule(compiled, pathTools[touch.access], path, protection !== undefined, facts)
  if (grant !== undefined) return undefined
  if (protection !== undefined) return protection
  const isInside = PathSpec.isInsideAny(roots, path)
  if (!touch.isCertain) {
    const isOutside = folderPlace === undefined && !broad && !isInside &&
      (/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(touch.path) || context.leads !== undefined)
    return isOutside ? `${touch.path} is outside the workspace` : undefined
  }
  if (part.folders === undefined) return "its working directory is known only at run time"
  if (folderPlace?._tag === "Unknown" && !broad) return folderPlace.why
  if (folderPlace?._tag === "Within" && !isSeen && Places.canReachHidden(touch))
    return `${touch.word.source} may reach other folders or hidden files`
  if (touch.access === "write" && roots.some((root) => PathSpec.isInside(path, root)) && folderPlace === undefined)
    return `${touch.path} is an entire workspace folder`
  if (touch.access === "write" && touch.redirect && !(broad && isInside)) return `no Edit rule allows writing ${touch.path}`
  return isInside || broad && touch.access !== "write" ? undefined : `${touch.path} is outside the workspace`
}
