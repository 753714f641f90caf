/**
 * Rules of history that every wire shares. `turns` takes any messages that a log can hold and gives turns that
 * alternate, begin and end with the user, and answer every call exactly once, right after it. What comes out for
 * a message depends on the messages up to the next one alone, so that a request's earlier bytes stay as they are.
 */
import type * as Schema from "effect/Schema"
import type { Content, Message, ResultContent, ToolCall, ToolResult } from "../message/Message.ts"
import * as Model from "./Model.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

type Of<Tag extends Content["_tag"]> = Extract<Content, { readonly _tag: Tag }>

export interface UserTurn {
  readonly role: "user"
  /** One for each call of the turn before, in the order of the calls, with the calls' ids and names. */
  readonly results: ReadonlyArray<ToolResult>
  readonly content: ReadonlyArray<Of<"Text"> | Of<"Image"> | Of<"Document">>
}
export interface AssistantTurn {
  readonly role: "assistant"
  readonly content: ReadonlyArray<Of<"Text"> | Of<"Reasoning"> | ToolCall>
}
export type Turn = UserTurn | AssistantTurn

/** What a wire accepts as a call's id. `exact`: ids have just that many characters. */
export interface IdRule {
  readonly illegal: RegExp
  readonly max: number
  readonly exact?: boolean
}

/** Anthropic's; others take it as well. */
export const ids: IdRule = { illegal: /[^a-zA-Z0-9_-]/g, max: 64 }

/** `lastThought`: an answer may end with thought, as long as there is more in it. */
export interface Rules {
  readonly ids: IdRule
  readonly lastThought?: boolean
}

export const turns = (messages: ReadonlyArray<Message>, model: Model.Model, { ids: rule, lastThought = false }: Rules = { ids }): ReadonlyArray<Turn> => {
  const merged = merge(messages, model, lastThought)
  const legal = legalIds(rule)
  const out: Array<Turn> = []
  let open: ReadonlyArray<{ readonly call: ToolCall; readonly id: string }> = []
  for (const { content, role } of merged) {
    if (role === "assistant") {
      if (out.length === 0) out.push(user([], [text("(The conversation goes on.)")]))
      const calls = new Map(content.filter(isCall).map((call) => [call, legal(call.id)]))
      out.push({ role, content: content.flatMap((part) => assistantPart(part, calls)) })
      open = [...calls].map(([call, id]) => ({ call, id }))
    } else {
      out.push(answer(open, content))
      open = []
    }
  }
  if (open.length > 0) out.push(answer(open, []))
  if (out.length === 0) out.push(user([], [text("(Nothing was said.)")]))
  if (out.at(-1)?.role === "assistant") out.push(user([], [text("Go on.")]))
  return out
}

/** Neighbours of one role become one; what can't be sent is left out, and with it messages that are left empty. */
const merge = (messages: ReadonlyArray<Message>, model: Model.Model, lastThought: boolean): ReadonlyArray<Message> => {
  const out: Array<{ readonly role: Message["role"]; readonly content: Array<Content> }> = []
  for (const { content, role } of messages) {
    const said = content.filter((part) => keeps(part, role, model))
    const whole = withoutTrailingThought(said)
    const kept = lastThought && whole.length > 0 ? said : whole
    const last = out.at(-1)
    if (kept.length === 0) continue
    if (last?.role === role) last.content.push(...kept)
    else out.push({ role, content: kept })
  }
  return out
}

/** Thought that led to nothing: hardly any wire takes an answer that ends with it, and none one of thought alone. */
const withoutTrailingThought = (content: ReadonlyArray<Content>): Array<Content> =>
  content.slice(0, content.findLastIndex((part) => part._tag !== "Reasoning") + 1)

/** Empty text goes, and reasoning that another model wrote. */
const keeps = (part: Content, role: Message["role"], model: Model.Model): boolean =>
  part._tag === "Text" ? part.text.trim() !== ""
  : part._tag === "Reasoning" ? role === "assistant" && Model.is(model, part.model)
  : true

/** What a model wrote as params may be any JSON; most wires take an object. */
export const object = (params: Schema.Json): Schema.JsonObject =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? params as Schema.JsonObject : { value: params }

const isCall = (part: Content): part is ToolCall => part._tag === "ToolCall"
const text = (text: string): Of<"Text"> => ({ _tag: "Text", text })
const user = (results: UserTurn["results"], content: UserTurn["content"]): UserTurn => ({ role: "user", results, content })

