/** Tokens, estimated: what a request will weigh before a provider counts it. */
import type { Content, Message } from "../message/Message.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import * as Estimate from "./TokenEstimate.ts"

/** What the estimate counts, times this, is nearer to what models with small vocabularies count: rather too many than too few. */
export const factor = 1.1

/** Beside the text: what a wire needs around a message, a call or a result; what an image weighs. */
const overhead = { message: 4, part: 8, image: 1600, document: 6000 }

/** Tokens of a text. O(text). */
export const ofText = (text: string): number => text === "" ? 0 : Math.ceil(Estimate.tokens(text) * factor)

/** Tokens of a text that comes again with every request, such as a section of a prompt: the last few hundred are remembered. */
export const ofPrompt = (text: string): number => {
  const known = prompts.get(text)
  if (known !== undefined) return known
  const tokens = ofText(text)
  if (prompts.size >= 200) prompts.clear()
  prompts.set(text, tokens)
  return tokens
}

const prompts = new Map<string, number>()

/** Tokens and characters. */
export interface Weight {
  readonly tokens: number
  readonly characters: number
}

/** What messages weigh: each is counted once, and remembered as long as it is the same object. */
export const ofMessages = (messages: ReadonlyArray<Message>): Weight => {
  let tokens = 0
  let characters = 0
  for (const message of messages) {
    const weight = weigh(message)
    tokens += weight.tokens
    characters += weight.characters
  }
  return { tokens, characters }
}

/** Tokens of a message. */
export const ofMessage = (message: Message): number => weigh(message).tokens

const counted = new WeakMap<object, Weight>()

const remembered = (key: object, count: () => Weight): Weight => {
  const known = counted.get(key)
  if (known !== undefined) return known
  const weight = count()
  counted.set(key, weight)
  return weight
}

const weigh = (message: Message): Weight =>
  remembered(message, () => {
    const parts = message.content.map(ofPart)
    return {
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, overhead.message),
      characters: parts.reduce((sum, { characters }) => sum + characters, 0)
    }
  })

const text = (text: string, more = 0): Weight => ({ tokens: ofText(text) + more, characters: text.length })

/** A result is made anew for each plan until it is sent, its content is not: that is what is remembered. */
export const ofPart = (part: Content): Weight => {
  switch (part._tag) {
    case "Text":
      return remembered(part, () => text(part.text))
    case "Reasoning":
      return text(part.text, Math.ceil((part.encrypted ?? part.signature ?? "").length / 4))
    case "ToolCall":
      return remembered(part, () => text(`${part.name} ${JSON.stringify(part.params)}`, overhead.part))
    case "ToolResult":
      return remembered(part.content, () => {
        const inner = part.content.map((one) => one._tag === "Text" ? text(one.text) : { tokens: overhead.image, characters: 0 })
        return {
          tokens: inner.reduce((sum, { tokens }) => sum + tokens, overhead.part),
          characters: inner.reduce((sum, { characters }) => sum + characters, 0)
        }
      })
    case "Image":
      return { tokens: overhead.image, characters: 0 }
    case "Document":
      return { tokens: overhead.document, characters: 0 }
  }
}

/** Tokens of tools that are told natively; counted once for each list. */
export const ofTools = (tools: ReadonlyArray<ToolSpec>): number =>
  remembered(tools, () => {
    const told = tools.map(({ description, name, schema }) => text(`${name}\n${description}\n${JSON.stringify(schema)}`, overhead.part))
    return { tokens: told.reduce((sum, { tokens }) => sum + tokens, 0), characters: 0 }
  }).tokens
