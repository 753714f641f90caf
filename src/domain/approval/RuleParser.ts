/** Parses one entry of a settings list into a rule, or an error with a suggestion. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as CommandSpec from "./CommandSpec.ts"
import * as Condition from "./Condition.ts"
import { factNames } from "./Condition.ts"
import * as PathSpec from "./PathSpec.ts"
import type { ListName, Rule, Spec } from "./RuleIndex.ts"
import { type ToolInfo, builtinTags, builtinTools, isExternal, isMcp, suggestion } from "./ToolName.ts"
import type { Call } from "./Call.ts"

// What is wrong with a rule, its location, and what was probably meant.

export class RuleError extends Schema.TaggedError<RuleError>()("RuleError", {
  rule: Schema.String,
  /** What is wrong and, if it can be guessed, what to write instead. */
  problem: Schema.String,
  list: Schema.optionalKey(Schema.Literals(["allow", "ask", "deny"])),
  file: Schema.optionalKey(Schema.String),
  /** The first line is 1. */
  line: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    const location = this.file === undefined ? "" : `${this.file}${this.line === undefined ? "" : `:${this.line}`}: `
    return `${location}${this.list === undefined ? "rule" : `${this.list} rule`} ${this.rule}: ${this.problem}`
  }
}

// Splits the text of a rule: `@tag:Tool(spec, condition)`. The meaning of the parts is left to the neighbouring files.

export interface RuleText {
  readonly tag: string | undefined
  /** A tool's name, possibly with `*`. */
  readonly tool: string
  readonly spec: string | undefined
  readonly condition: string | undefined
}

const rulePattern = /^(?:@([^:()\s]*):)?([\w*.-]+)\s*(?:\((.*)\))?$/s

export const parse = (text: string): Result.Result<RuleText, string> => {
  const [match, tag, tool, inner] = rulePattern.exec(text.trim()) ?? []
  if (match === undefined) return Result.fail("not a valid rule; write Tool, Tool(spec), Tool(spec, condition) or @tag:Tool(spec)")
  if (inner === undefined) return Result.succeed({ tag, tool: tool!, spec: undefined, condition: undefined })
  const { condition, spec } = split(inner)
  if (spec === "")
    return Result.fail(`the brackets are empty; to match every use of the tool, write ${tool}${tool === "Bash" ? " or Bash(*)" : ""}`)
  return Result.succeed({ tag, tool: tool!, spec, condition })
}

/** A comma belongs to the spec unless what follows it begins with the name of a fact. */
const conditionStart = new RegExp(`,\\s*(?=(?:${factNames.join("|")})(?![\\w-]))`)

const split = (inner: string): { readonly spec: string; readonly condition: string | undefined } => {
  const comma = conditionStart.exec(inner)
  return comma === null
    ? { spec: inner.trim(), condition: undefined }
    : { spec: inner.slice(0, comma.index).trim(), condition: inner.slice(comma.index + comma[0].length).trim() }
}

export interface RuleObject {
  readonly rule: string
  /** Subjects (a command, a path, a URL, a tool's name) that the rule must match, checked when it is loaded. */
  readonly match?: ReadonlyArray<string>
  readonly notMatch?: ReadonlyArray<string>
  /** Shown when the rule decides. */
  readonly justification?: string
  /** Its line in the file, from 1. */
  readonly line?: number
}

export type Entry = string | RuleObject

/** An external tool: its name, and the tags that the user's settings or its file give it. */
export type ToolOption = string | { readonly name: string; readonly tags?: ReadonlyArray<string> }

