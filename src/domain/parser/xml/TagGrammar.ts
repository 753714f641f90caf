/** Which tags may stand where, for the tools of one model: between words, inside a call, inside a parameter. */
import * as Tags from "./TagMatcher.ts"

/** A tool as the parser needs to know it. A `raw` parameter keeps its text to the letter and may hold its own close. */
export interface Tool {
  readonly name: string
  readonly params: ReadonlyArray<{ readonly name: string; readonly raw?: boolean }>
}

/** What may stand around calls: `<function_calls>` and `<tool_call>`. */
export type Block = "function_calls" | "tool_call"

export interface Param {
  readonly name: string
  readonly raw: boolean
  /** The tags that count inside: its close. */
  readonly inside: Table
  /** The tags that may follow the close of a raw parameter, and the close itself. */
  readonly after: Table
}

/** A kind of call: a tool in its own tags, or any name in the invoke form. */
export interface Callee {
  readonly name: string
  /** The tags that count between the parameters. */
  readonly body: Table
  /** The parameters that the tool declares, by name. */
  readonly params: ReadonlyMap<string, Param>
}

export type Tag =
  | { readonly _tag: "Tool"; readonly callee: Callee }
  | { readonly _tag: "Invoke" }
  | { readonly _tag: "ToolEnd" }
  | { readonly _tag: "Param"; readonly param: Param }
  | { readonly _tag: "Parameter" }
  | { readonly _tag: "ParamEnd" }
  | { readonly _tag: "Block"; readonly block: Block }
  | { readonly _tag: "BlockEnd"; readonly block: Block }
  | { readonly _tag: "Reasoning"; readonly inside: Table }
  | { readonly _tag: "ReasoningEnd" }

export type Table = Tags.Node<Tag>

export interface Grammar {
  /** The tags that count between words. */
  readonly prose: Table
  readonly names: ReadonlyArray<string>
  /** A call in the invoke form; a name that no tool has is called all the same, so that the model is told. */
  readonly invoked: (name: string) => Callee
  /** A parameter in the invoke form; one that the tool does not declare is kept, for its schema to refuse. */
  readonly parameter: (callee: Callee, name: string) => Param
}

type Entry = readonly [Tags.Form, Tag]

const TOOL_END: Tag = { _tag: "ToolEnd" }
const PARAM_END: Tag = { _tag: "ParamEnd" }
const PARAMETER: Entry = [{ word: "parameter" }, { _tag: "Parameter" }]

const reasoning: ReadonlyArray<Entry> = ["thinking", "think"].map((name) => [
  { name },
  { _tag: "Reasoning", inside: Tags.table<Tag>([[{ name: `/${name}` }, { _tag: "ReasoningEnd" }]]) }
])

const blocks: ReadonlyArray<Entry> = (["function_calls", "tool_call"] as const).flatMap((block): Array<Entry> => [
  [{ name: block }, { _tag: "Block", block }],
  [{ name: `/${block}` }, { _tag: "BlockEnd", block }]
])

/** Reasoning alone, for models whose calls do not come in text. */
export const thinking: Grammar = {
  prose: Tags.table(reasoning),
  names: [],
  invoked: (name) => ({ name, body: Tags.none, params: new Map() }),
  parameter: (_, name) => ({ name, raw: false, inside: Tags.none, after: Tags.none })
}

/**
 * Reasoning, and the calls of some tools in both forms: compiled once for a list of tools, and inside of a tool only
 * when it is first called.
 */
export const compile = (tools: ReadonlyArray<Tool>): Grammar => {
  const known = compiled.get(tools) ?? build(tools)
  compiled.set(tools, known)
  return known
}

const compiled = new WeakMap<ReadonlyArray<Tool>, Grammar>()

const build = (tools: ReadonlyArray<Tool>): Grammar => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const opens: ReadonlyArray<Entry> = [
    ...tools.map((tool): Entry => [{ name: tool.name }, { _tag: "Tool", callee: native(tool, () => opens) }]),
    [{ word: "invoke" }, { _tag: "Invoke" }],
    ...blocks
  ]
  const between = once(() => Tags.table<Tag>([PARAMETER, [{ name: "/invoke" }, TOOL_END], ...opens]))
  const inside = Tags.table<Tag>([[{ name: "/parameter" }, PARAM_END]])
  const after = Tags.table<Tag>([[{ name: "/invoke" }, TOOL_END], PARAMETER, [{ name: "/parameter" }, PARAM_END]])
  return {
    prose: Tags.table([...opens, ...reasoning]),
    names: tools.map((tool) => tool.name),
    invoked: (name) => ({
      name,
      body: between(),
      params: new Map(byName.get(name)?.params.map((param) => [
        param.name,
        { name: param.name, raw: param.raw === true, inside, after }
      ]))
    }),
    parameter: (callee, name) => callee.params.get(name) ?? { name, raw: false, inside, after }
  }
}

/** A tool in its own tags. */
const native = (tool: Tool, opens: () => ReadonlyArray<Entry>): Callee => {
  const end: Entry = [{ name: `/${tool.name}` }, TOOL_END]
  const params = once(() => new Map(tool.params.map(({ name, raw }) => [name, param(name, raw === true)])))
  const starts = once(() => [...params().values()].map((param): Entry => [{ name: param.name }, { _tag: "Param", param }]))
  const param = (name: string, raw: boolean): Param => {
    const close: Entry = [{ name: `/${name}` }, PARAM_END]
    const after = once(() => Tags.table<Tag>([end, ...starts(), close]))
    return { name, raw, inside: Tags.table<Tag>([close]), get after() { return after() } }
  }
  const body = once(() => Tags.table<Tag>([...starts(), end, ...opens()]))
  return { name: tool.name, get body() { return body() }, get params() { return params() } }
}

const once = <A>(make: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
