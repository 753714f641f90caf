/**
 * Rules of history that all wires share. `turns` takes any messages that a log can hold and returns turns that alternate,
 * begin and end with the user, and have exactly one result right after every tool call. The output for a message depends only on
 * the messages up to the next one, so that the start of a request stays the same from turn to turn.
 */
import type * as Schema from "effect/Schema"
import * as GrowingFold from "../message/GrowingFold.ts"
import type { Content, Message, ResultContent, ToolCall, ToolResult } from "../message/Message.ts"
import * as Model from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

type ContentOf<Tag extends Content["_tag"]> = Extract<Content, { readonly _tag: Tag }>

export interface UserTurn {
  readonly role: "user"
  /** One result per tool call of the previous turn, in the order of the calls, with their ids and names. */
  readonly results: ReadonlyArray<ToolResult>
  readonly content: ReadonlyArray<ContentOf<"Text"> | ContentOf<"Image"> | ContentOf<"Document">>
}
export interface AssistantTurn {
  readonly role: "assistant"
  readonly content: ReadonlyArray<ContentOf<"Text"> | ContentOf<"Reasoning"> | ToolCall>
}
export type Turn = UserTurn | AssistantTurn

/** What a wire accepts as the id of a tool call. `exact`: ids have exactly `max` characters. */
export interface IdRule {
  readonly illegal: RegExp
  readonly max: number
  readonly exact?: boolean
}

/** Anthropic's rule; others accept such ids as well. */
export const ids: IdRule = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 }

/** `canEndWithReasoning`: a response may end with reasoning if it has other content. */
export interface Rules {
  readonly ids: IdRule
  readonly canEndWithReasoning?: boolean
}

/** Anthropic's rule, which suits most wires. */
const defaultRules: Rules = { ids }

/** What messages have become so far: turns that are complete, and the one that the next message may still extend. */
interface History {
  readonly turns: Array<Turn>
  readonly usedIds: Set<string>
  readonly openTurn: Pick<Message, "content" | "role"> | undefined
  readonly openCalls: ReadonlyArray<OpenCall>
}

interface OpenCall {
  readonly call: ToolCall
  readonly id: string
}

type HistoryOf = (messages: ReadonlyArray<Message>) => History

/** By model and rules: a turn that was made once is the same object in later requests. */
const histories = new WeakMap<Model.Model, WeakMap<IdRule, Map<boolean, HistoryOf>>>()

const historyOf = (model: Model.Model, { canEndWithReasoning = false, ids: rule }: Rules): HistoryOf => {
  const byRule = histories.get(model) ?? new WeakMap<IdRule, Map<boolean, HistoryOf>>()
  const byReasoning = byRule.get(rule) ?? new Map<boolean, HistoryOf>()
  const fold = byReasoning.get(canEndWithReasoning) ?? GrowingFold.make<Message, History>({
    empty: () => ({ turns: [], usedIds: new Set(), openTurn: undefined, openCalls: [] }),
    add: (history, message) => withMessage(history, message, model, { canEndWithReasoning, ids: rule }),
    fork: ({ turns, usedIds, ...open }) => ({ ...open, turns: [...turns], usedIds: new Set(usedIds) })
  })
  histories.set(model, byRule.set(rule, byReasoning.set(canEndWithReasoning, fold)))
  return fold
}

export const turns = (messages: ReadonlyArray<Message>, model: Model.Model, rules: Rules = defaultRules): ReadonlyArray<Turn> => {
  const { openCalls, turns } = closeTurn(historyOf(model, rules)(messages), rules.ids)
  if (openCalls.length > 0) turns.push(resultTurn(openCalls, []))
  if (turns.length === 0) turns.push(userTurn([], [text("(Nothing was said.)")]))
  if (turns.at(-1)?.role === "assistant") turns.push(userTurn([], [text("Continue.")]))
  return turns
}

/** Merges adjacent messages of one role, and drops what can't be sent along with messages that become empty. */
const withMessage = (
  history: History,
  { content, role }: Message,
  model: Model.Model,
  { canEndWithReasoning = false, ids: rule }: Rules
): History => {
  const sendable = content.filter((part) => isSendable(part, role, model))
  const trimmed = withoutTrailingReasoning(sendable)
  const sent = canEndWithReasoning && trimmed.length > 0 ? sendable : trimmed
  const { openTurn } = history
  return sent.length === 0 ? history
    : openTurn?.role === role ? { ...history, openTurn: { role, content: [...openTurn.content, ...sent] } }
    : { ...closeTurn(history, rule), openTurn: { role, content: sent } }
}

