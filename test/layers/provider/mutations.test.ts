/**
 * Answers of every wire with values that nobody promised: in any field anything may stand. What comes of them are chunks that a
 * log can keep, or an error with a name; nothing is thrown. From the scripted servers, and from recordings of real services
 * where DACAPO_FIXTURES names the folder that holds `streams/`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Chunk } from "../../../src/domain/message/Chunk.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as BedrockConverse from "../../../src/domain/provider/BedrockConverse.ts"
import * as AwsEventStream from "../../../src/domain/provider/AwsEventStream.ts"
import * as Gemini from "../../../src/domain/provider/Gemini.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import { ProviderError } from "../../../src/domain/provider/ProviderError.ts"
import type { Protocol } from "../../../src/domain/provider/Protocol.ts"
import { httpStream } from "../../../src/layers/provider/transport/HttpStream.ts"
import { awsEventStream, type Framing, sse } from "../../../src/layers/provider/transport/Framing.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"
import * as EventFrames from "../../../src/layers/testing/servers/EventFrames.ts"
import { wires as servers } from "../../../src/layers/testing/servers/wires.ts"
import { choose } from "../../suite.ts"

type Json = Schema.Json

interface Wire {
  readonly name: string
  readonly protocol: Protocol<any>
  readonly framing: Framing
  readonly frame: (event: Json) => Uint8Array
  readonly isFirst: RegExp
}

/** Stands for a value so deep that it can be read but not written. */
const deep = "so deep"
const written = (value: Json): string => JSON.stringify(value).replaceAll(JSON.stringify(deep), "[".repeat(20_000) + "]".repeat(20_000))

const data = (event: Json): Uint8Array => new TextEncoder().encode(`data: ${written(event)}\n\n`)
const frame = (event: Json): Uint8Array => {
  const [kind = "none", payload] = Object.entries(event !== null && typeof event === "object" ? event : {})[0] ?? []
  return EventFrames.frame({ ":event-type": kind }, written(payload ?? null))
}

