/** What of a request a model can't take, in sentences: it is left out or brought within bounds, and the log says so. */
import type { Message } from "../message/Message.ts"
import type { Model } from "./Model.ts"
import type { Effort, ModelRequest } from "./ModelRequest.ts"
import * as Thinking from "./ReasoningEffort.ts"

export const of = ({ effort, maxTokens, messages, temperature }: ModelRequest, model: Model): ReadonlyArray<string> => [
  ...(effort === undefined ? [] : thinking(effort, maxTokens, model)),
  ...(temperature === undefined || model.temperature ? [] : [`${model.id} takes no temperature: ${temperature} is left out.`]),
  ...(model.images || !messages.some(hasImage) ? [] : [`${model.id} sees no images: a note stands in their place.`])
]

const thinking = (effort: Effort, maxTokens: number, model: Model): ReadonlyArray<string> => {
  if (!model.reasoning) return effort === "none" ? [] : [`${model.id} does not think: the effort "${effort}" is left out.`]
  const named = Thinking.named(model, effort)
  if (named !== undefined) return named === effort ? [] : [`${model.id} knows no effort "${effort}": "${named}" is asked for.`]
  const wanted = Thinking.budget(model, effort, Infinity)
  const tokens = Thinking.budget(model, effort, maxTokens)
  return tokens === wanted ? []
    : tokens === 0 ? [`${model.id} does not think in an answer of at most ${maxTokens} tokens: it would need more.`]
    : [`${model.id} thinks for at most ${tokens} tokens, not ${wanted}: an answer may have ${maxTokens}.`]
}

const hasImage = ({ content }: Message): boolean =>
  content.some((part) => part._tag === "Image" || (part._tag === "ToolResult" && part.content.some(({ _tag }) => _tag === "Image")))
