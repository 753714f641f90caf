/** The rules of one list behind an index: by tool, by a command's name, by a path's folders and names, by host. */
import type { Facts } from "./Call.ts"
import type { CommandSpec } from "./CommandSpec.ts"
import type { Condition } from "./Condition.ts"
import type { HostSpec } from "./HostSpec.ts"
import * as Location from "./Location.ts"
import type { PathSpec } from "./PathSpec.ts"
import type { SpecKind } from "./ToolName.ts"

export type ListName = "allow" | "ask" | "deny"

export interface Rule {
  /** As written. */
  readonly text: string
  readonly list: ListName
  readonly file: string | undefined
  /** The tool's name as written, perhaps with `*`, and what a spec of it is. */
  readonly tool: string
  readonly kind: SpecKind
  readonly justification: string | undefined
  readonly condition: Condition | undefined
  /** The tools it speaks of. */
  readonly covers: (tool: string) => boolean
  readonly spec: Spec | undefined
}

export type Spec =
  | { readonly kind: "command"; readonly command: CommandSpec }
  | { readonly kind: "path"; readonly path: PathSpec }
  | { readonly kind: "host"; readonly host: HostSpec }
  | { readonly kind: "name"; readonly name: string }

type Of<Kind extends Spec["kind"]> = Rule & { readonly spec: Extract<Spec, { readonly kind: Kind }> }

export type CommandRule = Of<"command">
export type PathRule = Of<"path">

export interface RuleList {
  readonly rules: ReadonlyArray<Rule>
  /** Without a spec. */
  readonly bare: ReadonlyArray<Rule>
  readonly commands: ReadonlyMap<string, ReadonlyArray<CommandRule>>
  readonly paths: ReadonlyArray<PathBucket>
  readonly hosts: ReadonlyMap<string, ReadonlyArray<Of<"host">>>
  readonly names: ReadonlyArray<Of<"name">>
}

/** The path rules that are relative to one folder. */
interface PathBucket {
  readonly base: string
  readonly fold: boolean
  readonly prefix: Map<string, Array<PathRule>>
  readonly name: Map<string, Array<PathRule>>
  readonly extension: Map<string, Array<PathRule>>
  readonly any: Array<PathRule>
}

/** Under this name stand the rules for any command. */
const anyCommand = "*"

export const make = (rules: ReadonlyArray<Rule>, fold: boolean): RuleList => {
  const commands = new Map<string, Array<CommandRule>>()
  const paths = new Map<string, PathBucket>()
  const hosts = new Map<string, Array<Of<"host">>>()
  const bare: Array<Rule> = []
  const names: Array<Of<"name">> = []
  for (const rule of rules) {
    const { spec } = rule
    switch (spec?.kind) {
      case undefined:
        bare.push(rule)
        break
      case "command":
        append(commands, foldName(spec.command.name ?? anyCommand, fold), { ...rule, spec })
        break
      case "host":
        append(hosts, spec.host.host, { ...rule, spec })
        break
      case "name":
        names.push({ ...rule, spec })
        break
      case "path": {
        const { base, key } = spec.path
        const bucket: PathBucket = paths.get(base) ?? { base, fold, prefix: new Map(), name: new Map(), extension: new Map(), any: [] }
        paths.set(base, bucket)
        if (key.kind === "any") bucket.any.push({ ...rule, spec })
        else append(bucket[key.kind], key.text, { ...rule, spec })
      }
    }
  }
  const any = commands.get(anyCommand)
  if (any !== undefined) for (const [name, named] of commands) if (name !== anyCommand) named.push(...any)
  return { rules, bare, commands, paths: [...paths.values()], hosts, names }
}

