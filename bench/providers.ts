/**
 * Answers of models, from bytes to parts: the time from the first byte of text to the first part, and what 1 MiB in
 * deltas of 20 characters costs over the same answer in one, in processor time and memory. Beside the SDK of each wire,
 * reading the same bytes. Each figure is of a process of its own.
 */
import { spawnSync } from "node:child_process"
import { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as ParserLive from "../src/layers/parser/ParserLive.ts"
import * as ProviderLive from "../src/layers/provider/ProviderLive.ts"
import { anthropic as anthropicRoute } from "../src/layers/provider/routes/anthropic.ts"
import { bedrock as bedrockRoute, gemini as geminiRoute } from "../src/layers/provider/routes/clouds.ts"
import { openAiCompatible } from "../src/layers/provider/routes/openAiCompatible.ts"
import { environment, key, request } from "../src/layers/testing/conformance/route.ts"
import { anthropic } from "../src/layers/testing/servers/anthropic.ts"
import { bedrock } from "../src/layers/testing/servers/bedrock.ts"
import * as EventFrames from "../src/layers/testing/servers/EventFrames.ts"
import { gemini } from "../src/layers/testing/servers/gemini.ts"
import { openAiChat } from "../src/layers/testing/servers/openAiChat.ts"
import type { Wire } from "../src/layers/testing/servers/Wire.ts"
import { Fetch } from "../src/services/Fetch.ts"
import { Parser } from "../src/services/Parser.ts"
import { Provider } from "../src/services/Provider.ts"
import type { Route } from "../src/services/Route.ts"
import { median, report } from "./measure.ts"

type Fetching = typeof globalThis.fetch
type Heard = (text: string) => void

interface Subject {
  readonly wire: Wire
  readonly route: Route
  readonly model: string
  /** Reads an answer as the SDK of the wire does. */
  readonly peer: (fetch: Fetching, heard: Heard) => Promise<void>
}

const hello = { role: "user" as const, content: "Hello" }
const subjects: ReadonlyArray<Subject> = [
  {
    wire: anthropic,
    route: anthropicRoute,
    model: "claude-sonnet-4-6",
    peer: async (fetch, heard) => {
      const { Anthropic } = await import("@anthropic-ai/sdk")
      const client = new Anthropic({ apiKey: "k", fetch, maxRetries: 0 })
      for await (const event of await client.messages.create({ model: "m", max_tokens: 10, messages: [hello], stream: true })) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") heard(event.delta.text)
      }
    }
  },
  {
    wire: openAiChat,
    route: openAiCompatible.find(({ name }) => name === "openai")!,
    model: "gpt-4.1",
    peer: async (fetch, heard) => {
      const { OpenAI } = await import("openai")
      const client = new OpenAI({ apiKey: "k", fetch, maxRetries: 0 })
      for await (const chunk of await client.chat.completions.create({ model: "m", messages: [hello], stream: true })) heard(chunk.choices[0]?.delta.content ?? "")
    }
  },
  {
    wire: gemini,
    route: geminiRoute,
    model: "gemini-2.5-flash",
    peer: async (fetch, heard) => {
      const { GoogleGenAI } = await import("@google/genai")
      const client = new GoogleGenAI({ vertexai: false, apiKey: "k", httpOptions: { fetch } })
      for await (const chunk of await client.models.generateContentStream({ model: "m", contents: "Hello" })) heard(chunk.text ?? "")
    }
  },
  {
    wire: bedrock,
    route: bedrockRoute,
    model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    peer: async (fetch, heard) => {
      const { BedrockRuntimeClient, ConverseStreamCommand } = await import("@aws-sdk/client-bedrock-runtime")
      const handle = async () => {
        const { body, headers } = await fetch("http://127.0.0.1")
        return { response: { statusCode: 200, headers: Object.fromEntries(headers), body: Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]) } }
      }
      const client = new BedrockRuntimeClient({ region: "eu-central-1", credentials: { accessKeyId: "a", secretAccessKey: "b" }, requestHandler: { handle } })
      const { stream } = await client.send(new ConverseStreamCommand({ modelId: "m", messages: [{ role: "user", content: [{ text: "Hello" }] }] }))
      for await (const event of stream ?? []) heard(event.contentBlockDelta?.delta?.text ?? "")
    }
  }
]

