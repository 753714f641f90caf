/** One entry of a settings list to one rule, or to an error that says what was meant. */
import * as Result from "effect/Result"
import * as CommandSpec from "./CommandSpec.ts"
import * as Condition from "./Condition.ts"
import * as Grammar from "./Grammar.ts"
import * as HostSpec from "./HostSpec.ts"
import * as Location from "./Location.ts"
import * as PathSpec from "./PathSpec.ts"
import { RuleError } from "./RuleError.ts"
import type { ListName, Rule, Spec } from "./RuleIndex.ts"
import { builtin, builtinTags, isMcp, type KnownTool, suggestion } from "./ToolName.ts"

export interface RuleObject {
  readonly rule: string
  /** Subjects (a command, a path, a URL, a tool's name) that the rule must match, checked when it is loaded. */
  readonly match?: ReadonlyArray<string>
  readonly notMatch?: ReadonlyArray<string>
  /** Shown when the rule decides. */
  readonly justification?: string
  /** Where it stands in the file, from 1. */
  readonly line?: number
}

export type Entry = string | RuleObject

/** A tool from outside: its name, and the tags that the user's settings or its file give it. */
export type ToolOption = string | { readonly name: string; readonly tags?: ReadonlyArray<string> }

export interface Options {
  /** The folder of the settings that hold the rules. */
  readonly root?: string
  readonly home?: string
  /** Named in errors. */
  readonly file?: string
  /** Tools besides the built-in ones and those of servers. */
  readonly tools?: ReadonlyArray<ToolOption>
}

export const compileEntry = (list: ListName, entry: Entry, options: Options): Result.Result<Rule, RuleError> =>
  Result.mapError(compileRule(list, objectOf(entry), options), (problem) => errorOf(list, entry, options, problem))

export const objectOf = (entry: Entry): RuleObject => typeof entry === "string" ? { rule: entry } : entry

export const errorOf = (list: ListName, entry: Entry, { file }: Options, problem: string): RuleError => {
  const { line, rule } = objectOf(entry)
  return new RuleError({ rule, problem, list, ...(file === undefined ? {} : { file }), ...(line === undefined ? {} : { line }) })
}

const compileRule = (list: ListName, entry: RuleObject, options: Options): Result.Result<Rule, string> =>
  Result.gen(function*() {
    const { condition, spec, tag, tool } = yield* Grammar.parse(entry.rule)
    const tools = yield* coveredTools(tag, tool, options)
    return {
      text: entry.rule,
      list,
      file: options.file,
      tool,
      kind: tools.kind,
      justification: entry.justification,
      condition: condition === undefined ? undefined : yield* Condition.parse(condition),
      covers: tools.covers,
      spec: spec === undefined ? undefined : yield* compileSpec(list, spec, tools.kind, tool, options)
    }
  })

const compileSpec = (list: ListName, spec: string, kind: KnownTool["spec"], tool: string, options: Options): Result.Result<Spec, string> => {
  switch (kind) {
    case "command":
      return Result.flatMap(CommandSpec.parse(spec), (command): Result.Result<Spec, string> => {
        const problem = list === "allow" ? CommandSpec.tooBroad(command) : undefined
        return problem === undefined ? Result.succeed({ kind, command }) : Result.fail(problem)
      })
    case "path": {
      const places = { root: Location.resolve("/", options.root ?? Location.unknownRoot), home: Location.resolve("/", options.home ?? Location.unknownHome) }
      return Result.map(PathSpec.compile(spec, places, list !== "allow"), (path) => ({ kind, path }))
    }
    case "host":
      return Result.map(HostSpec.parse(spec), (host) => ({ kind, host }))
    case "name":
      return /[*?\s]/.test(spec) ? Result.fail(`"${spec}" is no name; write the name alone, or ${tool} for all`) : Result.succeed({ kind, name: spec })
    case "none":
      return Result.fail(`${tool} takes no brackets: write ${tool} alone`)
  }
}

interface Covered {
  readonly covers: (tool: string) => boolean
  readonly kind: KnownTool["spec"]
}

const coveredTools = (tag: string | undefined, pattern: string, { tools = [] }: Options): Result.Result<Covered, string> => {
  const added = tools.map((tool): KnownTool => typeof tool === "string" ? { name: tool, spec: "none", tags: [] } : { name: tool.name, spec: "none", tags: tool.tags ?? [] })
  const known = new Map([...builtin, ...added].map((tool) => [tool.name, tool]))
  const knownTags = new Set([...builtinTags, ...added.flatMap(({ tags }) => tags)])
  if (tag !== undefined && !knownTags.has(tag)) {
    const meant = suggestion(tag, knownTags)
    return Result.fail(`unknown tag "${tag}"${meant === undefined ? `; known are ${[...knownTags].sort().join(", ")}` : `; did you mean @${meant}:${pattern}?`}`)
  }
  const names = matcher(pattern)
  const tagged = (name: string): boolean => tag === undefined || (known.get(name)?.tags.includes(tag) ?? (tag === "mcp" && isMcp(name)))
  const meant = [...known.values()].filter(({ name }) => names(name) && tagged(name))
  if (meant.length === 0 && !isMcp(pattern)) {
    if (known.has(pattern)) return Result.fail(`can never match: ${pattern} does not carry the tag ${tag}`)
    const near = pattern.includes("*") ? undefined : suggestion(pattern, known.keys())
    return Result.fail(near === undefined ? `unknown tool "${pattern}"` : `unknown tool "${pattern}"; did you mean ${near}?`)
  }
  if (meant.length === 0 && tag !== undefined && tag !== "mcp") return Result.fail(`can never match: no tool ${pattern} carries the tag ${tag}`)
  const kinds = new Set(meant.map(({ spec }) => spec))
  return Result.succeed({ covers: (name) => names(name) && tagged(name), kind: kinds.size === 1 ? [...kinds][0]! : "none" })
}

/** `mcp__server` alone covers all tools of that server. */
const matcher = (pattern: string): (name: string) => boolean => {
  if (pattern === "*") return () => true
  if (pattern.includes("*")) {
    const regex = new RegExp(`^${pattern.split("*").map((text) => text.replace(/[.\\]/g, "\\$&")).join(".*")}$`)
    return (name) => regex.test(name)
  }
  const server = /^mcp__(?:(?!__).)+$/.test(pattern) ? `${pattern}__` : undefined
  return server === undefined ? (name) => name === pattern : (name) => name === pattern || name.startsWith(server)
}