const wires: ReadonlyArray<Wire> = [
  { name: "anthropic-messages", protocol: AnthropicMessages.protocol, framing: sse, frame: data, isFirst: /"message_start"/ },
  { name: "openai-chat", protocol: OpenAiChat.protocol(OpenAiChat.defaultQuirks), framing: sse, frame: data, isFirst: /"choices"/ },
  { name: "openai-responses", protocol: OpenAiResponses.protocol, framing: sse, frame: data, isFirst: /response\.created/ },
  { name: "gemini", protocol: Gemini.protocol, framing: sse, frame: data, isFirst: /"candidates"/ },
  { name: "bedrock-converse", protocol: BedrockConverse.protocol, framing: awsEventStream, frame, isFirst: /^\{"(?:messageStart|contentBlock)/ }
]

const turn = {
  reasoning: "I look first.",
  text: "Here it is, in several words.",
  calls: [{ id: "one", name: "read_file", params: { path: "a.txt", lines: [1, 2, { deep: true }] } }],
  usage: { input: 100, output: 50, cacheRead: 7, cacheWrite: 3, reasoning: 5 }
}
const asked = { method: "POST", path: "/models/m:x", headers: {}, text: "", body: {} }

/** The events of a server's own answer. */
const scripted = (name: string): ReadonlyArray<Json> => {
  const frames = servers.find((wire) => wire.name === name)!.frames(turn, asked)
  return frames.flatMap((frame): ReadonlyArray<Json> => {
    if (typeof frame !== "string") {
      return AwsEventStream.push(AwsEventStream.initial(), frame)[1].map(({ headers, payload }) => ({ [headers[":event-type"]!]: JSON.parse(new TextDecoder().decode(payload)) as Json }))
    }
    return frame.split(/\r?\n/).flatMap((line) => /^data: \{/.test(line) ? [JSON.parse(line.slice(6)) as Json] : [])
  })
}

const root = process.env["DACAPO_FIXTURES"] ?? ""
const recordings = (wire: Wire): ReadonlyArray<ReadonlyArray<Json>> =>
  (root === "" ? [] : readdirSync(join(root, "streams"), { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".chunks.txt")).sort())
    .map((file) => readFileSync(join(root, "streams", file), "utf8").split("\n").filter((line) => line.startsWith("{")))
    .filter(([first = ""]) => wire.isFirst.test(first))
    .flatMap((lines) => {
      try {
        return [lines.map((line) => JSON.parse(line) as Json)]
      } catch {
        return []
      }
    })

const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(Math.random() * list.length)]!

/** What may stand where something else belongs; names that objects have by nature among it. */
const strange: ReadonlyArray<Json> = [
  null, true, false, 0, -1, -1_000_000, 1.5, 1e300, Number.MAX_SAFE_INTEGER + 1, "", "12", "x", "constructor", "__proto__", "toString", "error",
  [], {}, [null], [[]], [1, "x"], { type: "constructor" }, { error: null }, { text: {} }, JSON.parse("{\"__proto__\":{\"type\":1}}") as Json, deep
]

/** The value with one thing in it changed. */
const mutated = (value: Json): Json => {
  const places = typeof value === "object" && value !== null ? Object.keys(value) : []
  if (places.length === 0 || Math.random() < 0.15) return pick(strange)
  const key = pick(places)
  const at = (value as Readonly<Record<string, Json>>)[key]!
  const chance = Math.random()
  if (Array.isArray(value)) return chance < 0.2 ? value.toSpliced(Number(key), 1) : value.with(Number(key), mutated(at))
  const { [key]: _, ...rest } = value as Readonly<Record<string, Json>>
  return chance < 0.15 ? rest : chance < 0.25 ? { ...rest, [pick(["constructor", "type", "delta", "error", key.toUpperCase()])]: at } : { ...rest, [key]: mutated(at) }
}

const shuffled = (events: ReadonlyArray<Json>): ReadonlyArray<Json> => {
  const place = Math.floor(Math.random() * events.length)
  const chance = Math.random()
  return chance < 0.1 ? [...events.slice(0, place), events[place]!, ...events.slice(place)]
    : chance < 0.2 ? events.toSpliced(place, 1)
    : events.with(place, mutated(events[place]!))
}

const answer = (wire: Wire, events: ReadonlyArray<Json>) => {
  const bytes = Buffer.concat(events.map(wire.frame))
  const fetch = async () => new Response(bytes)
  return Effect.exit(Stream.runCollect(httpStream({
    endpoint: { provider: "mutated", baseUrl: "http://127.0.0.1", key: undefined, idleMs: 10_000, variables: {}, fetch, decorate: (request) => request },
    protocol: wire.protocol,
    framing: wire.framing,
    request: request([]),
    decode: (data) => JSON.parse(data) as unknown,
    post: (fetch) => fetch("http://127.0.0.1")
  })))
}

const isChunk = Schema.is(Chunk)
const finite = (usage: object): boolean => Object.values(usage).every((count) => Number.isSafeInteger(count) && count >= 0)

/** What came of it: chunks, or the name of the error. */
const checked = (exit: Exit.Exit<ReadonlyArray<Chunk>, ProviderError>, events: ReadonlyArray<Json>): string => {
  const told = () => JSON.stringify(events.map((event) => JSON.stringify(event).slice(0, 300))).slice(0, 3000)
  if (Exit.isFailure(exit)) {
    const error = exit.cause.reasons.find(Cause.isFailReason)?.error
    assert.isTrue(error instanceof ProviderError && !exit.cause.reasons.some(Cause.isDieReason), `${Cause.pretty(exit.cause)}\n${told()}`)
    return error!.reason._tag
  }
  for (const chunk of exit.value) {
    assert.isTrue(isChunk(chunk), `${JSON.stringify(chunk)} is no chunk\n${told()}`)
    if (chunk._tag === "Usage") assert.isTrue(finite(chunk.usage), JSON.stringify(chunk))
  }
  JSON.stringify(exit.value)
  return "chunks"
}

const rounds = choose({ quick: 300, all: 1_500 })

describe("an answer with values that nobody promised", () => {
  for (const wire of wires) {
    it.effect(`is chunks or an error with a name, over ${wire.name}`, () =>
      Effect.gen(function*() {
        const sources = [scripted(wire.name), ...recordings(wire).filter((events) => events.length < 400)]
        const outcomes = new Set<string>()
        for (let i = 0; i < rounds; i++) {
          const events = Array.from({ length: 1 + Math.floor(Math.random() * 3) }).reduce<ReadonlyArray<Json>>(shuffled, i % 3 > 0 ? sources[0]! : pick(sources))
          outcomes.add(checked(yield* answer(wire, events), events))
        }
        assert.isTrue(outcomes.has("chunks") && outcomes.size > 1, "the changes matter, and not all of them break the answer")
      }))

    it.effect(`is whole where nothing was changed, over ${wire.name}`, () =>
      Effect.gen(function*() {
        const exit = yield* answer(wire, scripted(wire.name))
        assert.strictEqual(checked(exit, []), "chunks")
        const chunks = Exit.isSuccess(exit) ? exit.value : []
        assert.strictEqual(chunks.flatMap((chunk) => chunk._tag === "TextDelta" ? [chunk.text] : []).join(""), turn.text)
        assert.strictEqual(chunks.findLast((chunk) => chunk._tag === "Usage")?.usage.output, 50)
      }))
  }
})
