import { describe, expect, it } from "@effect/vitest"
import { type Chunk, joinChunks } from "../../../src/domain/message/Chunk.ts"

const said = (text: string): Chunk => ({ _tag: "TextDelta", text })
const thought = (text: string): Chunk => ({ _tag: "ReasoningDelta", text })
const args = (id: string, text: string): Chunk => ({ _tag: "ToolCallArgs", id, text })

describe("chunks that came together", () => {
  it("are one delta if they continue each other", () => {
    expect(joinChunks([said("a"), said("b"), thought("c"), thought("d"), said("e")])).toEqual([said("ab"), thought("cd"), said("e")])
  })

  it("keep the calls apart whose arguments come by turns", () => {
    expect(joinChunks([args("1", "{"), args("1", "\"a\""), args("2", "{"), args("1", "}")])).toEqual([args("1", "{\"a\""), args("2", "{"), args("1", "}")])
  })

  it("leave a seal with the thoughts that it ends, and what is no delta where it stands", () => {
    const sealed: Chunk = { _tag: "ReasoningDelta", text: "", signature: "s" }
    const ping: Chunk = { _tag: "Notice", kind: "ping", detail: null }
    expect(joinChunks([thought("a"), sealed, thought("b"), said("c"), ping, said("d")])).toEqual([thought("a"), sealed, thought("b"), said("c"), ping, said("d")])
  })
})
