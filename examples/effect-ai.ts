/** The agent for programs that use Effect's AI modules: as a model, and as the tool of another one. `node examples/effect-ai.ts` */
import { AgentLanguageModel, AgentToolkit } from "dacapo/ai"
import { MemoryWorkspace, Test } from "dacapo/testing"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const options = { cwd: Test.cwd, model: "scripted/test" }
const reads = { calls: [{ name: "read_file", params: { path: "doors.txt" } }] }

/** The agent in memory, with a model that plays these turns; a real one is `Live.layer({ … })`. */
const agent = (result: string) =>
  Test.layer({ files: MemoryWorkspace.files({ "doors.txt": "front\nback\n" }), turns: [reads, { text: result }] })

// In place of a model: the response is the result of a task.
const counted = LanguageModel.generateObject({ prompt: "How many doors are there?", schema: Schema.Struct({ doors: Schema.Int }) }).pipe(
  Effect.provide(Layer.provide(AgentLanguageModel.layer(options), agent("{\"doors\":2}"))),
  Effect.map(({ value }) => `${value.doors} doors`)
)

// As a tool: another model, here one that always delegates, has the agent do the work.
const usage = { inputTokens: { uncached: 1, total: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
const delegating = Effect.gen(function*() {
  const model = yield* LanguageModel.make({
    generateText: () =>
      Effect.succeed([
        { type: "tool-call", id: "1", name: "run_task", params: { prompt: "Count the doors." } },
        { type: "finish", reason: "tool-calls", usage, response: undefined }
      ]),
    streamText: () => Stream.empty
  })
  const { toolResults } = yield* model.generateText({ prompt: "How many doors are there?", toolkit: AgentToolkit.toolkit })
  return toolResults.map(({ result }) => "result" in result ? result.result : "It failed.").join("\n")
}).pipe(Effect.provide(Layer.provide(AgentToolkit.layer(options), agent("Two doors."))))

console.log(await Effect.runPromise(counted))
console.log(await Effect.runPromise(delegating))
