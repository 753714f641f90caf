import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../../src/domain/message/Message.ts"
import * as XmlHistory from "../../../src/domain/message/XmlHistory.ts"
import type { ToolSpec } from "../../../src/domain/tool/ToolSpec.ts"

const param = (name: string, raw: boolean) => ({ name, description: "", required: true, raw })
const write: ToolSpec = { name: "write_file", description: "", params: [param("path", false), param("content", true)], schema: {}, aliases: [] }

const messages: ReadonlyArray<Message> = [
  { role: "user", content: [{ _tag: "Text", text: "Write it." }] },
  {
    role: "assistant",
    content: [
      { _tag: "Text", text: "Writing." },
      { _tag: "ToolCall", id: "1", name: "write_file", params: { path: "a.ts", content: "one" } },
      { _tag: "ToolCall", id: "2", name: "list_files", params: { depth: 2, pattern: "a\nb" } }
    ]
  },
  {
    role: "user",
    content: [
      { _tag: "ToolResult", id: "1", name: "write_file", isError: false, content: [{ _tag: "Text", text: "Written." }, { _tag: "Image", mediaType: "image/png", blob: "b" }] },
      { _tag: "ToolResult", id: "2", name: "list_files", isError: true, content: [] },
      { _tag: "Text", text: "Go on." }
    ]
  }
]

describe("history for a model that calls tools in text", () => {
  it("tells calls as the model writes them, and results by the call's name", () => {
    assert.deepStrictEqual(XmlHistory.toXmlMessages(messages, [write]), [
      messages[0]!,
      {
        role: "assistant",
        content: [
          { _tag: "Text", text: "Writing." },
          { _tag: "Text", text: "<write_file>\n<path>a.ts</path>\n<content>\none\n</content>\n</write_file>" },
          { _tag: "Text", text: "<list_files>\n<depth>2</depth>\n<pattern>\na\nb\n</pattern>\n</list_files>" }
        ]
      },
      {
        role: "user",
        content: [
          { _tag: "Text", text: "[write_file for 'a.ts'] Result:\nWritten." },
          { _tag: "Image", mediaType: "image/png", blob: "b" },
          { _tag: "Text", text: "[list_files] Error:\n(no output)" },
          { _tag: "Text", text: "Go on." }
        ]
      }
    ])
  })

  it("stays the same when the session continues", () => {
    assert.deepStrictEqual(XmlHistory.toXmlMessages(messages, [write]).slice(0, 2), XmlHistory.toXmlMessages(messages.slice(0, 2), [write]))
  })
})