const closeTurn = (history: History, rule: IdRule): History => {
  const { openCalls, openTurn, turns, usedIds } = history
  if (openTurn === undefined) return history
  const { content, role } = openTurn
  if (role === "user") {
    turns.push(resultTurn(openCalls, content))
    return { ...history, openTurn: undefined, openCalls: [] }
  }
  if (turns.length === 0) turns.push(userTurn([], [text("(The conversation continues.)")]))
  const calls = new Map(content.filter(isCall).map((call) => [call, legalId(call.id, rule, usedIds)]))
  turns.push({ role, content: content.flatMap((part) => assistantPart(part, calls)) })
  return { ...history, openTurn: undefined, openCalls: [...calls].map(([call, id]) => ({ call, id })) }
}

/** Trailing reasoning: hardly any wire accepts a response that ends with it, and none accepts reasoning alone. */
const withoutTrailingReasoning = (content: ReadonlyArray<Content>): Array<Content> =>
  content.slice(0, content.findLastIndex((part) => part._tag !== "Reasoning") + 1)

/** Empty text and another model's reasoning are not sent. */
const isSendable = (part: Content, role: Message["role"], model: Model.Model): boolean =>
  part._tag === "Text" ? part.text.trim() !== ""
    : part._tag === "Reasoning" ? role === "assistant" && Model.isNamed(model, part.model)
    : true

/** Params from a model may be any JSON; most wires require an object. */
export const paramsObject = (params: Schema.Json): Schema.JsonObject =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? params as Schema.JsonObject : { value: params }

const isCall = (part: Content): part is ToolCall => part._tag === "ToolCall"
const text = (text: string): ContentOf<"Text"> => ({ _tag: "Text", text })
const userTurn = (results: UserTurn["results"], content: UserTurn["content"]): UserTurn => ({ role: "user", results, content })

const assistantPart = (part: Content, calls: ReadonlyMap<ToolCall, string>): AssistantTurn["content"] => {
  switch (part._tag) {
    case "Text":
    case "Reasoning":
      return [part]
    case "ToolCall":
      return [{ ...part, id: calls.get(part)! }]
    default:
      return [text(asText(part))]
  }
}

/** The turn after tool calls: the first result with the id of a call belongs to it; the others become text. */
const resultTurn = (
  openCalls: ReadonlyArray<OpenCall>,
  content: ReadonlyArray<Content>
): UserTurn => {
  const candidates = content.filter((part) => part._tag === "ToolResult")
  const used = new Set<Content>()
  const results = openCalls.map(({ call, id }): ToolResult => {
    const result = candidates.find((result) => result.id === call.id && !used.has(result))
    if (result === undefined) return { ...missingResult, id, name: call.name }
    used.add(result)
    return { ...result, id, name: call.name }
  })
  const rest = content.flatMap((part): UserTurn["content"] =>
    used.has(part) ? []
      : part._tag === "Text" || part._tag === "Image" || part._tag === "Document" ? [part]
      : [text(asText(part))]
  )
  return userTurn(results, results.length + rest.length === 0 ? [text("Continue.")] : rest)
}

const missingResult: Omit<ToolResult, "id" | "name"> = {
  _tag: "ToolResult",
  content: [{ _tag: "Text", text: "No result: interrupted." }],
  isError: true
}

/** A part as text, for a position in which no wire accepts it. */
const asText = (part: Content): string => {
  switch (part._tag) {
    case "ToolCall":
      return `[A call of ${part.name}: ${JSON.stringify(part.params)}]`
    case "ToolResult":
      return `[A result of ${part.name}: ${resultText(part.content)}]`
    case "Image":
    case "Document":
      return `[${part._tag === "Image" ? "An image" : "A document"} (${part.mediaType})]`
    default:
      return part.text
  }
}

/** The text of a result; never empty, because some servers reject empty text. */
export const resultText = (content: ReadonlyArray<ResultContent>): string => {
  const joined = content.flatMap((part) => part._tag === "Text" && part.text !== "" ? [part.text] : []).join("\n")
  return joined.trim() === "" ? "(no output)" : joined
}

