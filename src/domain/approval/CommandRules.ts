/** Rules over a command: the deny and ask walk sees through everything, the allow walk wants every part named. */
import { analyse, type Analysis, flatten, type Part, type Touch, type Word } from "../tool/CommandLine.ts"
import { assignmentHazard, isOwnVariable } from "../tool/shell/Environment.ts"
import type { CommandCall, Context, Facts } from "./Call.ts"
import * as CommandSpec from "./CommandSpec.ts"
import * as Defaults from "./ProtectedPaths.ts"
import { type Compiled, type Evaluation, noRule, type PartVerdict, ruled, strictest } from "./Evaluation.ts"
import * as Location from "./Location.ts"
import { allowing } from "./PathRules.ts"
import { patternNames } from "./PathSpec.ts"
import * as RuleList from "./RuleIndex.ts"

export const judge = (compiled: Compiled, call: CommandCall, tools: ReadonlyArray<string>): Evaluation =>
  judgeAnalysis(compiled, analyse(call.command), call, tools)

/** For a command that is analysed already. */
export const judgeAnalysis = (compiled: Compiled, analysis: Analysis, call: Context, tools: ReadonlyArray<string>): Evaluation => {
  const scene = sceneOf(compiled, call, tools)
  const verdicts = analysis.parts.flatMap((part) => verdictsOf(scene, part))
  const whole: ReadonlyArray<Omit<Evaluation, "parts">> = [
    ...wholeTool(scene),
    ...verdicts,
    ...analysis.faults.map((fault): Omit<Evaluation, "parts"> => ({ decision: "ask", reason: `the command cannot be trusted to run as it reads: ${fault}` }))
  ]
  const { decision, reason, rule } = strictest(whole) ?? noRule("an empty command")
  const forbids = compiled.deny.rules.length > 0 || compiled.ask.rules.length > 0
  return {
    decision,
    ...(rule === undefined ? {} : { rule }),
    reason,
    parts: verdicts,
    ...(decision === "ask" && forbids && hides(analysis) ? { unread: true } : {})
  }
}

/** It may run more than its parts name. */
const hides = ({ faults, parts }: Analysis): boolean =>
  faults.length > 0 || flatten(parts).some(({ hazards }) => hazards.some(({ opaque }) => opaque))

/** What every part is judged in. */
interface Scene extends CommandSpec.Directories {
  readonly compiled: Compiled
  readonly tools: ReadonlyArray<string>
  readonly facts: Facts
  readonly roots: ReadonlyArray<string>
}

const sceneOf = (compiled: Compiled, { cwd = compiled.root, facts = {}, roots = [compiled.root] }: Context, tools: ReadonlyArray<string>): Scene => ({
  compiled,
  tools,
  facts,
  root: compiled.root,
  home: compiled.home,
  cwd: Location.resolve(compiled.root, cwd),
  roots: roots.map((root) => Location.resolve(compiled.root, root))
})

/** Rules for the whole tool, which hold even for a command without parts. */
const wholeTool = ({ compiled, facts, tools }: Scene): ReadonlyArray<Evaluation> =>
  [compiled.deny, compiled.ask].flatMap((list) => {
    const rule = RuleList.forTool(list, tools, facts)
    return rule === undefined ? [] : [ruled(rule, "every command")]
  })

/** The verdict of a part and of those within it. A part allowed by its own rule answers for what it runs. */
const verdictsOf = (scene: Scene, part: Part): ReadonlyArray<PartVerdict> => {
  const inner = part.inner.flatMap((each) => verdictsOf(scene, each))
  const placed = part.touches.map((touch): Placed => ({ touch, places: placesOf(scene, part, touch) }))
  const own = forbidden(scene, part, placed) ?? allowed(scene, part, placed, inner)
  const answers = own.decision === "allow" && own.rule !== undefined && own.broad !== true
  return [{ part, ...own }, ...inner.map((verdict) => answers && verdict.decision === "ask" && verdict.rule === undefined ? { ...verdict, decision: "allow" as const, rule: own.rule!, reason: own.reason } : verdict)]
}

type Verdict = Omit<PartVerdict, "part"> & { readonly broad?: boolean }

/** The deny and ask walk. */
const forbidden = (scene: Scene, part: Part, placed: ReadonlyArray<Placed>): Verdict | undefined => {
  const verdicts: Array<Verdict> = []
  for (const list of [scene.compiled.deny, scene.compiled.ask]) {
    for (const rule of RuleList.forCommand(list, part.name, true)) {
      if (part.words.length === 0 || !scene.tools.some(rule.covers) || !RuleList.applies(rule, scene.facts)) continue
      const match = CommandSpec.matches(rule.spec.command, part)
      if (match === "yes") verdicts.push(ruled(rule, part.source))
      if (match === "maybe") verdicts.push({ decision: "ask", rule: rule.text, reason: `${rule.text} may hold for ${part.source}, whose words are known only at run time` })
    }
    if (list.paths.length === 0 && list.bare.length === 0) continue
    for (const each of placed) verdicts.push(...pathVerdicts(scene, list, part, each))
  }
  return strictest(verdicts)
}