const append = <A>(map: Map<string, Array<A>>, key: string, value: A): void => {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

const foldName = (name: string, fold: boolean): string => fold ? name.toLowerCase() : name

/** A condition whose facts are not known holds for a deny or an ask, and not for an allow. */
export const applies = ({ condition, list }: Rule, facts: Facts): boolean =>
  condition === undefined || (list === "allow" ? condition(facts) === true : condition(facts) !== false)

/** The first rule without a spec for one of these names of a tool. */
export const forTool = ({ bare }: RuleList, tools: ReadonlyArray<string>, facts: Facts): Rule | undefined =>
  bare.find((rule) => tools.some(rule.covers) && applies(rule, facts))

/** The rules that may speak of a command of this name, those for any command last. */
export const forCommand = ({ commands }: RuleList, name: string | undefined, fold: boolean): ReadonlyArray<CommandRule> =>
  (name === undefined ? undefined : commands.get(foldName(name, fold))) ?? commands.get(anyCommand) ?? []

/** The first rule of a path, which is absolute and resolved. */
export const forPath = (list: RuleList, tools: ReadonlyArray<string>, path: string, facts: Facts): PathRule | undefined => {
  for (const bucket of list.paths) {
    if (path === bucket.base || !Location.isInside(bucket.base, path)) continue
    const inside = path.slice(bucket.base === "/" ? 1 : bucket.base.length + 1)
    const rule = inBucket(bucket, bucket.fold ? inside.toLowerCase() : inside, tools, facts)
    if (rule !== undefined) return rule
  }
  return undefined
}

const inBucket = ({ any, extension, name, prefix }: PathBucket, relative: string, tools: ReadonlyArray<string>, facts: Facts): PathRule | undefined => {
  const first = (rules: ReadonlyArray<PathRule> | undefined): PathRule | undefined =>
    rules?.find((rule) => rule.spec.path.test(relative) && tools.some(rule.covers) && applies(rule, facts))
  for (let start = 0; start <= relative.length;) {
    const slash = relative.indexOf("/", start)
    const end = slash < 0 ? relative.length : slash
    const segment = relative.slice(start, end)
    const dot = extension.size === 0 ? -1 : segment.lastIndexOf(".")
    const found = first(prefix.get(relative.slice(0, end))) ?? first(name.get(segment)) ?? (dot < 0 ? undefined : first(extension.get(segment.slice(dot))))
    if (found !== undefined) return found
    start = end + 1
  }
  return first(any)
}

/** The path rules that might meet something beneath a folder, or a name that a pattern stands for. */
export const mayMeet = (list: RuleList, tools: ReadonlyArray<string>, folder: string, named: (literalName: string) => boolean, facts: Facts): PathRule | undefined => {
  for (const { any, base, extension, name, prefix } of list.paths) {
    if (!Location.isInside(base, folder) && !Location.isInside(folder, base)) continue
    for (const rules of [...prefix.values(), ...name.values(), ...extension.values(), any]) {
      for (const rule of rules) {
        const { key, literalName } = rule.spec.path
        const place = key.kind === "prefix" ? Location.resolve(base, key.text) : base
        if (!Location.isInside(place, folder) && !Location.isInside(folder, place)) continue
        if ((literalName === undefined || named(literalName)) && tools.some(rule.covers) && applies(rule, facts)) return rule
      }
    }
  }
  return undefined
}

/** `usual`: a rule that names no port speaks of this one too. */
export interface Port {
  readonly number: number
  readonly usual: boolean
}

export const forHost = ({ hosts }: RuleList, tools: ReadonlyArray<string>, host: string, port: Port, facts: Facts): Rule | undefined =>
  findHost(hosts, host, (rule) => tools.some(rule.covers) && applies(rule, facts) && ofPort(rule, port))

/** Whether a rule names the host, on whatever port and condition. */
export const namesHost = ({ hosts }: RuleList, tools: ReadonlyArray<string>, host: string): boolean =>
  findHost(hosts, host, (rule) => tools.some(rule.covers)) !== undefined

/** A deny or an ask without a port holds on every port, an allow on the usual ones. */
const ofPort = ({ list, spec: { host: { port } } }: Of<"host">, { number, usual }: Port): boolean =>
  port === undefined ? usual || list !== "allow" : port === number

const findHost = (hosts: RuleList["hosts"], host: string, holds: (rule: Of<"host">) => boolean): Rule | undefined => {
  const found = (at: string, subdomains: boolean): Rule | undefined =>
    hosts.get(at)?.find((rule) => rule.spec.host.subdomains === subdomains && holds(rule))
  const exact = found(host, false)
  if (exact !== undefined) return exact
  for (let dot = host.indexOf("."); dot >= 0; dot = host.indexOf(".", dot + 1)) {
    const rule = found(host.slice(dot + 1), true)
    if (rule !== undefined) return rule
  }
  return undefined
}

export const forName = ({ names }: RuleList, tools: ReadonlyArray<string>, name: string, facts: Facts): Rule | undefined =>
  names.find((rule) => rule.spec.name === name && tools.some(rule.covers) && applies(rule, facts))

/** True when a pattern without wildcards names this very path. */
export const spells = ({ base, literalName, test }: PathSpec, path: string): boolean =>
  literalName !== undefined && path.endsWith(`/${literalName}`) && Location.isInside(base, path) && test(path.slice(base === "/" ? 1 : base.length + 1))
