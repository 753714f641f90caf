/** The rules of one list behind an index: by tool, by a command's name, by a path's folders and names, by host. */
import type { Facts } from "./Call.ts"
import type { CommandSpec } from "./CommandSpec.ts"
import type { Condition } from "./Condition.ts"
import * as Location from "./PathSpec.ts"
import type { HostSpec, PathSpec } from "./PathSpec.ts"
import type { SpecKind } from "./ToolName.ts"

export type ListName = "allow" | "ask" | "deny"

export interface Rule {
  /** As written. */
  readonly text: string
  readonly list: ListName
  readonly file: string | undefined
  /** The tool's name as written, possibly with `*`, and what its spec means. */
  readonly tool: string
  readonly kind: SpecKind
  readonly justification: string | undefined
  readonly condition: Condition | undefined
  /** The tools it applies to. */
  readonly covers: (tool: string) => boolean
  readonly spec: Spec | undefined
}

export type Spec =
  | { readonly kind: "command"; readonly command: CommandSpec }
  | { readonly kind: "path"; readonly path: PathSpec }
  | { readonly kind: "host"; readonly host: HostSpec }
  | { readonly kind: "name"; readonly name: string }

type RuleOf<Kind extends Spec["kind"]> = Rule & { readonly spec: Extract<Spec, { readonly kind: Kind }> }

export type CommandRule = RuleOf<"command">
export type PathRule = RuleOf<"path">

export interface RuleIndex {
  readonly rules: ReadonlyArray<Rule>
  /** Without a spec. */
  readonly toolRules: ReadonlyArray<Rule>
  readonly commands: ReadonlyMap<string, ReadonlyArray<CommandRule>>
  readonly paths: ReadonlyArray<PathBucket>
  readonly hosts: ReadonlyMap<string, ReadonlyArray<RuleOf<"host">>>
  readonly names: ReadonlyArray<RuleOf<"name">>
}

/** The path rules that are relative to one folder. */
interface PathBucket {
  readonly base: string
  readonly foldCase: boolean
  readonly prefix: Map<string, Array<PathRule>>
  readonly name: Map<string, Array<PathRule>>
  readonly extension: Map<string, Array<PathRule>>
  readonly any: Array<PathRule>
}

/** The rules for any command are stored under this name. */
const anyCommand = "*"

export const make = (rules: ReadonlyArray<Rule>, foldCase: boolean): RuleIndex => {
  const commands = new Map<string, Array<CommandRule>>()
  const paths = new Map<string, PathBucket>()
  const hosts = new Map<string, Array<RuleOf<"host">>>()
  const toolRules: Array<Rule> = []
  const names: Array<RuleOf<"name">> = []
  for (const rule of rules) {
    const { spec } = rule
    switch (spec?.kind) {
      case undefined:
        toolRules.push(rule)
        break
      case "command":
        append(commands, foldName(spec.command.name ?? anyCommand, foldCase), { ...rule, spec })
        break
      case "host":
        append(hosts, spec.host.host, { ...rule, spec })
        break
      case "name":
        names.push({ ...rule, spec })
        break
      case "path": {
        const { base, key } = spec.path
        const bucket: PathBucket = paths.get(base) ?? { base, foldCase, prefix: new Map(), name: new Map(), extension: new Map(), any: [] }
        paths.set(base, bucket)
        if (key.kind === "any") bucket.any.push({ ...rule, spec })
        else append(bucket[key.kind], key.text, { ...rule, spec })
      }
    }
  }
  const any = commands.get(anyCommand)
  if (any !== undefined) { for (const [name, commandRules] of commands) if (name !== anyCommand) commandRules.push(...any) }
  return { rules, toolRules, commands, paths: [...paths.values()], hosts, names }
}