const pathTools: Readonly<Record<Touch["access"], ReadonlyArray<string>>> = { read: ["Read"], write: ["Edit"], enter: ["Read"] }

const pathVerdicts = (scene: Scene, list: RuleList.RuleList, part: Part, { places, touch }: Placed): ReadonlyArray<Verdict> => {
  const tools = pathTools[touch.access]
  const subject = `${touch.path} in ${part.source}`
  const whole = touch.access === "enter" || !touch.sure ? undefined : RuleList.forTool(list, tools, scene.facts)
  if (whole !== undefined) return [ruled(whole, subject)]
  const unsure = (rule: RuleList.Rule): Verdict => ({ decision: "ask", rule: rule.text, reason: `${rule.text} may hold for ${subject}` })
  return places.flatMap(({ folder, named, path }): ReadonlyArray<Verdict> => {
    const rule = path === undefined ? undefined : RuleList.forPath(list, tools, path, scene.facts)
    if (rule !== undefined) return [touch.sure && touch.access !== "enter" ? ruled(rule, subject) : unsure(rule)]
    const possible = folder === undefined || !touch.sure ? undefined : RuleList.mayMeet(list, tools, folder, named, scene.facts)
    return possible === undefined ? [] : [unsure(possible)]
  })
}

/** A touch with all the places that it may lead to. */
interface Placed {
  readonly touch: Touch
  readonly places: ReadonlyArray<Place>
}

interface Place {
  /** Where the touch leads, when that is one path. */
  readonly path: string | undefined
  /** The folder beneath which it leads, when it leads to many, with the names it may mean there. */
  readonly folder: string | undefined
  readonly named: (name: string) => boolean
}