export interface Options {
  /** The folder of the settings that contain the rules. */
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
    const { condition, spec, tag, tool } = yield* parse(entry.rule)
    const tools = yield* matchTools(tag, tool, options)
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

const compileSpec = (list: ListName, spec: string, kind: ToolInfo["spec"], tool: string, options: Options): Result.Result<Spec, string> => {
  switch (kind) {
    case "command":
      return Result.flatMap(CommandSpec.parse(spec), (command): Result.Result<Spec, string> => {
        const problem = list === "allow" ? CommandSpec.broadnessProblem(command) : undefined
        return problem === undefined ? Result.succeed({ kind, command }) : Result.fail(problem)
      })
    case "path": {
      const baseFolders = {
        root: PathSpec.resolve("/", options.root ?? PathSpec.unknownRoot),
        home: PathSpec.resolve("/", options.home ?? PathSpec.unknownHome)
      }
      return Result.map(PathSpec.compile(spec, baseFolders, list !== "allow"), (path) => ({ kind, path }))
    }
    case "host":
      return Result.map(PathSpec.parse(spec), (host) => ({ kind, host }))
    case "name":
      return /[*?\s]/.test(spec) ? Result.fail(`"${spec}" is not a valid name; write a plain name, or ${tool} to match all`)
        : Result.succeed({ kind, name: spec })
    case "none":
      return Result.fail(`${tool} takes no brackets; write ${tool}`)
  }
}

interface ToolMatcher {
  readonly covers: (tool: string) => boolean
  readonly kind: ToolInfo["spec"]
}

const matchTools = (tag: string | undefined, pattern: string, { tools = [] }: Options): Result.Result<ToolMatcher, string> => {
  const customTools = tools.map((tool): ToolInfo =>
    typeof tool === "string" ? { name: tool, spec: "none", tags: [] } : { name: tool.name, spec: "none", tags: tool.tags ?? [] }
  )
  const toolsByName = new Map([...builtinTools, ...customTools].map((tool) => [tool.name, tool]))
  const allTags = new Set([...builtinTags, ...customTools.flatMap(({ tags }) => tags)])
  if (tag !== undefined && !allTags.has(tag)) {
    const similarTag = suggestion(tag, allTags)
    return Result.fail(
      `unknown tag "${tag}"${
        similarTag === undefined ? `; expected one of ${[...allTags].sort().join(", ")}` : `; did you mean @${similarTag}:${pattern}?`
      }`
    )
  }
  const matchesName = matcher(pattern)
  const hasTag = (name: string): boolean =>
    tag === undefined || (toolsByName.get(name)?.tags.includes(tag) ?? (tag === "mcp" && isMcp(name)))
  const matchingTools = [...toolsByName.values()].filter(({ name }) => matchesName(name) && hasTag(name))
  if (matchingTools.length === 0 && !isExternal(pattern)) {
    if (toolsByName.has(pattern)) return Result.fail(`can never match: ${pattern} does not have the tag ${tag}`)
    const similarTool = pattern.includes("*") ? undefined : suggestion(pattern, toolsByName.keys())
    return Result.fail(similarTool === undefined ? `unknown tool "${pattern}"` : `unknown tool "${pattern}"; did you mean ${similarTool}?`)
  }
  if (matchingTools.length === 0 && tag !== undefined && tag !== "mcp")
    return Result.fail(`can never match: no tool ${pattern} has the tag ${tag}`)
  const kinds = new Set(matchingTools.map(({ spec }) => spec))
  return Result.succeed({ covers: (name) => matchesName(name) && hasTag(name), kind: kinds.size === 1 ? [...kinds][0]! : "none" })
}

/** `mcp__server` alone covers all tools of that server. */
const matcher = (pattern: string): (name: string) => boolean => {
  if (pattern === "*") return () => true
  if (pattern.includes("*")) {
    const pieces = pattern.split("*")
    return (name) => matchesWildcard(pieces, name)
  }
  const server = /^mcp__(?:(?!__).)+$/.test(pattern) ? `${pattern}__` : undefined
  return server === undefined ? (name) => name === pattern : (name) => name === pattern || name.startsWith(server)
}

/**
 * Whether the pieces occur in the name in this order, the first at its start and the last at its end. Linear, which a
 * regular expression would not be.
 */
const matchesWildcard = (pieces: ReadonlyArray<string>, name: string): boolean => {
  const [first = "", ...rest] = pieces
  const last = rest.pop() ?? ""
  let at = first.length
  for (const piece of rest) {
    const index = name.indexOf(piece, at)
    if (index === -1) return false
    at = index + piece.length
  }
  return name.startsWith(first) && name.endsWith(last) && name.length - last.length >= at
}

// Examples attached to a rule: what it must match and what it must not, checked when it is loaded.

/** The call that an example stands for: a command, a path, a URL, or a name. */
export const callOf = ({ covers, kind, tool }: Rule, subject: string): Call => {
  const by = tool.includes("*") ? {} : { by: tool }
  switch (kind) {
    case "command":
      return { ...by, tool: "Bash", command: subject }
    case "path":
      return { ...by, tool: covers("Edit") || /edit|write|patch/.test(tool) ? "Edit" : "Read", path: subject }
    case "host":
      return { ...by, tool: tool.toLowerCase() === "browser" ? "Browser" : "WebFetch", url: subject }
    case "name":
      return { ...by, tool, input: { name: subject } }
    case "none":
      return { tool: subject }
  }
}

/** The first example that fails. `isDecided` tells whether the rule alone decides a call. */
export const brokenExample = (
  rule: Rule,
  { match = [], notMatch = [] }: { readonly match?: ReadonlyArray<string>; readonly notMatch?: ReadonlyArray<string> },
  isDecided: (call: Call) => boolean
): string | undefined => {
  const failedMatch = match.find((subject) => !isDecided(callOf(rule, subject)))
  if (failedMatch !== undefined) return `does not match its example "${failedMatch}"`
  const falseMatch = notMatch.find((subject) => isDecided(callOf(rule, subject)))
  return falseMatch === undefined ? undefined : `matches "${falseMatch}", which its notMatch examples exclude`
}