const append = <A>(map: Map<string, Array<A>>, key: string, value: A): void => {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

const foldName = (name: string, foldCase: boolean): string => foldCase ? name.toLowerCase() : name

/** A condition whose facts are unavailable counts as true for a deny or an ask, and as false for an allow. */
export const applies = ({ condition, list }: Rule, facts: Facts): boolean =>
  condition === undefined || (list === "allow" ? condition(facts) === true : condition(facts) !== false)

/** The first rule without a spec for one of these names of a tool. */
export const forTool = ({ toolRules }: RuleIndex, tools: ReadonlyArray<string>, facts: Facts): Rule | undefined =>
  toolRules.find((rule) => tools.some(rule.covers) && applies(rule, facts))

/** The rules that may apply to a command of this name, those for any command last. */
export const forCommand = ({ commands }: RuleIndex, name: string | undefined, foldCase: boolean): ReadonlyArray<CommandRule> =>
  (name === undefined ? undefined : commands.get(foldName(name, foldCase))) ?? commands.get(anyCommand) ?? []

/** The first rule matching a path, which is absolute and resolved. */
export const forPath = (list: RuleIndex, tools: ReadonlyArray<string>, path: string, facts: Facts): PathRule | undefined => {
  for (const bucket of list.paths) {
    if (path === bucket.base || !Location.isInside(bucket.base, path)) continue
    const inside = path.slice(bucket.base === "/" ? 1 : bucket.base.length + 1)
    const rule = findInBucket(bucket, bucket.foldCase ? inside.toLowerCase() : inside, tools, facts)
    if (rule !== undefined) return rule
  }
  return undefined
}

const findInBucket = (
  { any, extension, name, prefix }: PathBucket,
  relative: string,
  tools: ReadonlyArray<string>,
  facts: Facts
): PathRule | undefined => {
  const firstMatch = (rules: ReadonlyArray<PathRule> | undefined): PathRule | undefined =>
    rules?.find((rule) => rule.spec.path.test(relative) && tools.some(rule.covers) && applies(rule, facts))
  for (let start = 0; start <= relative.length;) {
    const slash = relative.indexOf("/", start)
    const end = slash < 0 ? relative.length : slash
    const segment = relative.slice(start, end)
    const dot = extension.size === 0 ? -1 : segment.lastIndexOf(".")
    const rule = firstMatch(prefix.get(relative.slice(0, end))) ?? firstMatch(name.get(segment)) ??
      (dot < 0 ? undefined : firstMatch(extension.get(segment.slice(dot))))
    if (rule !== undefined) return rule
    start = end + 1
  }
  return firstMatch(any)
}

/** The path rules that might match something beneath a folder, or a name that a pattern stands for. */
export const findPossible = (
  list: RuleIndex,
  tools: ReadonlyArray<string>,
  folder: string,
  matchesName: (literalName: string) => boolean,
  facts: Facts
): PathRule | undefined => {
  for (const { any, base, extension, name, prefix } of list.paths) {
    if (!Location.isInside(base, folder) && !Location.isInside(folder, base)) continue
    for (const rules of [...prefix.values(), ...name.values(), ...extension.values(), any]) {
      for (const rule of rules) {
        const { key, literalName } = rule.spec.path
        const rulePath = key.kind === "prefix" ? Location.resolve(base, key.text) : base
        if (!Location.isInside(rulePath, folder) && !Location.isInside(folder, rulePath)) continue
        if ((literalName === undefined || matchesName(literalName)) && tools.some(rule.covers) && applies(rule, facts)) return rule
      }
    }
  }
  return undefined
}

export const forHost = ({ hosts }: RuleIndex, tools: ReadonlyArray<string>, host: string, port: number, facts: Facts): Rule | undefined =>
  findHost(hosts, host, (rule) => tools.some(rule.covers) && applies(rule, facts) && matchesPort(rule, port))

/** Whether a rule names the host, on whatever port and condition. */
export const namesHost = ({ hosts }: RuleIndex, tools: ReadonlyArray<string>, host: string): boolean =>
  findHost(hosts, host, (rule) => tools.some(rule.covers)) !== undefined

/** Whether a rule names the host as a private one, on whatever port and condition. */
export const namesPrivateHost = ({ hosts }: RuleIndex, tools: ReadonlyArray<string>, host: string): boolean =>
  findHost(hosts, host, (rule) => rule.spec.host.isPrivate && tools.some(rule.covers)) !== undefined

/** A deny or an ask without a port applies to every port, an allow to the usual ones and to any of a private host. */
const matchesPort = ({ list, spec: { host: { isPrivate, port } } }: RuleOf<"host">, number: number): boolean =>
  port === undefined ? isPrivate || list !== "allow" || number === 80 || number === 443 : port === number

const findHost = (hosts: RuleIndex["hosts"], host: string, isMatch: (rule: RuleOf<"host">) => boolean): Rule | undefined => {
  const findAt = (domain: string, subdomains: boolean): Rule | undefined =>
    hosts.get(domain)?.find((rule) => rule.spec.host.subdomains === subdomains && isMatch(rule))
  const exact = findAt(host, false)
  if (exact !== undefined) return exact
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    const rule = findAt(host.slice(dot + 1), true)
    if (rule !== undefined) return rule
  }
  return undefined
}

export const forName = ({ names }: RuleIndex, tools: ReadonlyArray<string>, name: string, facts: Facts): Rule | undefined =>
  names.find((rule) => rule.spec.name === name && tools.some(rule.covers) && applies(rule, facts))

/** True when a pattern without wildcards names this very path. */
export const namesLiterally = ({ base, literalName, test }: PathSpec, path: string): boolean =>
  literalName !== undefined && path.endsWith(`/${literalName}`) && Location.isInside(base, path) &&
  test(path.slice(base === "/" ? 1 : base.length + 1))
