/** What a request costs does not grow with the session: counted, for sessions of 1,000 turns. */
import { describe, expect, it, vi } from "@effect/vitest"
import { Hash } from "node:crypto"
import * as Tokens from "../../../src/domain/context/Tokens.ts"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as XmlHistory from "../../../src/domain/message/XmlHistory.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as Gemini from "../../../src/domain/provider/Gemini.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"
import type { Protocol } from "../../../src/domain/provider/Protocol.ts"
import * as OpenAiChat from "../../../src/domain/provider/OpenAiChat.ts"
import * as OpenAiResponses from "../../../src/domain/provider/OpenAiResponses.ts"
import * as BodyBytes from "../../../src/layers/provider/BodyBytes.ts"
import * as Digest from "../../../src/layers/storage/Digest.ts"
import { request, tool } from "../../../src/layers/testing/conformance/route.ts"

type Encode = Protocol<never>["encode"]

const wires: ReadonlyArray<readonly [string, Encode]> = [
  ["anthropic/claude-sonnet-4-6", AnthropicMessages.encode],
  ["openai/gpt-4.1", OpenAiChat.protocol(OpenAiChat.defaultQuirks).encode],
  ["openai/gpt-5.4", OpenAiResponses.protocol.encode],
  ["gemini/gemini-2.5-flash", Gemini.protocol.encode]
]

const modelOf = (name: string) => {
  const { id, provider } = Catalogue.parse(name)
  return Catalogue.find(provider, id)!
}

interface Work {
  /** How often the content of a message was looked at. */
  readonly visits: number
  readonly writtenBytes: number
  readonly hashedBytes: number
}

/** A conversation that grows by a call and a result of 500 bytes each turn, and the work for the request of some turns. */
const workOf = (turns: ReadonlyArray<number>, send: (messages: ReadonlyArray<Message>) => void): ReadonlyArray<Work> => {
  let visits = 0
  let messages: ReadonlyArray<Message> = []
  const message = (role: Message["role"], content: Message["content"]): Message => ({
    role,
    get content() {
      visits++
      return content
    }
  })
  const text = "x".repeat(500)
  const prompt = message("user", [{ _tag: "Text", text: "Read it often." }])
  messages = [prompt]
  const hash = vi.spyOn(Hash.prototype, "update")
  const write = vi.spyOn(JSON, "stringify")
  const results: Array<Work> = []
  for (let turn = 1; turn <= turns.at(-1)!; turn++) {
    const call = { id: `call_${turn}`, name: "read_file" }
    const result = () => message("user", [{ _tag: "ToolResult", ...call, content: [{ _tag: "Text", text }], isError: false }])
    messages = [...messages, message("assistant", [{ _tag: "ToolCall", ...call, params: { path: "a.ts", start_line: turn } }])]
    visits = 0
    hash.mockClear()
    write.mockClear()
    send([...messages, result()])
    const lengths = (values: ReadonlyArray<unknown>) => values.reduce<number>((sum, value) => sum + String(value).length, 0)
    if (turns.includes(turn)) {
      const writtenBytes = lengths(write.mock.results.map(({ value }) => value))
      results.push({ visits, writtenBytes, hashedBytes: lengths(hash.mock.calls.map(([data]) => data)) })
    }
    // The message as it is logged is another object than the one that was planned.
    messages = [...messages, result()]
  }
  hash.mockRestore()
  write.mockRestore()
  return results
}

describe("the requests of a session of 1,000 turns", () => {
  const tools = [tool("read_file"), tool("edit_file")]
  for (const [name, encode] of wires) {
    const model = modelOf(name)
    for (const format of name.startsWith("anthropic/") ? ["native", "xml"] as const : ["native"] as const) {
      it(`take no more work at turn 1,000 than at turn 50 (${name}, ${format})`, () => {
        let body: ReturnType<Encode> = null
        const [early, late] = workOf([50, 1000], (messages) => {
          Tokens.ofMessages(messages)
          const about: Partial<ModelRequest> = { tools: format === "native" ? tools : [] }
          body = encode(request(format === "native" ? messages : XmlHistory.toXmlMessages(messages, tools), about), model)
          BodyBytes.of(body)
        })
        expect(early!.visits).toBeLessThan(20)
        expect(late!.visits).toBe(early!.visits)
        expect(early!.writtenBytes).toBeLessThan(6_000)
        expect(late!.writtenBytes).toBeLessThan(1.01 * early!.writtenBytes)
        expect(early!.hashedBytes).toBeLessThan(8_000)
        expect(late!.hashedBytes).toBeLessThan(1.01 * early!.hashedBytes)
        const { bytes, digest } = BodyBytes.of(body)
        expect(bytes.length).toBeGreaterThan(500_000)
        expect(digest).toBe(Digest.ofJson(body))
        expect(Buffer.from(bytes).equals(Buffer.from(JSON.stringify(body)))).toBe(true)
      })
    }
  }
})