const placesOf = (scene: Scene, part: Part, { path, tree, word }: Touch): ReadonlyArray<Place> =>
  (part.folders ?? [""]).map((folder): Place => {
    const start = folder === "" ? scene.cwd : Location.resolve(scene.cwd, Location.expandHome(folder, scene.home))
    const at = (text: string): string => Location.resolve(start, isTilde(word, text) ? Location.expandTilde(text, scene.home) : text)
    if (word.kind === "literal" || word.kind === "tilde") return { path: at(path), folder: tree ? at(path) : undefined, named: anyName }
    const wild = path.search(/[*?[(]/)
    const known = word.kind === "glob" && wild >= 0 ? path.slice(0, wild) : path
    const within = known.slice(0, known.lastIndexOf("/") + 1)
    return { path: undefined, folder: word.kind === "dynamic" && within === "" ? "/" : at(within), named: word.kind === "glob" ? patternNames(path) : anyName }
  })

const anyName = () => true

const isTilde = ({ kind, source }: Word, text: string): boolean => kind === "tilde" || (text.startsWith("~") && /^["']?(?:~|\$\{?HOME\b)|[=@]~/.test(source))

/** The allow walk. */
const allowed = (scene: Scene, part: Part, placed: ReadonlyArray<Placed>, inner: ReadonlyArray<PartVerdict>): Verdict => {
  const { compiled, facts, tools } = scene
  const innerAllowed = inner.every(({ decision }) => decision === "allow")
  if (part.transparent && innerAllowed) {
    const problem = problemOf(scene, part, placed, [], false)
    if (problem === undefined) return { decision: "allow", ...(inner[0]?.rule === undefined ? {} : { rule: inner[0].rule }), reason: `what it runs is allowed`, broad: true }
  }
  if (part.words.length === 0) return problemOf(scene, part, placed, [], false) ?? { decision: "allow", reason: "it runs nothing and touches nothing that asks" }
  let near: Verdict | undefined
  for (const rule of candidates(compiled, part, tools, facts)) {
    const command = rule.spec?.kind === "command" ? rule.spec.command : CommandSpec.any
    const spelled = CommandSpec.covers(command, part, scene)
    if (spelled === undefined) continue
    const broad = command.words.length === 0
    const problem = problemOf(scene, part, placed, spelled, broad)
      ?? (broad && !innerAllowed ? inner.find(({ decision }) => decision !== "allow") : undefined)
    if (problem === undefined) return { ...ruled(rule, part.source), broad }
    near ??= { decision: "ask", ...(problem.rule === undefined ? {} : { rule: problem.rule }), reason: `${rule.text} does not cover ${part.source}: ${problem.reason}` }
  }
  return near ?? protectedPlace(scene, part, placed) ?? noRule(part.source)
}

/** A protected path that no rule of its own allows: asked about by the default's name, which no mode lowers. */
const protectedPlace = ({ compiled, facts }: Scene, part: Part, placed: ReadonlyArray<Placed>): Verdict | undefined => {
  for (const { places, touch } of placed) {
    const tools = pathTools[touch.access]
    for (const { folder, path } of places) {
      const place = path ?? folder!
      if (sinks.has(place)) continue
      const protection = Defaults.touching(part, touch, place)
      if (protection === undefined || path !== undefined && protection.decision !== "deny" && allowing(compiled, tools, path, true, facts) !== undefined) continue
      return { decision: "ask", rule: protection.rule, reason: `${touch.path} is protected: ${protection.reason}` }
    }
  }
  return undefined
}

const candidates = function*(compiled: Compiled, part: Part, tools: ReadonlyArray<string>, facts: Facts): Generator<RuleList.Rule> {
  for (const rule of RuleList.forCommand(compiled.allow, part.name, false)) {
    if (tools.some(rule.covers) && RuleList.applies(rule, facts)) yield rule
  }
  const whole = RuleList.forTool(compiled.allow, tools, facts)
  if (whole !== undefined) yield whole
}

/** What keeps a part that a rule names from being allowed. */
const problemOf = (scene: Scene, part: Part, placed: ReadonlyArray<Placed>, spelled: ReadonlyArray<Word>, broad: boolean): Verdict | undefined => {
  const hazard = part.hazards.find(({ opaque, word }) => !(word !== undefined && spelled.includes(word)) && !(broad && !opaque))
  if (hazard !== undefined) return { decision: "ask", reason: hazard.why }
  for (const { name, value } of part.assignments) {
    // Without a command, a variable of the program's own stays within it.
    if (part.words.length === 0 && value !== undefined && isOwnVariable(name)) continue
    const why = assignmentHazard(name, value)
    if (why !== undefined) return { decision: "ask", reason: why }
  }
  for (const each of placed) {
    if (spelled.includes(each.touch.word)) continue
    const problem = touchProblem(scene, part, each, broad)
    if (problem !== undefined) return problem
  }
  return undefined
}

const sinks = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/zero"])

const touchProblem = (scene: Scene, part: Part, { places, touch }: Placed, broad: boolean): Verdict | undefined => {
  const { compiled, facts, roots } = scene
  for (const { folder, path } of places) {
    const place = path ?? folder!
    if (path !== undefined && sinks.has(path)) continue
    const protects = touch.access === "write" ? Defaults.writing : Defaults.reading
    const protection = protects(place) ?? (path === undefined ? protects(`/${touch.path}`) : undefined)
    const named = path === undefined || protection?.decision === "deny" ? undefined : allowing(compiled, pathTools[touch.access], path, protection !== undefined, facts)
    if (named !== undefined) continue
    if (protection !== undefined) return { decision: "ask", rule: protection.rule, reason: `${touch.path} is protected: ${protection.reason}` }
    if (!touch.sure) {
      const outside = path !== undefined && !broad && /^[/~]|^\.\.(?:\/|$)/.test(touch.path) && !Location.isInsideAny(roots, path)
      if (outside) return { decision: "ask", reason: `${touch.path} is outside the folders that are open` }
      continue
    }
    if (part.folders === undefined) return { decision: "ask", reason: "the folder that it runs in is known only at run time" }
    if (path === undefined && touch.word.kind !== "glob" && !broad) return { decision: "ask", reason: `${touch.word.source} is known only at run time` }
    if (path === undefined && reachesFurther(touch.path)) return { decision: "ask", reason: `${touch.word.source} may reach other folders or hidden files` }
    if (touch.access === "write" && roots.some((root) => Location.isInside(place, root)) && path !== undefined) return { decision: "ask", reason: `${touch.path} is the whole folder` }
    if (touch.access === "write" && touch.redirect && !(broad && Location.isInsideAny(roots, place))) return { decision: "ask", reason: `no Edit rule allows ${touch.path}` }
    if (!Location.isInsideAny(roots, place) && !(broad && touch.access !== "write")) return { decision: "ask", reason: `${touch.path} is outside the folders that are open` }
  }
  return undefined
}

/** A pattern that matches hidden names, or climbs out of the folder that it names. */
const reachesFurther = (pattern: string): boolean => {
  const segments = pattern.split("/")
  const wild = segments.findIndex((segment) => /[*?[(]/.test(segment))
  return segments.slice(Math.max(wild, 0)).some((segment) => segment.startsWith("."))
}
