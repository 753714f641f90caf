/** What a response must be to count: complete, not empty, and made from the complete prompt. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import * as Message from "../../domain/message/Message.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import { inputTotal } from "../../domain/session/Usage.ts"
import type { Route } from "../../services/Route.ts"
import type { Response } from "./ResponseStart.ts"

const contentTags = new Set<Chunk["_tag"]>(["TextDelta", "ReasoningDelta", "ToolCallStart"])
/** Stop reasons for which an empty response is legitimate: a retry would change nothing. */
const emptyStops = new Set(["refusal", "content_filter", "length"])

/**
 * Fails in place of the Finish if the response has no content, or if a local server counted far fewer tokens than the
 * prompt must have: it truncated the prompt silently, and the model responded to what was left. Fails at the end of a
 * response without a Finish, which a route of ours never lets through: a retry would end in the same way.
 */
export const checked = (route: Route, request: ModelRequest) => (response: Response): Response =>
  Stream.suspend(() => {
    const fail = (reason: ProviderReason, message: string) =>
      Effect.fail(new ProviderError({ provider: route.name, message: `${route.name} ${message}`, reason }))
    let hasContent = false
    let isFinished = false
    let inputTokens = 0
    const checkedChunks = Stream.mapArrayEffect(response, (chunks) => {
      const finish = chunks.find((chunk) => chunk._tag === "Finish")
      for (const chunk of chunks) {
        hasContent ||= contentTags.has(chunk._tag)
        if (chunk._tag === "Usage") inputTokens = inputTotal(chunk.usage)
      }
      if (finish === undefined) return Effect.succeed(chunks)
      isFinished = true
      if (!hasContent && !emptyStops.has(finish.reason)) return fail({ _tag: "EmptyAnswer" }, "sent an empty response.")
      const minTokens = route.local && inputTokens >= minPlausibleCount ? minPromptTokens(request) : 0
      return minTokens > 2 * inputTokens
        ? fail(
          { _tag: "ContextOverflow" },
          `read only ${inputTokens} tokens of a prompt of at least ${minTokens}: its context window is smaller than it reports. `
            + "Raise it on the server (Ollama: OLLAMA_CONTEXT_LENGTH)."
        )
        : Effect.succeed(chunks)
    })
    const unfinished = Stream.suspend(() =>
      isFinished ? Stream.empty
        : Stream.fromEffect(fail({ _tag: "BadAnswer", lasting: true }, "ended its response without a Finish chunk."))
    )
    return Stream.concat(checkedChunks, unfinished)
  })

/** A usage of zero is not a count: as a notice, it makes the session estimate and say so. */
export const withoutZeroUsage = (response: Response): Response =>
  Stream.map(response, (chunk) =>
    chunk._tag === "Usage" && inputTotal(chunk.usage) + chunk.usage.output === 0
      ? { _tag: "Notice", kind: "usage", detail: "nothing counted" }
      : chunk)

/** A smaller count may cover just the part that was not cached. */
const minPlausibleCount = 1000

/** A lower bound for the tokens of a prompt: hardly any text has more than six characters per token. */
const minPromptTokens = ({ messages, system }: ModelRequest): number => {
  const lengths = messages.flatMap(({ content }) =>
    content.map((part) => part._tag === "ToolResult" ? Message.text(part.content).length : part._tag === "Text" ? part.text.length : 0)
  )
  return Math.floor(lengths.reduce((sum, length) => sum + length, system.length) / 6)
}