const assistantPart = (part: Content, calls: ReadonlyMap<ToolCall, string>): AssistantTurn["content"] => {
  switch (part._tag) {
    case "Text":
    case "Reasoning":
      return [part]
    case "ToolCall":
      return [{ ...part, id: calls.get(part)! }]
    default:
      return [text(told(part))]
  }
}

/** The turn after calls: the first result that names a call answers it; what answers none is told as text. */
const answer = (open: ReadonlyArray<{ readonly call: ToolCall; readonly id: string }>, content: ReadonlyArray<Content>): UserTurn => {
  const given = content.filter((part) => part._tag === "ToolResult")
  const used = new Set<Content>()
  const results = open.map(({ call, id }): ToolResult => {
    const result = given.find((result) => result.id === call.id && !used.has(result))
    if (result === undefined) return { ...missing, id, name: call.name }
    used.add(result)
    return { ...result, id, name: call.name }
  })
  const rest = content.flatMap((part): UserTurn["content"] =>
    used.has(part) ? []
    : part._tag === "Text" || part._tag === "Image" || part._tag === "Document" ? [part]
    : [text(told(part))]
  )
  return user(results, results.length + rest.length === 0 ? [text("Go on.")] : rest)
}

const missing: Omit<ToolResult, "id" | "name"> = {
  _tag: "ToolResult",
  content: [{ _tag: "Text", text: "No result: interrupted." }],
  isError: true
}

/** A part in words, where it stands in a place that no wire has for it. */
const told = (part: Content): string => {
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

/** The text of a result; never empty, because some servers refuse an empty one. */
export const resultText = (content: ReadonlyArray<ResultContent>): string => {
  const all = content.flatMap((part) => part._tag === "Text" && part.text !== "" ? [part.text] : []).join("\n")
  return all.trim() === "" ? "(no output)" : all
}

/** Ids as the wire takes them: legal, short enough, and each only once in a request. */
const legalIds = (rule: IdRule) => {
  const seen = new Set<string>()
  return (id: string): string => {
    const plain = id.replace(rule.illegal, rule.exact === true ? "" : "_")
    const fits = rule.exact === true ? plain === id && plain.length === rule.max : plain.length > 0 && plain.length <= rule.max
    let legal = fits ? plain : shorten(id, plain, rule)
    for (let n = 2; seen.has(legal); n++) legal = rule.exact === true ? digest(`${id}#${n}`, rule.max) : `${plain.slice(0, rule.max - 8)}_${n}`
    seen.add(legal)
    return legal
  }
}

const shorten = (id: string, plain: string, rule: IdRule): string =>
  rule.exact === true ? digest(id, rule.max) : `${plain.slice(0, rule.max - 10)}_${digest(id, 9)}`

/** A short name for a long one: FNV-1a, stretched to `length` letters and digits. */
const digest = (value: string, length: number): string => {
  let out = ""
  for (let round = 0; out.length < length; round++) {
    let hash = 0x811c9dc5 ^ round
    for (let i = 0; i < value.length; i++) hash = Math.imul(hash ^ value.charCodeAt(i), 0x01000193)
    out += (hash >>> 0).toString(36)
  }
  return out.slice(0, length)
}

/** A tool's name as wires take it: letters, digits, `_` and `-`, at most 64 characters; a letter or `_` at its head. */
export const toolName = (name: string): string => {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, "_")
  const plain = /^[0-9-]/.test(legal) ? `_${legal}` : legal
  return plain === "" ? "tool" : plain.length <= 64 ? plain : `${plain.slice(0, 54)}_${digest(name, 9)}`
}

/** Tools without those whose name another before them has. */
export const eachOnce = (tools: ReadonlyArray<ToolSpec>): ReadonlyArray<ToolSpec> =>
  tools.filter(({ name }, i) => tools.findIndex((tool) => tool.name === name) === i)

/** Which sent name stands for which of ours, each only once. */
export interface Names {
  readonly sent: (name: string) => string
  readonly ours: (name: string) => string
}

export const names = (tools: ReadonlyArray<ToolSpec>): Names => {
  const there = new Map<string, string>()
  const back = new Map<string, string>()
  for (const { name } of tools) {
    if (there.has(name)) continue
    let legal = toolName(name)
    for (let n = 2; back.has(legal); n++) legal = `${toolName(name).slice(0, 60)}_${n}`
    there.set(name, legal)
    back.set(legal, name)
  }
  return { sent: (name) => there.get(name) ?? toolName(name), ours: (name) => back.get(name) ?? name }
}
