/**
 * Recorded answers of real services, framed as their wires frame them, cut anywhere, and compared with what the plainest
 * accumulation of the whole record gives. The recordings are no part of this project: DACAPO_FIXTURES names the
 * folder that holds `streams/`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as NativeCalls from "../../../src/domain/parser/NativeCalls.ts"
import * as BedrockConverse from "../../../src/domain/provider/BedrockConverse.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as Gemini from "../../../src/domain/provider/Gemini.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import type { Protocol } from "../../../src/domain/provider/Protocol.ts"
import { httpStream } from "../../../src/layers/provider/transport/HttpStream.ts"
import { awsEventStream, type Framing, sse } from "../../../src/layers/provider/transport/Framing.ts"
import { collect } from "../../../src/layers/testing/CollectResponse.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"
import * as EventFrames from "../../../src/layers/testing/servers/EventFrames.ts"

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
  readonly protocol: Protocol<any>
  readonly framing: Framing
  /** An event as the service sends it; `end` is how its lines end. */
  readonly frame: (event: Record_, end: string) => Uint8Array
  readonly isFirst: (line: string) => boolean
  /** Some recordings hold several answers, one after another. */
  readonly split: (events: ReadonlyArray<Record_>) => ReadonlyArray<ReadonlyArray<Record_>>
  readonly whole: (events: ReadonlyArray<Record_>, name: string) => Whole
}

const lines = (...parts: ReadonlyArray<string>) => (end: string) => new TextEncoder().encode([...parts, "", ""].join(end))
const framed = (event: Record_, end: string) => lines(...(typeof event.type === "string" ? [`event: ${event.type}`] : []), `data: ${JSON.stringify(event)}`)(end)

