/**
 * A Provider whose answers are written in the test. It is strict: a request that the script does not expect, a call
 * without exactly one result, and turns that were never asked for are failures that say what was there.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Chunk, Timed } from "../../domain/message/Chunk.ts"
import * as Clock from "effect/Clock"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Script from "../../domain/provider/Script.ts"
import { Provider } from "../../services/Provider.ts"
import * as Play from "../provider/routes/PlayScript.ts"

export type { Turn } from "../../domain/provider/Script.ts"

const refuse = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** What is wrong with how a history pairs calls and results; undefined when each call has exactly one, right after it. */
export const unpaired = ({ messages }: ModelRequest): string | undefined => {
  for (const [i, { content }] of messages.entries()) {
    const calls = content.flatMap((part) => part._tag === "ToolCall" ? [part.id] : [])
    const results = messages[i + 1]?.content.flatMap((part) => part._tag === "ToolResult" ? [part.id] : []) ?? []
    const odd = calls.find((id) => results.filter((result) => result === id).length !== 1)
      ?? results.find((id) => !calls.includes(id))
    if (odd !== undefined) return `The call ${odd} of message ${i} has not exactly one result in the message after it.`
  }
  return undefined
}

/** Answers with these turns, in order, each request for a summary with `summary` and the rest as `others` say; when the layer closes, turns that were never played are a defect. */
export const layer = (
  turns: ReadonlyArray<Script.Turn>,
  model: NonNullable<Script.Script["model"]> = {},
  summary?: Script.Turn,
  others: Pick<Script.Script, "children" | "synthesis"> = {}
): Layer.Layer<Provider> =>
  Layer.effect(Provider, Effect.gen(function*() {
    const script: Script.Script = { model, turns, ...others, ...(summary === undefined ? {} : { summary }) }
    const played = new Set<number>()
    const failed = new Map<string, number>()
    let refused = false
    yield* Effect.addFinalizer(() => {
      const unused = turns.flatMap((turn, i) => played.has(i) ? [] : [`${i + 1}: ${JSON.stringify(turn).slice(0, 200)}`])
      return unused.length === 0 || refused ? Effect.void : Effect.die(new Error(`Turns of the script that nobody asked for:\n${unused.join("\n")}`))
    })
    const answer = (request: ModelRequest): Stream.Stream<Chunk, ProviderError> => {
      const wrong = unpaired(request)
      if (Script.key(script, request).startsWith("/")) played.add(Script.place(request))
      const stream = wrong === undefined ? Play.play(script, request, failed) : Stream.fail(refuse(wrong))
      return Stream.tapError(stream, ({ reason }) => Effect.sync(() => {
        refused ||= reason._tag === "BadRequest"
      }))
    }
    return Provider.of({
      describe: (name) => Effect.succeed(Script.model(name.replace(/^scripted\//, ""), script)),
      prepare: (model, request) => Effect.succeed({ model, request, body: Play.encode(request) }),
      stream: ({ request }) => Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
        const start = clock.currentTimeMillisUnsafe()
        return Stream.map(answer(request), (chunk): Timed => ({ at: clock.currentTimeMillisUnsafe() - start, chunk }))
      }))
    })
  }))
