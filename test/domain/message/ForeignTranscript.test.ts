/** Session files of Claude Code and Codex, in the shapes that they write. */
import { assert, describe, it } from "@effect/vitest"
import * as ForeignTranscript from "../../../src/domain/message/ForeignTranscript.ts"

const lines = (...records: ReadonlyArray<unknown>) => records.map((record) => JSON.stringify(record)).join("\n")
const common = { sessionId: "0f2c7d1e-1111-4222-8333-444455556666", cwd: "/repo", version: "2.1.0", uuid: "u", parentUuid: null }

const claude = lines(
  { type: "summary", summary: "A title", leafUuid: "x" },
  { ...common, type: "user", isMeta: true, message: { role: "user", content: "Caveat: local commands" } },
  { ...common, type: "user", message: { role: "user", content: "Fix the tax." } },
  { ...common, type: "assistant", message: { model: "claude-sonnet-4-5", role: "assistant", content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: "I look." }, { type: "tool_use", id: "t", name: "Read", input: { file_path: "a.ts" } }] } },
  { ...common, type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "tax = 70" }] }] } },
  { ...common, type: "assistant", isSidechain: true, message: { role: "assistant", content: "a subagent" } },
  { ...common, type: "assistant", message: { model: "<synthetic>", role: "assistant", content: [{ type: "text", text: "Fixed." }] } },
  { type: "file-history-snapshot", snapshot: {} }
)

const codex = lines(
  { timestamp: "t", type: "session_meta", payload: { id: "0199-abc", cwd: "/repo", originator: "codex_cli" } },
  { timestamp: "t", type: "turn_context", payload: { model: "gpt-5-codex" } },
  { timestamp: "t", type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context>\n</environment_context>" }] } },
  { timestamp: "t", type: "response_item", payload: { type: "message", role: "user", content: [{ type: "input_text", text: "Fix the tax." }] } },
  { timestamp: "t", type: "event_msg", payload: { type: "user_message", message: "Fix the tax." } },
  { timestamp: "t", type: "response_item", payload: { type: "reasoning", summary: [] } },
  { timestamp: "t", type: "response_item", payload: { type: "function_call", name: "shell", arguments: "{\"command\":[\"ls\"]}", call_id: "c" } },
  { timestamp: "t", type: "response_item", payload: { type: "function_call_output", call_id: "c", output: "a.ts" } },
  { timestamp: "t", type: "response_item", payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "Fixed." }] } }
)

describe("a conversation of another agent", () => {
  it("is read from Claude Code's lines: messages, calls and results, without notes of its own and subagents", () => {
    assert.deepStrictEqual(ForeignTranscript.parse(claude), {
      agent: "claude",
      id: common.sessionId,
      cwd: "/repo",
      model: "anthropic/claude-sonnet-4-5",
      unreadLines: 0,
      entries: [
        { speaker: "user", text: "Fix the tax." },
        { speaker: "assistant", text: "I look." },
        { speaker: "call", text: "Read {\"file_path\":\"a.ts\"}" },
        { speaker: "result", text: "tax = 70" },
        { speaker: "assistant", text: "Fixed." }
      ]
    })
  })

  it("is read from Codex's rollouts, without instructions and repeated events", () => {
    assert.deepStrictEqual(ForeignTranscript.parse(`${codex}\n{"torn`), {
      agent: "codex",
      id: "0199-abc",
      cwd: "/repo",
      model: "openai/gpt-5-codex",
      unreadLines: 1,
      entries: [
        { speaker: "user", text: "Fix the tax." },
        { speaker: "call", text: "shell {\"command\":[\"ls\"]}" },
        { speaker: "result", text: "a.ts" },
        { speaker: "assistant", text: "Fixed." }
      ]
    })
  })

  it("is nothing else: sessions of dacapo, other JSON, other text", () => {
    for (const text of ["", "text", "{}", "[]", "null", lines({ v: 1, seq: 0, event: {} }), lines({ type: "user" }), lines({ type: "user", sessionId: 7 })])
      assert.isUndefined(ForeignTranscript.parse(text))
  })

  it("keeps the first message and the newest entries where all of it would be too long", () => {
    const entries = Array.from({ length: 100 }, (_, i): ForeignTranscript.Entry => ({ speaker: i % 2 === 0 ? "user" : "assistant", text: `Entry ${i}. ${"x".repeat(1_000)}` }))
    const { omitted, text } = ForeignTranscript.render({ agent: "codex", id: "", entries, unreadLines: 0 }, 10_000)
    assert.isBelow(text.length, 10_500)
    assert.match(text, /^## User\n\nEntry 0\. [^]*\[\d+ earlier entries were left out\.\][^]*Entry 99\. x+$/)
    assert.strictEqual(omitted + (text.match(/Entry \d+/g) ?? []).length, 100)
    assert.strictEqual(ForeignTranscript.render({ agent: "codex", id: "", entries: entries.slice(0, 3), unreadLines: 0 }).omitted, 0)
  })
})
