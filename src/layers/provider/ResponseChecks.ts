/** What an answer must be to count: not empty, and made from the whole prompt. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../domain/message/Chunk.ts"
import * as Message from "../../domain/message/Message.ts"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError, type ProviderReason } from "../../domain/provider/ProviderError.ts"
import { inputTotal } from "../../domain/session/Usage.ts"
import type { Route } from "../../services/Route.ts"

const says = new Set<Chunk["_tag"]>(["TextDelta", "ReasoningDelta", "ToolCallStart"])
/** Reasons for which an answer may well be empty: asking again would change nothing. */
const final = new Set(["refusal", "content_filter", "length"])

/**
 * Fails in place of the Finish where an answer said nothing, or where a local server counted far fewer tokens than
 * the prompt can have: it cut the prompt without a word, and the model answered to what was left.
 */
export const whole = (route: Route, request: ModelRequest, chunks: Stream.Stream<Chunk, ProviderError>): Stream.Stream<Chunk, ProviderError> =>
  Stream.suspend(() => {
    const fail = (reason: ProviderReason, message: string) => Effect.fail(new ProviderError({ provider: route.name, message: `${route.name} ${message}`, reason }))
    let said = false
    let counted = 0
    return Stream.mapArrayEffect(Stream.map(chunks, told), (arrived) => {
      const finish = arrived.find((chunk) => chunk._tag === "Finish")
      for (const chunk of arrived) {
        said ||= says.has(chunk._tag)
        if (chunk._tag === "Usage") counted = inputTotal(chunk.usage)
      }
      return finish === undefined ? Effect.succeed(arrived)
        : !said && !final.has(finish.reason) ? fail({ _tag: "EmptyAnswer" }, "sent an answer with nothing in it.")
        : route.local && counted >= noticeable && least(request) > 2 * counted
        ? fail({ _tag: "ContextOverflow" }, `read only ${counted} tokens of a prompt of at least ${least(request)}: its window is smaller than it says. Give it a larger one (Ollama: OLLAMA_CONTEXT_LENGTH).`)
        : Effect.succeed(arrived)
    })
  })

/** A count of nothing is none: who reads it estimates, and says so. */
const told = (chunk: Chunk): Chunk =>
  chunk._tag === "Usage" && inputTotal(chunk.usage) + chunk.usage.output === 0 ? { _tag: "Notice", kind: "usage", detail: "nothing counted" } : chunk

/** Counts below this may be of a part that was not cached. */
const noticeable = 1000

/** Tokens that a prompt has at the least: hardly any text has over six characters a token. */
const least = ({ messages, system }: ModelRequest): number =>
  Math.floor((system.length + messages.reduce((sum, { content }) => sum + content.reduce((sum, part) => sum + (part._tag === "ToolResult" ? Message.text(part.content).length : part._tag === "Text" ? part.text.length : 0), 0), 0)) / 6)
