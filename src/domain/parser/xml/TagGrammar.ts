/** Which tags may occur where, for the tools of one model: between text, inside a call, inside a parameter. */
import * as TagMatcher from "./TagMatcher.ts"

/** A tool as the parser sees it. A `raw` parameter preserves its text exactly and may contain its own close. */
export interface Tool {
  readonly name: string
  readonly params: ReadonlyArray<{ readonly name: string; readonly raw?: boolean; readonly required?: boolean }>
}

/** What may surround calls: `<function_calls>` and `<tool_call>`. */
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

export type Table = TagMatcher.Node<Tag>

export interface Grammar {
  /** The tags that count between text. */
  readonly prose: Table
  readonly names: ReadonlyArray<string>
  /** A call in the invoke form; an unknown name still makes a call, so that the model is told. */
  readonly calleeByName: (name: string) => Callee
  /** A parameter in the invoke form; an undeclared one is passed on, for its schema to reject. */
  readonly parameter: (callee: Callee, name: string) => Param
}

type Entry = readonly [TagMatcher.Form, Tag]

const TOOL_END: Tag = { _tag: "ToolEnd" }
const PARAM_END: Tag = { _tag: "ParamEnd" }
const PARAMETER: Entry = [{ word: "parameter" }, { _tag: "Parameter" }]

const reasoning: ReadonlyArray<Entry> = ["thinking", "think"].map((name) => [
  { name },
  { _tag: "Reasoning", inside: TagMatcher.table<Tag>([[{ name: `/${name}` }, { _tag: "ReasoningEnd" }]]) }
])

const blocks: ReadonlyArray<Entry> = (["function_calls", "tool_call"] as const).flatMap((block): Array<Entry> => [
  [{ name: block }, { _tag: "Block", block }],
  [{ name: `/${block}` }, { _tag: "BlockEnd", block }]
])

/** Only reasoning, for models whose calls do not come in text. */
export const thinking: Grammar = {
  prose: TagMatcher.table(reasoning),
  names: [],
  calleeByName: (name) => ({ name, body: TagMatcher.noTags, params: new Map() }),
  parameter: (_, name) => ({ name, raw: false, inside: TagMatcher.noTags, after: TagMatcher.noTags })
}

/**
 * Reasoning, and the calls of some tools in both forms: compiled once for a list of tools, and a tool's inside only
 * when it is first called.
 */
export const compile = (tools: ReadonlyArray<Tool>): Grammar => {
  const grammar = cache.get(tools) ?? build(tools)
  cache.set(tools, grammar)
  return grammar
}

const cache = new WeakMap<ReadonlyArray<Tool>, Grammar>()

const build = (tools: ReadonlyArray<Tool>): Grammar => {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const openTags: ReadonlyArray<Entry> = [
    ...tools.map((tool): Entry => [{ name: tool.name }, { _tag: "Tool", callee: nativeCallee(tool, () => openTags) }]),
    [{ word: "invoke" }, { _tag: "Invoke" }],
    ...blocks
  ]
  const bodyTags = once(() => TagMatcher.table<Tag>([PARAMETER, [{ name: "/invoke" }, TOOL_END], ...openTags]))
  const inside = TagMatcher.table<Tag>([[{ name: "/parameter" }, PARAM_END]])
  const after = TagMatcher.table<Tag>([[{ name: "/invoke" }, TOOL_END], PARAMETER, [{ name: "/parameter" }, PARAM_END]])
  return {
    prose: TagMatcher.table([...openTags, ...reasoning]),
    names: tools.map((tool) => tool.name),
    calleeByName: (name) => ({
      name,
      body: bodyTags(),
      params: new Map(
        byName.get(name)?.params.map((param) => [
          param.name,
          { name: param.name, raw: param.raw === true, inside, after }
        ])
      )
    }),
    parameter: (callee, name) => callee.params.get(name) ?? { name, raw: false, inside, after }
  }
}

/** A tool in its own tags. */
const nativeCallee = (tool: Tool, openTags: () => ReadonlyArray<Entry>): Callee => {
  const end: Entry = [{ name: `/${tool.name}` }, TOOL_END]
  const params = once(() => new Map(tool.params.map(({ name, raw }) => [name, param(name, raw === true)])))
  const paramTags = once(() => [...params().values()].map((param): Entry => [{ name: param.name }, { _tag: "Param", param }]))
  const param = (name: string, raw: boolean): Param => {
    const close: Entry = [{ name: `/${name}` }, PARAM_END]
    const after = once(() => TagMatcher.table<Tag>([end, ...paramTags(), close]))
    return {
      name,
      raw,
      inside: TagMatcher.table<Tag>([close]),
      get after() {
        return after()
      }
    }
  }
  const body = once(() => TagMatcher.table<Tag>([...paramTags(), end, ...openTags()]))
  return {
    name: tool.name,
    get body() {
      return body()
    },
    get params() {
      return params()
    }
  }
}

const once = <A>(make: () => A): () => A => {
  let memo: { readonly value: A } | undefined
  return () => (memo ??= { value: make() }).value
}