const anthropic: Wire = {
  framing: sse,
  frame: framed,
  protocol: AnthropicMessages.protocol,
  isFirst: (line) => line.includes("\"message_start\""),
  split: (events) => {
    const ends = events.flatMap(({ type }, i) => type === "message_stop" ? [i + 1] : [])
    return ends.map((end, i) => events.slice(ends[i - 1] ?? 0, end))
  },
  // Blocks by index.
  whole: (events) => {
    const blocks: Array<Record<string, any>> = []
    let output = 0
    for (const event of events) {
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
  framing: sse,
  frame: framed,
  protocol: OpenAiChat.protocol(OpenAiChat.defaultQuirks),
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
const responses: Wire = {
  framing: sse,
  frame: framed,
  protocol: OpenAiResponses.protocol,
  isFirst: (line) => line.includes("response.created"),
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

/** Arguments by their paths, put together as plainly as can be. */
const assemble = (pieces: ReadonlyArray<Record_>): unknown => {
  const root: any = { $: {} }
  for (const { boolValue, jsonPath, numberValue, stringValue } of pieces) {
    const keys: ReadonlyArray<string> = jsonPath.split(/[.[\]]+/).filter((key: string) => key !== "")
    let at = root
    keys.slice(0, -1).forEach((key, i) => at = at[key] ??= /^\d+$/.test(keys[i + 1]!) ? [] : {})
    const last = keys.at(-1)!
    at[last] = stringValue !== undefined ? (at[last] ?? "") + stringValue : numberValue ?? boolValue ?? null
  }
  return root.$
}

const gemini: Wire = {
  protocol: Gemini.protocol,
  framing: sse,
  frame: framed,
  isFirst: (line) => line.includes("\"candidates\""),
  split: (events) => [events],
  whole: (events) => {
    const parts = events.flatMap(({ candidates }) => candidates[0].content.parts as ReadonlyArray<Record_>)
    const words = (thought: boolean) => parts.filter((part) => part.text !== undefined && (part.thought === true) === thought).map(({ text }) => text).join("")
    const calls: Array<{ name: string; args: unknown; pieces: Array<Record_> }> = []
    for (const { functionCall } of parts.filter((part) => part.functionCall !== undefined)) {
      if (functionCall.name !== undefined) calls.push({ name: functionCall.name, args: functionCall.args, pieces: [] })
      calls.at(-1)!.pieces.push(...functionCall.partialArgs ?? [])
    }
    const { candidatesTokenCount, promptTokenCount, thoughtsTokenCount = 0 } = events.at(-1)!.usageMetadata
    return {
      text: words(false),
      reasoning: words(true),
      calls: calls.map(({ args, name, pieces }) => ({ name, args: args ?? assemble(pieces) })),
      output: candidatesTokenCount + thoughtsTokenCount,
      input: promptTokenCount
    }
  }
}

const bedrock: Wire = {
  protocol: BedrockConverse.protocol,
  framing: awsEventStream,
  frame: (event) => {
    const [kind, payload] = Object.entries(event)[0]!
    return EventFrames.event(kind, payload)
  },
  isFirst: (line) => /^\{"(?:messageStart|contentBlock)/.test(line),
  split: (events) => [events],
  whole: (events) => {
    const blocks = new Map<number, { name?: string; text: string; thought: string; args: string }>()
    for (const { contentBlockDelta, contentBlockStart } of events) {
      const { contentBlockIndex, delta = {}, start = {} } = contentBlockStart ?? contentBlockDelta ?? {}
      if (contentBlockIndex === undefined) continue
      const block = blocks.get(contentBlockIndex) ?? { text: "", thought: "", args: "" }
      blocks.set(contentBlockIndex, block)
      if (start.toolUse !== undefined) block.name = start.toolUse.name
      block.text += delta.text ?? ""
      block.thought += delta.reasoningContent?.text ?? ""
      block.args += delta.toolUse?.input ?? ""
    }
    const all = [...blocks.values()]
    const usage = events.find(({ metadata }) => metadata?.usage !== undefined)?.metadata.usage
    return {
      text: all.map(({ text }) => text).join(""),
      reasoning: all.map(({ thought }) => thought).join(""),
      calls: all.flatMap(({ args, name }) => name === undefined ? [] : [{ name, args: JSON.parse(args === "" ? "{}" : args) }]),
      ...(usage === undefined ? {} : { output: usage.outputTokens, input: usage.inputTokens })
    }
  }
}

const wires = [anthropic, chat, responses, gemini, bedrock]

/** Records of other wires than ours: Cohere's own, Google's Interactions, speech, completions of old. */
const others = /^(?:cohere\/|google\/interactions-|google\/speech-|openai\/speech-|openai\/completion-)/
/** Its first and its last event are no JSON: they lack a brace. */
const damaged = "openai/responses-parallel-tool-call-wrapper.1"

/** What comes of these bytes, in pieces of `size`, as if a service had sent them. */
const answer = (wire: Wire, bytes: Uint8Array, size: number) => {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))
  const fetch = async () => new Response(new ReadableStream({
    pull: (controller) => {
      const next = pieces.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    }
  }))
  const chunks: Array<Chunk> = []
  const stream = httpStream({
    endpoint: { provider: "recorded", baseUrl: "http://127.0.0.1", key: undefined, idleMs: 10_000, variables: {}, fetch, decorate: (request) => request },
    protocol: wire.protocol,
    framing: wire.framing,
    request: request([]),
    decode: (data) => JSON.parse(data),
    post: (fetch) => fetch("http://127.0.0.1")
  })
  return Stream.runForEach(stream, (chunk) => Effect.sync(() => chunks.push(chunk))).pipe(
    Effect.exit,
    Effect.map((exit) => ({ ...collect(chunks), chunks, error: Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error : undefined }))
  )
}

const bytesOf = (wire: Wire, events: ReadonlyArray<Record_>, end: string): Uint8Array => Buffer.concat(events.map((event) => wire.frame(event, end)))

/** Where the event stands without which an answer was cut. */
const terminal = ({ protocol }: Wire, events: ReadonlyArray<Record_>): number => {
  let state = protocol.initial(request([]))
  return events.findIndex((event) => {
    state = protocol.step(state, event)[0]
    return protocol.hasEnded(state)
  })
}

const isFailure = ({ type }: Record_) => type === "error" || type === "response.failed"

/** The calls as they will be run, where their arguments come in pieces of `size`. */
const native = (chunks: ReadonlyArray<Chunk>, size: number): ReadonlyArray<Whole["calls"][number] & { readonly isWhole: boolean }> => {
  const cut = chunks.flatMap((chunk): ReadonlyArray<Chunk> =>
    chunk._tag === "ToolCallArgs"
      ? Array.from({ length: Math.ceil(chunk.text.length / size) }, (_, i) => ({ ...chunk, text: chunk.text.slice(i * size, (i + 1) * size) }))
      : [chunk]
  )
  const ended = new Set(chunks.flatMap((chunk) => chunk._tag === "ToolCallEnd" ? [chunk.id] : []))
  return NativeCalls.parse(cut).flatMap((part) =>
    part._tag === "ToolCall" && ended.has(part.id)
      ? [{ name: part.name, args: part.params, isWhole: !part.partial && part.malformed === undefined }]
      : []
  )
}

const check = (wire: Wire, name: string, events: ReadonlyArray<Record_>, size: number, end: string) =>
  Effect.map(answer(wire, bytesOf(wire, events, end), size), ({ calls, chunks, error, finishes, reasoning, text, usage }) => {
    if (events.some(isFailure)) {
      assert.isTrue(error !== undefined && finishes.length === 0)
      return
    }
    // A start that comes twice before anything is said is one answer; behind content it begins another.
    const said = events.findIndex(({ type }) => type === "content_block_start")
    if (said >= 0 && events.slice(said).some(({ type }) => type === "message_start")) {
      assert.strictEqual(error?.reason._tag, "StreamBroken", "two answers are not one")
      return
    }
    const whole = wire.whole(events, name)
    assert.strictEqual(error, undefined)
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
      JSON.stringify(events.at(-1)).slice(0, 200)
    )
    for (const cut of [1, 2, 3, 7, 20, 100_000]) {
      assert.deepStrictEqual(native(chunks, cut), whole.calls.map((call) => ({ ...call, isWhole: true })), name)
    }
  })

const root = process.env.DACAPO_FIXTURES ?? ""
const files = root === "" ? [] : readdirSync(join(root, "streams"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".chunks.txt")).sort()
if (root === "") console.log("DACAPO_FIXTURES is not set: recorded streams are not decoded.")

describe("recorded answers", () => {
  const left = files.map((file) => file.replace(".chunks.txt", "")).filter((name) => others.test(name))
  it.skipIf(root === "")("are of our five wires, but for a few", () => assert.isTrue(files.length - left.length > 100 && left.length < 20))
  for (const file of files) {
    const name = file.replace(".chunks.txt", "")
    if (others.test(name)) continue
    const texts = readFileSync(join(root, "streams", file), "utf8").split("\n").filter((line) => line.startsWith("{"))
    const wire = wires.find(({ isFirst }) => isFirst(texts[0] ?? ""))
    if (wire === undefined) throw new Error(`${name} is of no wire that is known`)
    if (name === damaged) {
      it.effect(`of ${name} is told as one that can't be read`, () =>
        Effect.map(answer(wire, Buffer.concat(texts.map((text) => lines(`data: ${text}`)("\n"))), 100), ({ error }) => assert.strictEqual(error?.reason._tag, "BadAnswer")))
      continue
    }
    const answers = wire.split(texts.map((line) => JSON.parse(line)))
    it.effect(`of ${name} are decoded, wherever their bytes are cut`, () =>
      Effect.gen(function*() {
        for (const events of answers) {
          const bytes = bytesOf(wire, events, "\n").length
          yield* check(wire, name, events, bytes, "\n")
          yield* check(wire, name, events, bytes < 3000 ? 1 : 509, "\r\n")
          yield* check(wire, name, events, 4099, "\r")
        }
      }))
    it.effect(`of ${name} are told as broken when they end early`, () =>
      Effect.gen(function*() {
        for (const events of answers.filter((events) => !events.some(isFailure))) {
          const before = bytesOf(wire, events.slice(0, terminal(wire, events)), "\n")
          const early = yield* answer(wire, before, 4096)
          assert.deepStrictEqual([early.error?.reason._tag, early.finishes.length], ["StreamBroken", 0])
          // Cut inside its first event, too.
          const inside = yield* answer(wire, before.slice(0, 10), 4096)
          assert.deepStrictEqual([inside.error?.reason._tag, inside.chunks], ["StreamBroken", []])
        }
      }))
  }
})

describe("an event of a kind that nobody knows", () => {
  const unknown: ReadonlyArray<readonly [Wire, Record_]> = [
    [anthropic, { type: "content_block_sparkle", index: 0 }],
    [chat, { choices: [{ index: 0, delta: { sparkle: "!" } }] }],
    [responses, { type: "response.sparkle" }],
    [gemini, { candidates: [{ index: 0, content: { parts: [{ sparkle: "!" }] } }] }],
    [gemini, { sparkle: "!" }],
    [bedrock, { sparkle: { a: 1 } }],
    [bedrock, { contentBlockDelta: { contentBlockIndex: 0, delta: { sparkle: { a: 1 } } } }]
  ]
  for (const [wire, event] of unknown) {
    it(`becomes a notice: ${JSON.stringify(event)} over ${wire.protocol.name}`, () => {
      const [, chunks] = wire.protocol.step(wire.protocol.initial(request([])), event)
      assert.deepStrictEqual(chunks.map(({ _tag }) => _tag), ["Notice"])
      assert.include(JSON.stringify(chunks), "sparkle")
    })
  }
})
