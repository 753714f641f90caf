/** Tokens, estimated: what a request will weigh before a provider counts it. */
import { estimateTokenCount } from "tokenx"
import type { Content, Message } from "../message/Message.ts"
import type { ToolSpec } from "../tool/ToolSpec.ts"

/** What tokenx counts, times this, is nearer to what models with small vocabularies count: rather too many than too few. */
export const factor = 1.1

/** Beside the text: what a wire needs around a message, a call or a result; what an image weighs. */
const overhead = { message: 4, part: 8, image: 1600, document: 6000 }

/** Tokens of a text. O(text). */
export const ofText = (text: string): number => text === "" ? 0 : Math.ceil(estimateTokenCount(text) * factor)

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

/** Tokens of a message; each is counted once and remembered with it. */
export const ofMessage = (message: Message): number => {
  const known = counted.get(message)
  if (known !== undefined) return known
  const tokens = message.content.reduce((sum, part) => sum + ofPart(part), overhead.message)
  counted.set(message, tokens)
  return tokens
}

const counted = new WeakMap<Message, number>()

const ofPart = (part: Content): number => {
  switch (part._tag) {
    case "Text":
      return ofText(part.text)
    case "Reasoning":
      return ofText(part.text) + Math.ceil((part.encrypted ?? part.signature ?? "").length / 4)
    case "ToolCall":
      return overhead.part + ofText(part.name) + ofText(JSON.stringify(part.params))
    case "ToolResult":
      return part.content.reduce(
        (sum, inner) => sum + (inner._tag === "Text" ? ofText(inner.text) : overhead.image),
        overhead.part
      )
    case "Image":
      return overhead.image
    case "Document":
      return overhead.document
  }
}

/** Tokens of tools that are told natively; counted once for each list. */
export const ofTools = (tools: ReadonlyArray<ToolSpec>): number => {
  const known = countedTools.get(tools)
  if (known !== undefined) return known
  const tokens = tools.reduce(
    (sum, { description, name, schema }) => sum + overhead.part + ofText(`${name}\n${description}\n${JSON.stringify(schema)}`),
    0
  )
  countedTools.set(tools, tokens)
  return tokens
}

const countedTools = new WeakMap<ReadonlyArray<ToolSpec>, number>()
