/**
 * The agent in place of a LanguageModel of `effect/ai`: a prompt is a task, its response is the task's result. What a program
 * does with a model, it can do with an agent that reads the files first. Tools of the caller are refused: the agent has its own.
 */
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as StructuredResult from "../../domain/session/StructuredResult.ts"
import { Agent, type SessionOptions } from "../../services/Agent.ts"
import { nextTask, runTask, type TaskResult } from "./RunTask.ts"

/** Each request is a session with these options, bounded like any task that nobody watches. */
export const layer = (options: SessionOptions): Layer.Layer<LanguageModel.LanguageModel, never, Agent> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.flatMap(Agent, (agent) => {
      const respond = (request: LanguageModel.ProviderOptions) =>
        Effect.gen(function*() {
          const { prompt, responseFormat, tools } = request
          if (tools.length > 0) return yield* failed("generateText", "the agent has its own tools and can't use those of the request")
          const text = promptText(prompt)
          if (text === undefined)
            return yield* failed("generateText", "the agent reads text only; images belong into files that it can read")
          return responseFormat.type === "text"
            ? yield* run(runTask(text, options))
            : yield* structured(text, responseFormat.schema)
        }).pipe(Effect.provideService(Agent, agent))

      const run = Effect.fnUntraced(function*<E extends Error>(running: Effect.Effect<TaskResult, E, Agent>) {
        const task = yield* running.pipe(Effect.catch(({ message }) => failed("generateText", message)))
        return task.state === "finished" ? task
          : yield* failed("generateText", task.result === "" ? `the task ended as ${task.state}` : task.result)
      })

      /** The result as JSON alone; the model corrects one that the schema does not decode. */
      const structured = Effect.fnUntraced(function*(prompt: string, schema: Schema.Top) {
        const document = Schema.toJsonSchemaDocument(schema)
        // What decoding needs is there: the request needs it too.
        const decode = Schema.decodeUnknownEffect(Schema.toCodecJson(schema as Schema.Codec<unknown, unknown>))
        const instructions = StructuredResult.instructions({ ...document.schema, $defs: document.definitions })
        let task = yield* run(runTask(`${prompt}\n\n${instructions}`, options))
        for (let retries = 0;; retries++) {
          const parsed = StructuredResult.parse(task.result)
          const problem = Result.isFailure(parsed) ? parsed.failure
            : yield* Effect.match(decode(parsed.success), { onSuccess: () => undefined, onFailure: ({ message }) => oneLine(message) })
          if (problem === undefined) return { ...task, result: JSON.stringify(Result.getOrThrow(parsed)) }
          if (retries === StructuredResult.maxRetries) return yield* failed("generateObject", problem)
          task = yield* run(nextTask(task.id, StructuredResult.correctionPrompt(problem)))
        }
      })

      return LanguageModel.make({
        generateText: (request) => Effect.map(respond(request), (task) => [{ type: "text", text: task.result }, finish(task)]),
        streamText: (request) =>
          Stream.fromIterableEffect(Effect.map(respond(request), (task): ReadonlyArray<Response.StreamPartEncoded> => [
            { type: "text-start", id: task.id },
            { type: "text-delta", id: task.id, delta: task.result },
            { type: "text-end", id: task.id },
            finish(task)
          ]))
      })
    })
  )

const oneLine = (text: string): string => text.replaceAll("\n", " ")

const failed = (method: string, description: string) =>
  AiError.make({ module: "AgentLanguageModel", method, reason: new AiError.InvalidRequestError({ description }) })

const finish = ({ usage: { cacheRead, cacheWrite, input, output, reasoning } }: TaskResult): Response.FinishPartEncoded => ({
  type: "finish",
  reason: "stop",
  usage: {
    inputTokens: { uncached: input, total: input + cacheRead + cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning }
  },
  response: undefined
})

/** A conversation as one prompt: with the roles, if there is more than the user's text. Undefined if it is more than text. */
const promptText = ({ content }: Prompt.Prompt): string | undefined => {
  const messages = content.map((message) => {
    const parts = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content
    return { role: message.role, texts: parts.map((part) => part.type === "text" && "text" in part ? part.text : undefined) }
  })
  if (messages.some(({ texts }) => texts.includes(undefined))) return undefined
  const [only, ...others] = messages
  return only !== undefined && others.length === 0 ? only.texts.join("\n")
    : messages.map(({ role, texts }) => `<${role}>\n${texts.join("\n")}\n</${role}>`).join("\n\n")
}
