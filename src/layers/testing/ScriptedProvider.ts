/**
 * A Provider with responses scripted in the test. It is strict: an unexpected request, a call without exactly one
 * result, and turns that were never requested are failures with a description.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/Optional.ts"
import type { Chunk, TimedChunk } from "../../domain/message/Chunk.ts"
import * as Clock from "effect/Clock"
import type { ModelRequest } from "../../domain/provider/ModelRequest.ts"
import { ProviderError } from "../../domain/provider/ProviderError.ts"
import * as Script from "../../domain/provider/Script.ts"
import { Provider } from "../../services/Provider.ts"
import * as PlayScript from "../provider/routes/PlayScript.ts"

export type { Turn } from "../../domain/provider/Script.ts"

const badRequest = (message: string) => new ProviderError({ provider: "scripted", message, reason: { _tag: "BadRequest" } })

/** What is wrong with how a history pairs calls and results; undefined if each call has exactly one, right after it. */
export const unpairedCall = ({ messages }: ModelRequest): string | undefined => {
  for (const [i, { content }] of messages.entries()) {
    const calls = content.flatMap((part) => part._tag === "ToolCall" ? [part.id] : [])
    const results = messages[i + 1]?.content.flatMap((part) => part._tag === "ToolResult" ? [part.id] : []) ?? []
    const unpairedId = calls.find((id) => results.filter((result) => result === id).length !== 1)
      ?? results.find((id) => !calls.includes(id))
    if (unpairedId !== undefined) return `The call ${unpairedId} of message ${i} has not exactly one result in the message after it.`
  }
  return undefined
}

/**
 * Responds with these turns, in order, to each request for a summary with `summary` and to the rest according to
 * `others`; when the layer closes after a success, turns that were never played are a defect.
 */
export const layer = (
  turns: ReadonlyArray<Script.Turn>,
  model: NonNullable<Script.Script["model"]> = {},
  summary?: Script.Turn,
  sideResponses: Pick<Script.Script, "children" | "synthesis"> = {}
): Layer.Layer<Provider> =>
  Layer.effect(
    Provider,
    Effect.gen(function*() {
      const script: Script.Script = { model, turns, ...sideResponses, ...optional({ summary }) }
      const usedTurns = new Set<number>()
      const failureCounts = new Map<string, number>()
      let isRefused = false
      yield* Effect.addFinalizer((exit) => {
        const unused = turns.flatMap((turn, i) => usedTurns.has(i) ? [] : [`${i + 1}: ${JSON.stringify(turn).slice(0, 200)}`])
        return unused.length === 0 || isRefused || Exit.isFailure(exit) ? Effect.void
          : Effect.die(new Error(`Turns of the script that nobody asked for:\n${unused.join("\n")}`))
      })
      const respond = (request: ModelRequest): Stream.Stream<Chunk, ProviderError> => {
        const problem = unpairedCall(request)
        if (Script.key(script, request).startsWith("/")) usedTurns.add(Script.place(request))
        const stream = problem === undefined ? PlayScript.play(script, request, failureCounts) : Stream.fail(badRequest(problem))
        return Stream.tapError(stream, ({ reason }) =>
          Effect.sync(() => {
            isRefused ||= reason._tag === "BadRequest"
          }))
      }
      return Provider.of({
        describe: (name) => Effect.succeed(Script.model(name.replace(/^scripted\//, ""), script)),
        prepare: (model, request) => Effect.succeed({ model, request, body: PlayScript.encode(request) }),
        stream: ({ request }) =>
          Stream.unwrap(Effect.map(Clock.Clock, (clock) => {
            const start = clock.currentTimeMillisUnsafe()
            return Stream.map(respond(request), (chunk): TimedChunk => ({ at: clock.currentTimeMillisUnsafe() - start, chunk }))
          }))
      })
    })
  )
