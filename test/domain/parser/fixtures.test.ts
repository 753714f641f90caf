import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as NativeCalls from "../../../src/domain/parser/NativeCalls.ts"
import { pieces } from "./pieces.ts"

/** Recorded responses of real providers, one event a line. They are not part of the project. */
const folder = process.env["DACAPO_FIXTURES"]
if (folder === undefined) console.log("DACAPO_FIXTURES is not set: the recorded provider streams are not read")
const files = folder === undefined ? [] : globSync(join(folder, "streams/*/*.chunks.txt")).sort()

describe.skipIf(folder === undefined)("recorded provider streams", () => {
  const calls = files.flatMap((file) => argumentsOf(file).map((call) => ({ ...call, file: basename(file) })))

  it("hold tool calls", () => assert.isAtLeast(calls.length, 50))

  it("give each call's arguments as in the whole response, at any cut", () => {
    for (const { file, text } of calls) {
      const params = text.trim() === "" ? {} : jsonOf(text)
      const cuts = Array.from({ length: Math.min(text.length, 400) }, (_, i) => [i + 1, Math.max(1, text.length)])
      for (const lengths of [[1], [2], [3, 1], [20], ...cuts]) {
        const [part] = NativeCalls.parse([
          { _tag: "ToolCallStart", id: "1", name: "tool" },
          ...pieces(text, lengths).map((text): Chunk => ({ _tag: "ToolCallArgs", id: "1", text })),
          { _tag: "ToolCallEnd", id: "1" }
        ])
        if (params === undefined) assert.isTrue(part?._tag === "ToolCall" && part.partial, file)
        else assert.deepStrictEqual(part, { _tag: "ToolCall", id: "1", name: "tool", params, partial: false, warnings: [] }, file)
      }
    }
  })

  it("give no call to run where the arguments end too early", () => {
    for (const { text } of calls) {
      for (let cut = 1; cut < Math.min(text.trimEnd().length, 400); cut++) {
        const [part] = NativeCalls.parse([
          { _tag: "ToolCallStart", id: "1", name: "tool" },
          { _tag: "ToolCallArgs", id: "1", text: text.slice(0, cut) },
          { _tag: "ToolCallEnd", id: "1" }
        ])
        assert.isTrue(part?._tag === "ToolCall" && (part.partial || text.slice(0, cut).trim() === ""))
      }
    }
  })
})

/** The whole arguments of each call of a response: what its fragments say, joined by the wire's own numbering. */
function argumentsOf(file: string): ReadonlyArray<{ readonly text: string }> {
  const calls = new Map<string, { text: string }>()
  const open = (key: unknown, text = ""): void => void calls.set(`${key}`, { text })
  const append = (key: unknown, text = ""): void => {
    const call = calls.get(`${key}`)
    if (call !== undefined) call.text += text
  }
  let response = 0
  for (const line of readFileSync(file, "utf8").split("\n")) {
    const event = jsonOf(line)
    if (event === undefined) continue
    if (event.type === "message_start") response++
    // Anthropic Messages
    if (event.type === "content_block_start" && event.content_block.type.endsWith("tool_use")) open(`${response} ${event.index}`)
    if (event.delta?.type === "input_json_delta") append(`${response} ${event.index}`, event.delta.partial_json)
    // OpenAI Responses
    if (event.type === "response.output_item.added" && event.item.type === "function_call") open(event.output_index)
    if (event.type === "response.function_call_arguments.delta") append(event.output_index, event.delta)
    // OpenAI Chat
    for (const choice of event.choices ?? []) {
      for (const call of choice.delta?.tool_calls ?? []) {
        if (call.id) open(call.index ?? call.id)
        append(call.index ?? call.id, call.function?.arguments)
      }
    }
    // Bedrock Converse
    if (event.contentBlockStart?.start?.toolUse) open(event.contentBlockStart.contentBlockIndex)
    if (event.contentBlockDelta?.delta?.toolUse) append(event.contentBlockDelta.contentBlockIndex, event.contentBlockDelta.delta.toolUse.input)
    // Gemini sends arguments whole, as a value.
    for (const candidate of event.candidates ?? []) {
      for (const part of candidate.content?.parts ?? []) {
        if (part.functionCall?.args) open(`${calls.size}`, JSON.stringify(part.functionCall.args, null, 2))
      }
    }
  }
  return [...calls.values()]
}

/** A few recordings are spliced, in the middle of a line or of a call. */
function jsonOf(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
