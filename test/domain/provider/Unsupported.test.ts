import { describe, expect, it } from "@effect/vitest"
import * as Unsupported from "../../../src/domain/provider/Unsupported.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import type { ModelRequest } from "../../../src/domain/provider/ModelRequest.ts"

const request = (more: Partial<ModelRequest>): ModelRequest => ({ system: "", messages: [], tools: [], maxTokens: 32_000, ...more })
const model = (provider: string, id: string) => Catalogue.find(provider, id)!
const sonnet = model("anthropic", "claude-sonnet-4-5")

describe("what a model can't take", () => {
  it("is a thought as long as its answer: one token is left for words", () => {
    expect(Unsupported.of(request({ effort: "high", maxTokens: 20_000 }), sonnet)).toEqual(["claude-sonnet-4-5 thinks for at most 19999 tokens, not 38400, because a response is limited to 20000."])
    expect(Unsupported.of(request({ effort: "high", maxTokens: 800 }), sonnet)).toEqual(["claude-sonnet-4-5 does not think: a response of at most 800 tokens is too short for it."])
    expect(Unsupported.of(request({ effort: "low" }), sonnet)).toEqual([])
  })

  it("is an effort that it has no name for, or any where it does not think", () => {
    expect(Unsupported.of(request({ effort: "minimal" }), model("anthropic", "claude-opus-5-5"))).toEqual(["claude-opus-5-5 does not support the effort \"minimal\"; \"low\" is used."])
    expect(Unsupported.of(request({ effort: "high" }), model("openai", "gpt-4.1"))).toEqual(["gpt-4.1 does not support reasoning; the effort \"high\" is omitted."])
  })

  it("is a temperature, or an image", () => {
    const blind = Catalogue.assumed("openai", "new", { local: false })
    expect(Unsupported.of(request({ temperature: 0.2 }), { ...blind, temperature: false })).toEqual(["new does not support a temperature; 0.2 is omitted."])
    const messages = [{ role: "user", content: [{ _tag: "Image", blob: "0".repeat(64), mediaType: "image/png" }] }] as unknown as ModelRequest["messages"]
    expect(Unsupported.of(request({ messages }), blind)).toEqual(["new does not support images; each is replaced by a note."])
  })
})
