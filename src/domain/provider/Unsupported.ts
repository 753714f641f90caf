/** What a model does not support: parts of a request, as notes for the log, and native tools, as its server says. */
import type { Message } from "../message/Message.ts"
import type { Model } from "./Model.ts"
import type { Effort, ModelRequest } from "./ModelRequest.ts"
import type { ProviderReason } from "./ProviderError.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

/** The parts of a request that are omitted or adjusted. */
export const of = ({ effort, maxTokens, messages, temperature }: ModelRequest, model: Model): ReadonlyArray<string> => [
  ...(effort === undefined ? [] : effortNotes(effort, maxTokens, model)),
  ...(temperature === undefined || model.temperature ? [] : [`${model.id} does not support a temperature; ${temperature} is omitted.`]),
  ...(model.images || !messages.some(hasImage) ? [] : [`${model.id} does not support images; each is replaced by a note.`])
]

const effortNotes = (effort: Effort, maxTokens: number, model: Model): ReadonlyArray<string> => {
  if (!model.reasoning) return effort === "none" ? [] : [`${model.id} does not support reasoning; the effort "${effort}" is omitted.`]
  const nearest = ReasoningEffort.nearestEffort(model, effort)
  if (nearest !== undefined) return nearest === effort ? [] : [`${model.id} does not support the effort "${effort}"; "${nearest}" is used.`]
  const uncapped = ReasoningEffort.thinkingBudget(model, effort, Infinity)
  const tokens = ReasoningEffort.thinkingBudget(model, effort, maxTokens)
  return tokens === uncapped ? []
    : tokens === 0 ? [`${model.id} does not think: a response of at most ${maxTokens} tokens is too short for it.`]
    : [`${model.id} thinks for at most ${tokens} tokens, not ${uncapped}, because a response is limited to ${maxTokens}.`]
}

const hasImage = ({ content }: Message): boolean =>
  content.some((part) => part._tag === "Image" || (part._tag === "ToolResult" && part.content.some(({ _tag }) => _tag === "Image")))

/** A server that does not take tools says so in many ways. */
const speaksOfTools = /\btools?\b|tool[_-](?:choice|call|use)|function[ _-]call/i

/** Whether an error means that the server refused a request because of its native tools; only for a model that nobody described. */
export const isToolRefusal = ({ assumed }: Model, reason: ProviderReason, message: string): boolean =>
  assumed === true && reason._tag === "BadRequest" && speaksOfTools.test(message)
