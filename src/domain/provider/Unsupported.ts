/** The parts of a request that a model does not support, as notes for the log. They are omitted or adjusted. */
import type { Message } from "../message/Message.ts"
import type { Model } from "./Model.ts"
import type { Effort, ModelRequest } from "./ModelRequest.ts"
import * as ReasoningEffort from "./ReasoningEffort.ts"

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
