/** Values of span attributes, by the names of the semantic conventions; what these do not name begins with `dacapo.`. */
import type { TimedChunk } from "../message/Chunk.ts"
import type { Content } from "../message/Message.ts"
import { optional } from "../Optional.ts"
import * as Usage from "../session/Usage.ts"
import type { Attributes } from "./Span.ts"

/** Our providers under the names that the conventions list; others keep their own. */
const providers: Readonly<Record<string, string>> = {
  "anthropic-bedrock": "aws.bedrock",
  "anthropic-vertex": "gcp.vertex_ai",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  "gemini-vertex": "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai"
}

/** Of a model's name, `provider/id`. */
export const model = (name: string) => {
  const slash = name.indexOf("/")
  const provider = name.slice(0, Math.max(0, slash))
  return {
    "gen_ai.provider.name": Object.hasOwn(providers, provider) ? providers[provider]! : provider,
    "gen_ai.request.model": name.slice(slash + 1)
  }
}

/** What a response used, and what its recording says: the provider's id of it, and the time to its first chunk in seconds. */
export const response = (spent: Usage.Spending, recording: ReadonlyArray<TimedChunk>): Attributes => {
  const first = recording[0]
  const finish = recording.findLast(({ chunk }) => chunk._tag === "Finish")?.chunk
  return {
    ...optional({
      "gen_ai.response.id": finish?._tag === "Finish" ? finish.responseId : undefined,
      "gen_ai.response.time_to_first_chunk": first === undefined ? undefined : first.at / 1000
    }),
    ...tokens(spent.usage),
    ...cost(spent)
  }
}

/** The conventions count cached tokens as input. */
const tokens = (usage: Usage.TokenUsage): Attributes => ({
  "gen_ai.usage.input_tokens": Usage.inputTotal(usage),
  "gen_ai.usage.output_tokens": usage.output,
  "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
  "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
  ...(usage.estimated === true ? { "dacapo.usage.estimated": true } : {})
})

/** In USD, if the price is known: the conventions name no attribute for it. */
export const cost = (spent: Usage.Spending | undefined): Attributes =>
  typeof spent?.cost === "number" ? { "dacapo.usage.cost": spent.cost } : {}

/** The sum of several responses; its cost is that of the priced ones. */
export const spent = (all: ReadonlyArray<Usage.Spending>): Attributes => {
  const costs = all.flatMap(({ cost }) => cost === null ? [] : [cost])
  return {
    ...tokens(all.reduce((sum, { usage }) => Usage.add(sum, usage), Usage.zero)),
    ...(costs.length === 0 ? {} : { "dacapo.usage.cost": costs.reduce((sum, cost) => sum + cost, 0) })
  }
}

/** A part of a message in the conventions' JSON form; images and documents are left out. */
export const part = (content: Content): ReadonlyArray<object> => {
  switch (content._tag) {
    case "Text":
      return [{ type: "text", content: content.text }]
    case "Reasoning":
      return [{ type: "reasoning", content: content.text }]
    case "ToolCall":
      return [{ type: "tool_call", id: content.id, name: content.name, arguments: content.params }]
    default:
      return []
  }
}
