/** How Claude is told to think, and how thought is told apart that may go back to it: the same wherever it runs. */
import type * as Schema from "effect/Schema"
import type { Content } from "../message/Message.ts"
import type * as History from "./NormalizeHistory.ts"
import type { Model } from "./Model.ts"
import type { ModelRequest } from "./ModelRequest.ts"
import * as Thinking from "./ReasoningEffort.ts"

/**
 * Named efforts go out as they are. A budget needs the thought of the turn that is being answered: where another
 * model wrote that turn, the request goes out without thinking, because the service refuses it otherwise.
 */
export const fields = ({ effort }: ModelRequest, model: Model, turns: ReadonlyArray<History.Turn>, maxTokens: number): Schema.JsonObject => {
  if (effort === undefined || !model.reasoning) return {}
  if (model.effort?.kind === "named") {
    const value = Thinking.named(model, effort)
    return effort === "none" || value === undefined
      ? { thinking: { type: "disabled" } }
      : { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: value } }
  }
  const last = turns.at(-1)
  const answered = turns.at(-2)
  const inLoop = last?.role === "user" && last.results.length > 0
  const opening = answered?.role === "assistant" ? answered.content[0] : undefined
  const thought = opening?._tag === "Reasoning" && proven(opening)
  const tokens = Thinking.budget(model, effort, maxTokens)
  return tokens === 0 || (inLoop && !thought) ? {} : { thinking: { type: "enabled", budget_tokens: tokens } }
}

/** Thought goes back only with what proves whose it is. */
const proven = ({ encrypted, signature }: Extract<Content, { readonly _tag: "Reasoning" }>): boolean =>
  encrypted !== undefined || signature !== undefined
