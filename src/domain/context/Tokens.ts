/** Estimated tokens: what a request will weigh before a provider counts it. */
import * as GrowingFold from "../message/GrowingFold.ts"
import type { Content, Message } from "../message/Message.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"
import * as TokenEstimate from "./TokenEstimate.ts"

/** A factor that brings the estimate close to models with small vocabularies: too high rather than too low. */
export const factor = 1.1

/** Besides the text: the overhead of a message, a call or a result on the wire, and the weight of an image. */
const overhead = { message: 4, part: 8, image: 1600, document: 6000 }

/** Tokens of a text. O(text). */
export const ofText = (text: string): number => text === "" ? 0 : Math.ceil(TokenEstimate.tokens(text) * factor)

/** Tokens of a text that recurs in every request, such as a prompt section: the last few hundred are cached. */
export const ofPrompt = (text: string): number => {
  const cachedTokens = prompts.get(text)
  if (cachedTokens !== undefined) return cachedTokens
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

/** What messages weigh: each is counted once, and those that were counted together are not added again. */
export const ofMessages = GrowingFold.make<Message, Weight>({
  empty: () => ({ tokens: 0, characters: 0 }),
  add: ({ characters, tokens }, message) => {
    const weight = weigh(message)
    return { tokens: tokens + weight.tokens, characters: characters + weight.characters }
  },
  fork: GrowingFold.immutable
})

/** Tokens of a message. */
export const ofMessage = (message: Message): number => weigh(message).tokens

const weightCache = new WeakMap<object, Weight>()

const cachedWeight = (key: object, count: () => Weight): Weight => {
  const cached = weightCache.get(key)
  if (cached !== undefined) return cached
  const weight = count()
  weightCache.set(key, weight)
  return weight
}

const weigh = (message: Message): Weight =>
  cachedWeight(message, () => {
    const parts = message.content.map(ofPart)
    return {
      tokens: parts.reduce((sum, { tokens }) => sum + tokens, overhead.message),
      characters: parts.reduce((sum, { characters }) => sum + characters, 0)
    }
  })

const text = (text: string, extraTokens = 0): Weight => ({ tokens: ofText(text) + extraTokens, characters: text.length })

/** A result object is created anew for each plan until it is sent, but its content is not: the content's count is cached. */
export const ofPart = (part: Content): Weight => {
  switch (part._tag) {
    case "Text":
      return cachedWeight(part, () => text(part.text))
    case "Reasoning":
      return text(part.text, Math.ceil((part.encrypted ?? part.signature ?? "").length / 4))
    case "ToolCall":
      return cachedWeight(part, () => text(`${part.name} ${JSON.stringify(part.params)}`, overhead.part))
    case "ToolResult":
      return cachedWeight(part.content, () => {
        const inner = part.content.map((content) =>
          content._tag === "Text" ? text(content.text) : { tokens: overhead.image, characters: 0 }
        )
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

/** Tokens of natively declared tools; counted once for each list. */
export const ofTools = (tools: ReadonlyArray<ToolSpec>): number =>
  cachedWeight(tools, () => {
    const toolWeights = tools.map(({ description, name, schema }) =>
      text(`${name}\n${description}\n${JSON.stringify(schema)}`, overhead.part)
    )
    return { tokens: toolWeights.reduce((sum, { tokens }) => sum + tokens, 0), characters: 0 }
  }).tokens
