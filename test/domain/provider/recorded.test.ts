/**
 * Recorded answers of real services, decoded and compared with what the plainest accumulation of the whole record
 * gives. The recordings are no part of this project: EFFERENT_FIXTURES names the folder that holds `streams/`.
 */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import type { Protocol } from "../../../src/domain/provider/Protocol.ts"
import { collect } from "../../../src/layers/testing/collect.ts"
import { request } from "../../../src/layers/testing/conformance/provider.ts"

type Record_ = Readonly<Record<string, any>>

/** What an answer comes to. `undefined` where the record does not tell. */
interface Whole {
  readonly text: string | undefined
  readonly reasoning?: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly args: unknown }>
  readonly output?: number
  readonly input?: number
}

interface Wire {
  readonly protocol: Protocol<any, any>
  readonly isFirst: (line: string) => boolean
  /** Some recordings hold several answers, one after another. */
  readonly split: (events: ReadonlyArray<Record_>) => ReadonlyArray<ReadonlyArray<Record_>>
  readonly whole: (events: ReadonlyArray<Record_>, name: string) => Whole
}

const anthropic: Wire = {
  protocol: AnthropicMessages.protocol,
  isFirst: (line) => line.includes("\"message_start\""),
  split: (events) => {
    const ends = events.flatMap(({ type }, i) => type === "message_stop" ? [i + 1] : [])
    return ends.map((end, i) => events.slice(ends[i - 1] ?? 0, end))
  },
  // Blocks by index; an answer that was begun anew counts from its last beginning.
  whole: (events) => {
    const blocks: Array<Record<string, any>> = []
    let output = 0
    for (const event of events.slice(events.findLastIndex(({ type }) => type === "message_start"))) {
      if (event.type === "content_block_start") blocks[event.index] = { ...event.content_block, json: "" }
      const block = blocks[event.index]
      if (event.delta?.type === "text_delta" && block) block.text += event.delta.text
      if (event.delta?.type === "input_json_delta" && block) block.json += event.delta.partial_json
      output = event.usage?.output_tokens ?? event.message?.usage?.output_tokens ?? output
    }
    const of = (type: string) => blocks.filter((block) => block?.type === type)
    return {
      text: of("text").map(({ text }) => text).join(""),
      calls: of("tool_use").map(({ input, json, name }) => ({ name, args: json === "" ? input : JSON.parse(json) })),
      output
    }
  }
}

const chat: Wire = {
  protocol: OpenAiChat.protocol(OpenAiChat.common),
  isFirst: (line) => line.includes("\"choices\"") && !line.includes("text_completion"),
  split: (events) => [events],
  whole: (events) => {
    let text = ""
    let reasoning = ""
    let input: number | undefined
    const calls: Array<{ name: string; args: string }> = []
    for (const event of events) {
      const delta = event.choices?.[0]?.delta ?? {}
      for (const part of Array.isArray(delta.content) ? delta.content : [{ type: "text", text: delta.content ?? "" }]) {
        if (part.type === "text") text += part.text
        else reasoning += part.thinking.map((inner: { text: string }) => inner.text).join("")
      }
      reasoning += delta.reasoning_content ?? delta.reasoning ?? ""
      for (const { function: { arguments: args = "", name = "" }, index = 0 } of delta.tool_calls ?? []) {
        const call = calls[index] ??= { name: "", args: "" }
        call.name += name ?? ""
        call.args += args
      }
      input = event.usage?.prompt_tokens ?? event.choices?.[0]?.usage?.prompt_tokens ?? input
    }
    return { text, reasoning, calls: calls.map(({ args, name }) => ({ name, args: JSON.parse(args) })), ...(input === undefined ? {} : { input }) }
  }
}

/** Written by hand, with pieces that contradict the whole; what was streamed can't be taken back. */
const contradicts = new Set(["openai/responses-openai-shell-container.1"])
/** No JSON. */
const damaged = "resp_parallel"

const responses: Wire = {
  protocol: OpenAiResponses.protocol,
  isFirst: (line) => line.includes("response.created") && !line.includes(damaged),
  split: (events) => {
    const starts = events.flatMap(({ type }, i) => type === "response.created" && events[i - 1]?.type !== "response.created" ? [i] : [])
    return starts.map((start, i) => events.slice(start, starts[i + 1]))
  },
  whole: (events, name) => {
    const { output, usage } = events.at(-1)!.response
    const items: ReadonlyArray<Record_> = output.length > 0 ? output : events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item)
    return {
      text: contradicts.has(name) ? undefined : items.filter(({ type }) => type === "message").flatMap(({ content }) => content.map((part: { text: string }) => part.text)).join(""),
      calls: items.filter(({ type }) => type === "function_call").map((call) => ({ name: call.name, args: JSON.parse(call.arguments) })),
      output: usage.output_tokens,
      input: usage.input_tokens
    }
  }
}

const decode = (protocol: Protocol<any, any>, events: ReadonlyArray<Record_>) => {
  let state = protocol.initial(request([]))
  const chunks: Array<Chunk> = []
  for (const event of events) {
    if (protocol.failure(event) !== undefined) return { ...collect(chunks), ended: false, failed: true }
    const [next, out] = protocol.step(state, event)
    state = next
    chunks.push(...out)
  }
  return { ...collect([...chunks, ...protocol.end(state)]), ended: protocol.ended(state), failed: false }
}

const root = process.env.EFFERENT_FIXTURES ?? ""
const files = root === "" ? [] : readdirSync(join(root, "streams"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".chunks.txt")).sort()
if (root === "") console.log("EFFERENT_FIXTURES is not set: recorded streams are not decoded.")

describe("recorded answers", () => {
  it.skipIf(root === "")("are there for three wires", () => assert.isAbove(files.length, 80))
  for (const file of files) {
    const lines = readFileSync(join(root, "streams", file), "utf8").split("\n").filter((line) => line.startsWith("{"))
    const wire = [anthropic, chat, responses].find(({ isFirst }) => isFirst(lines[0] ?? ""))
    if (wire === undefined) continue
    const name = file.replace(".chunks.txt", "")
    it(`of ${name} are decoded`, () => {
      for (const events of wire.split(lines.map((line) => JSON.parse(line)))) {
        const { calls, ended, failed, finishes, reasoning, text, usage } = decode(wire.protocol, events)
        const last = events.at(-1)!
        assert.strictEqual(failed, events.some(({ type }) => type === "error" || type === "response.failed"))
        if (failed) continue
        assert.isTrue(ended)
        const whole = wire.whole(events, name)
        assert.deepStrictEqual(
          {
            text: whole.text === undefined ? undefined : text,
            calls: calls.filter(({ ended }) => ended).map(({ args, name }) => ({ name, args: JSON.parse(args) })),
            finishes: finishes.length,
            ...(whole.reasoning === undefined ? {} : { reasoning }),
            ...(whole.output === undefined ? {} : { output: usage?.output }),
            ...(whole.input === undefined ? {} : { input: (usage?.input ?? 0) + (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0) })
          },
          { ...whole, finishes: 1 },
          JSON.stringify(last).slice(0, 200)
        )
      }
    })
  }
})
