/** An answer of many calls: bounded, said to the model, and read in time that grows with it and no faster. */
import { describe, expect, it } from "@effect/vitest"
import * as NativeCalls from "../../../src/domain/parser/NativeCalls.ts"
import { run } from "../../../src/domain/parser/Incremental.ts"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as BedrockConverse from "../../../src/domain/provider/BedrockConverse.ts"
import * as Gemini from "../../../src/domain/provider/Gemini.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import type { Protocol } from "../../../src/domain/provider/Protocol.ts"
import * as ResponseBuilder from "../../../src/domain/session/ResponseBuilder.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"
import { assertLinear } from "../cost.ts"

const wires: Readonly<Record<string, readonly [Protocol<any>, (place: number, id: string) => ReadonlyArray<object>]>> = {
  Anthropic: [AnthropicMessages.protocol, (index, id) => [
    { type: "content_block_start", index, content_block: { type: "tool_use", id, name: "stop" } },
    { type: "content_block_stop", index }
  ]],
  "Chat Completions": [OpenAiChat.protocol(OpenAiChat.defaultQuirks), (index, id) => [{ choices: [{ index: 0, delta: { tool_calls: [{ index, id, function: { name: "stop", arguments: "{}" } }] } }] }]],
  Responses: [OpenAiResponses.protocol, (output_index, call_id) => [
    { type: "response.output_item.added", output_index, item: { type: "function_call", call_id, name: "stop" } },
    { type: "response.output_item.done", output_index, item: { type: "function_call", call_id, name: "stop", arguments: "{}" } }
  ]],
  Gemini: [Gemini.protocol, (_, id) => [{ candidates: [{ content: { parts: [{ functionCall: { id, name: "stop", args: {} } }] } }] }]],
  Bedrock: [BedrockConverse.protocol, (contentBlockIndex, toolUseId) => [
    { contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name: "stop" } } } },
    { contentBlockStop: { contentBlockIndex } }
  ]]
}

/** What comes of an answer with so many calls. */
const answer = (wire: string, count: number, id: (place: number) => string) => {
  const [protocol, events] = wires[wire]!
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (let i = 0; i < count; i++) {
    for (const event of events(i, id(i))) {
      const [next, out] = protocol.step(state, event)
      state = next
      chunks.push(...out)
    }
  }
  const whole = ResponseBuilder.initial(1, "test/model")
  for (const part of run(NativeCalls, {}, [...chunks, ...protocol.end(state)])) ResponseBuilder.addPart(whole, part)
  return ResponseBuilder.finishResponse(whole)
}

const calls = ({ content }: ReturnType<typeof answer>) => content.filter(({ _tag }) => _tag === "ToolCall")

describe.each(Object.keys(wires))("an answer of many calls over %s", (wire) => {
  it("holds 256 of them, and one that says that the others were left out", () => {
    const { malformed, ...rest } = answer(wire, 1_000, (i) => `c${i}`)
    expect(calls({ malformed, ...rest })).toHaveLength(ResponseBuilder.maxCalls + 1)
    expect(malformed).toEqual([{ call: `call_1_${ResponseBuilder.maxCalls + 1}`, why: expect.stringContaining("at most 256 calls") }])
  })

  it("is whole where it holds no more than that", () => {
    const whole = answer(wire, ResponseBuilder.maxCalls, (i) => `c${i}`)
    expect([calls(whole).length, whole.malformed]).toEqual([ResponseBuilder.maxCalls, []])
  })

  it("is read in linear time, even where all calls have one id", () => {
    assertLinear((text) => answer(wire, text.length, (i) => `c${i}`), ".", 1_000)
    assertLinear((text) => answer(wire, text.length, () => "same"), ".", 1_000)
  })
})
