/**
 * Rules of history that all wires share. `turns` takes any messages that a log can hold and returns turns that alternate,
 * begin and end with the user, and have exactly one result right after every tool call. The output for a message depends only on
 * the messages up to the next one, so that the start of a request stays the same from turn to turn.
 */
import type * as Schema from "effect/Schema"
import type { Content, Message, ResultContent, ToolCall, ToolResult } from "../message/Message.ts"
import * as Model from "./Model.ts"
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

export const turns = (
  messages: ReadonlyArray<Message>,
  model: Model.Model,
  { ids: rule, canEndWithReasoning = false }: Rules = { ids }
): ReadonlyArray<Turn> => {
  const merged = merge(messages, model, canEndWithReasoning)
  const legal = legalIds(rule)
  const out: Array<Turn> = []
  let openCalls: ReadonlyArray<{ readonly call: ToolCall; readonly id: string }> = []
  for (const { content, role } of merged) {
    if (role === "assistant") {
      if (out.length === 0) out.push(userTurn([], [text("(The conversation continues.)")]))
      const calls = new Map(content.filter(isCall).map((call) => [call, legal(call.id)]))
      out.push({ role, content: content.flatMap((part) => assistantPart(part, calls)) })
      openCalls = [...calls].map(([call, id]) => ({ call, id }))
    } else {
      out.push(resultTurn(openCalls, content))
      openCalls = []
    }
  }
  if (openCalls.length > 0) out.push(resultTurn(openCalls, []))
  if (out.length === 0) out.push(userTurn([], [text("(Nothing was said.)")]))
  if (out.at(-1)?.role === "assistant") out.push(userTurn([], [text("Continue.")]))
  return out
}

/** Merges adjacent messages of one role, and drops what can't be sent along with messages that become empty. */
const merge = (messages: ReadonlyArray<Message>, model: Model.Model, canEndWithReasoning: boolean): ReadonlyArray<Message> => {
  const out: Array<{ readonly role: Message["role"]; readonly content: Array<Content> }> = []
  for (const { content, role } of messages) {
    const sendable = content.filter((part) => isSendable(part, role, model))
    const trimmed = withoutTrailingReasoning(sendable)
    const sent = canEndWithReasoning && trimmed.length > 0 ? sendable : trimmed
    const last = out.at(-1)
    if (sent.length === 0) continue
    if (last?.role === role) last.content.push(...sent)
    else out.push({ role, content: sent })
  }
  return out
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
  openCalls: ReadonlyArray<{ readonly call: ToolCall; readonly id: string }>,
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

/** Ids that the wire accepts: valid characters, short enough, and unique within a request. */
const legalIds = (rule: IdRule) => {
  const used = new Set<string>()
  return (id: string): string => {
    const plain = id.replace(rule.illegal, rule.exact === true ? "" : "_")
    const fits = rule.exact === true ? plain === id && plain.length === rule.max : plain.length > 0 && plain.length <= rule.max
    let legal = fits ? plain : shorten(id, plain, rule)
    for (let n = 2; used.has(legal); n++)
      legal = rule.exact === true ? digest(`${id}#${n}`, rule.max) : `${plain.slice(0, rule.max - 8)}_${n}`
    used.add(legal)
    return legal
  }
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

export const toolNames = (tools: ReadonlyArray<ToolSpec>): Names => {
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