/** An id that the wire accepts: valid characters, short enough, and unique within a request. It is added to the used ones. */
const legalId = (id: string, rule: IdRule, used: Set<string>): string => {
  const plain = id.replace(rule.illegal, rule.exact === true ? "" : "_")
  const fits = rule.exact === true ? plain === id && plain.length === rule.max : plain.length > 0 && plain.length <= rule.max
  let legal = fits ? plain : shorten(id, plain, rule)
  for (let n = 2; used.has(legal); n++)
    legal = rule.exact === true ? digest(`${id}#${n}`, rule.max) : `${plain.slice(0, rule.max - 8)}_${n}`
  used.add(legal)
  return legal
}

const shorten = (id: string, plain: string, rule: IdRule): string =>
  rule.exact === true ? digest(id, rule.max) : `${plain.slice(0, rule.max - 10)}_${digest(id, 9)}`

/** A short name for a long one: FNV-1a, extended to `length` letters and digits. */
const digest = (value: string, length: number): string => {
  let out = ""
  for (let round = 0; out.length < length; round++) {
    let hash = 0x811c9dc5 ^ round
    for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 0x01000193)
    out += (hash >>> 0).toString(36)
  }
  return out.slice(0, length)
}

/** A tool name that wires accept: at most 64 letters, digits, `_` and `-`, and a letter or `_` at the start. */
export const toolName = (name: string): string => {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, "_")
  const plain = /^[0-9-]/.test(legal) ? `_${legal}` : legal
  return plain === "" ? "tool" : plain.length <= 64 ? plain : `${plain.slice(0, 54)}_${digest(name, 9)}`
}

/** The tools without those that repeat an earlier name. */
export const uniqueTools = (tools: ReadonlyArray<ToolSpec>): ReadonlyArray<ToolSpec> =>
  tools.filter(({ name }, i) => tools.findIndex((tool) => tool.name === name) === i)

/** The mapping between our tool names and the unique names that are sent. */
export interface Names {
  readonly wireName: (name: string) => string
  readonly original: (name: string) => string
}

/** The same object for the same list of tools. */
export const toolNames = (tools: ReadonlyArray<ToolSpec>): Names => {
  if (tools.length === 0) return plainNames
  const names = namesOf.get(tools) ?? makeNames(tools)
  namesOf.set(tools, names)
  return names
}

const namesOf = new WeakMap<ReadonlyArray<ToolSpec>, Names>()

const makeNames = (tools: ReadonlyArray<ToolSpec>): Names => {
  const sentByName = new Map<string, string>()
  const nameBySent = new Map<string, string>()
  for (const { name } of tools) {
    if (sentByName.has(name)) continue
    let legal = toolName(name)
    for (let n = 2; nameBySent.has(legal); n++) legal = `${toolName(name).slice(0, 60)}_${n}`
    sentByName.set(name, legal)
    nameBySent.set(legal, name)
  }
  return { wireName: (name) => sentByName.get(name) ?? toolName(name), original: (name) => nameBySent.get(name) ?? name }
}

const plainNames = makeNames([])

// What a wire makes of turns, which is made once.

/** What a turn is encoded with. */
export interface TurnContext {
  readonly request: ModelRequest
  readonly model: Model.Model
  readonly names: Names
}

/** An encoder that makes each turn once. One with files is made again: their bytes come with the request, and are not kept. */
export const onceForEachTurn = <Wire>(encode: (turn: Turn, context: TurnContext) => Wire): typeof encode => {
  const wires = new WeakMap<Names, WeakMap<Turn, Wire>>()
  return (turn, context) => {
    const byTurn = wires.get(context.names) ?? new WeakMap<Turn, Wire>()
    const cached = byTurn.get(turn)
    if (cached !== undefined) return cached
    const wire = encode(turn, context)
    if (!hasFile(turn)) wires.set(context.names, byTurn.set(turn, wire))
    return wire
  }
}

const isFile = ({ _tag }: Content | ResultContent): boolean => _tag === "Image" || _tag === "Document"

const hasFile = (turn: Turn): boolean =>
  turn.role === "user" && (turn.content.some(isFile) || turn.results.some(({ content }) => content.some(isFile)))

/** Where a wire marks what is cached: the last two turns of the user. */
export const isMarked = (turns: ReadonlyArray<Turn>, i: number): boolean => i === turns.length - 1 || i === turns.length - 3
