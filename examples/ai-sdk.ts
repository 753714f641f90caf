/**
 * A model of the Vercel AI SDK as the agent's model. In a program of yours it comes from one of the SDK's packages, such as
 * `mistral("devstral-medium-latest")`; here it is written down, so that the example runs without a key.
 *
 *     node examples/ai-sdk.ts
 */
import { createAgent } from "dacapo"
import { AiSdk } from "dacapo/ai"

const model: AiSdk.LanguageModel = {
  specificationVersion: "v3",
  provider: "example",
  modelId: "echo",
  doStream: ({ prompt }) => {
    const { content } = prompt.at(-1)
    const parts = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: `You said: ${content[0].text.split("\n")[0]}` },
      { type: "text-end", id: "1" },
      {
        type: "finish",
        finishReason: { unified: "stop" },
        usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } }
      }
    ]
    const stream = new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      }
    })
    return Promise.resolve({ stream })
  }
}

await using agent = createAgent({
  cwd: process.cwd(),
  model: "example/echo",
  routes: [AiSdk.route(model)],
  storage: "memory",
  bare: true
})
const session = await agent.session()
console.log((await session.run("Is anyone there?")).result)
