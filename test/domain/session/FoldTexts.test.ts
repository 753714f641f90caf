/** What the fold itself writes into messages is part of the log's format: another word here would make recorded requests diverge. */
import { assert, describe, it } from "@effect/vitest"
import * as Message from "../../../src/domain/message/Message.ts"
import * as ToolCalls from "../../../src/domain/session/ToolCalls.ts"
import * as Rewind from "../../../src/domain/session/Rewind.ts"
import * as Transcript from "../../../src/domain/session/Transcript.ts"

const call: Transcript.Call = { call: { _tag: "ToolCall", id: "1", name: "run_command", params: { command: "ls" } }, state: "new" }
const text = (content: Parameters<typeof Message.text>[0]) => Message.text(content)
const result = (call: Transcript.Call) => {
  const [part] = Transcript.toolResults([call])
  return part?._tag === "ToolResult" ? text(part.content) : ""
}

describe("the texts of the fold", () => {
  it("of calls", () => {
    assert.strictEqual(result(call), "No result: interrupted.")
    assert.strictEqual(result({ ...call, isEdited: true }), "[The user changed this call before it ran. It ran with: {\"command\":\"ls\"}]\nNo result: interrupted.")
    const ended = (changes: Partial<Transcript.Call>) => text(ToolCalls.finalOutcome({ ...call, ...changes }).content)
    assert.strictEqual(ended({}), "Cancelled: the conversation continued without this call.")
    assert.strictEqual(ended({ state: "denied", feedback: "No." }), "Denied: No.")
    assert.strictEqual(ended({ state: "lost" }), "dacapo stopped while this call was running: it may have completed fully, partly, or not at all.")
  })

  it("of messages", () => {
    assert.strictEqual(text(Transcript.interruptedMessage("Some words, ").content), "Some words,\n\n[interrupted by the user]")
    const included = { path: "a.ts", hash: "0", text: "1 | a", score: 1, why: "changed in git" }
    assert.strictEqual(text(Transcript.userMessage([], [], [included], undefined).content), "<file path=\"a.ts\" shown-because=\"changed in git\">\n1 | a\n</file>")
    assert.strictEqual(
      text(Rewind.mismatchReminder(false, true)),
      "I restored the files to an earlier state, so they no longer match your last edits. Read them again before you rely on them."
    )
    assert.strictEqual(
      text(Rewind.mismatchReminder(true, false)),
      "I rewound our conversation but not the files, so they may contain later changes. Read them again before you rely on them."
    )
    assert.deepStrictEqual(Rewind.mismatchReminder(true, true), [])
  })
})