/** An answer with these deltas of plain letters: what comes before the first, and all from there on. */
const bytesOf = ({ contentType, frames }: Wire, deltas: ReadonlyArray<string>): readonly [head: Uint8Array, rest: Uint8Array] => {
  const asked = { method: "POST", path: "/models/m:", headers: {}, text: "", body: { model: "m", stream_options: { include_usage: true } } }
  const all = frames({ text: "@@" }, asked)
  const at = all.findIndex((frame) => Buffer.from(frame).includes("@@"))
  const filled = deltas.map((text) => contentType === undefined ? Buffer.from(String(all[at]).replace("@@", text)) : EventFrames.event("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }))
  return [Buffer.concat(all.slice(0, at).map((frame) => Buffer.from(frame))), Buffer.concat([...filled, ...all.slice(at + 1).map((frame) => Buffer.from(frame))])]
}

/** A fetch that answers with these bytes, in pieces as a socket gives them. */
const answering = (wire: Wire, parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Fetching => async () =>
  new Response(ReadableStream.from(parts) as ReadableStream<Uint8Array>, { headers: { "content-type": wire.contentType ?? "text/event-stream" } })

const piece = 16 * 1024
const cut = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => Array.from({ length: Math.ceil(bytes.length / piece) }, (_, i) => bytes.subarray(i * piece, (i + 1) * piece))

/** Reads an answer as we do: provider and parser. */
const ours = ({ model, route }: Subject) => (fetch: Fetching, heard: Heard): Promise<void> =>
  Effect.gen(function*() {
    const provider = yield* Provider
    const parser = yield* Parser
    const prepared = yield* provider.prepare(yield* provider.describe(`${route.name}/${model}`), request([{ role: "user", content: [{ _tag: "Text", text: "Hello" }] }]))
    yield* provider.stream(prepared).pipe(
      Stream.map(({ chunk }) => chunk),
      parser.parse("native", []),
      Stream.runForEach((part) => Effect.sync(() => part._tag === "Text" ? heard(part.text) : undefined))
    )
  }).pipe(
    Effect.provide([
      ProviderLive.layer({ routes: [route] }).pipe(Layer.provide([environment({ [route.keys[0]!]: key, AWS_REGION: "eu-central-1" }), Layer.succeed(Fetch, fetch)])),
      ParserLive.layer
    ]),
    Effect.runPromise
  )

/** ms from the first byte of text to the first text that is heard: the median of some, in a process that is warm. */
const first = async (subject: Subject, read: Subject["peer"]): Promise<number> => {
  const [head, rest] = bytesOf(subject.wire, ["Hello there"])
  const times: Array<number> = []
  for (let round = 0; round < 60; round++) {
    let began = 0
    let came = 0
    const parts = async function*() {
      if (head.length > 0) yield head
      await new Promise(setImmediate)
      began = performance.now()
      yield rest
    }
    await read(answering(subject.wire, parts()), (text) => {
      if (text !== "" && came === 0) came = performance.now()
    })
    if (round >= 20) times.push(came - began)
  }
  return median(times)
}

const letters = "abcdefghijklmnopqrst"
const size = 1024 * 1024

/** Processor time in ms and the growth of the process in MiB, of 1 MiB in deltas of so many characters. */
const whole = async (subject: Subject, read: Subject["peer"], delta: number) => {
  const text = letters.repeat(Math.ceil(delta / letters.length)).slice(0, delta)
  const bytes = Buffer.concat(bytesOf(subject.wire, Array.from({ length: Math.ceil(size / delta) }, () => text)))
  let heard = 0
  await read(answering(subject.wire, cut(Buffer.concat(bytesOf(subject.wire, ["warm"])))), () => {})
  const [before, memory] = [process.cpuUsage(), process.resourceUsage().maxRSS]
  await read(answering(subject.wire, cut(bytes)), (text) => heard += text.length)
  const { system, user } = process.cpuUsage(before)
  if (heard < size) throw new Error(`${subject.wire.name}: only ${heard} characters came`)
  return { cpu: (user + system) / 1000, memory: (process.resourceUsage().maxRSS - memory) / 1024 }
}

const [, , wire, whose, what] = process.argv
if (wire !== undefined) {
  const subject = subjects.find((subject) => subject.wire.name === wire)!
  const read = whose === "ours" ? ours(subject) : subject.peer
  console.log(JSON.stringify(what === "first" ? await first(subject, read) : await whole(subject, read, Number(what))))
} else {
  const child = <A>(...args: ReadonlyArray<string>): A => {
    const { stderr, stdout } = spawnSync(process.execPath, ["--no-warnings", fileURLToPath(import.meta.url), ...args], { encoding: "utf8" })
    if (stdout === "") throw new Error(stderr)
    return JSON.parse(stdout) as A
  }
  interface Cost {
    readonly cpu: number
    readonly memory: number
  }
  const costs = (name: string, whose: string) => {
    const rounds = [0, 1, 2].map(() => [child<Cost>(name, whose, "20"), child<Cost>(name, whose, String(size))] as const)
    return {
      cpu: median(rounds.map(([many, one]) => many.cpu - one.cpu)),
      memory: median(rounds.map(([many, one]) => many.memory - one.memory))
    }
  }
  const names = subjects.map(({ wire }) => wire.name)
  report("First byte to first part", "ms", names.map((claim) => ({ claim, ours: child<number>(claim, "ours", "first"), peer: { name: "sdk", value: child<number>(claim, "peer", "first") }, limit: 1 })))
  const all = names.map((claim) => ({ claim, ours: costs(claim, "ours"), peer: costs(claim, "peer") }))
  report("1 MiB in deltas of 20 characters, over one delta", "ms of processor", all.map(({ claim, ours, peer }) => ({ claim, ours: ours.cpu, peer: { name: "sdk", value: peer.cpu }, limit: 1000 })))
  report("1 MiB in deltas of 20 characters, over one delta", "MiB", all.map(({ claim, ours, peer }) => ({ claim, ours: ours.memory, peer: { name: "sdk", value: peer.memory }, limit: 40 })))
}
