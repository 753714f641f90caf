/** Logs as the page receives them; nothing here computes hashes, because the page does not check them. */
import type { SessionEvent, Settled } from "../../../src/domain/session/SessionEvent.ts"

export const event = (seq: number, settled: Settled): SessionEvent => ({
  v: 1,
  seq,
  time: 1_795_000_000_000 + seq * 1_000,
  prev: "",
  hash: `${seq}`,
  event: settled
})

export const log = (events: ReadonlyArray<Settled>): ReadonlyArray<SessionEvent> => events.map((settled, seq) => event(seq, settled))

const usage = { input: 1_000, output: 50, cacheRead: 500, cacheWrite: 0, reasoning: 0 }

/** A message, a response with a call, its result, and the end of the task: eight events. */
export const turn = (number: number): ReadonlyArray<Settled> => {
  const call = `call_${number}_1`
  return [
    { _tag: "UserSaid", text: `task ${number}`, delivery: "task" },
    { _tag: "ContextPlanned", tokens: 1_000, left: [] },
    { _tag: "ModelRequested", model: "scripted/model", request: "r", maxTokens: 1_000 },
    {
      _tag: "ModelResponded",
      content: [{ _tag: "Text", text: `Answer ${number} with **bold** text and \`code\`.` }, { _tag: "ToolCall", id: call, name: "read_file", params: { path: `src/file${number}.ts` } }],
      usage,
      cost: 0.001,
      stop: "tool_calls",
      recording: "b",
      malformed: [],
      warnings: []
    },
    {
      _tag: "ToolProposed",
      call,
      access: [{ _tag: "Read", path: `src/file${number}.ts` }],
      kind: "read",
      action: "a",
      decision: "allow",
      risk: "low",
      reason: "read-only",
      offer: []
    },
    { _tag: "ToolStarted", call },
    { _tag: "ToolFinished", call, outcome: { status: "succeeded", content: [{ _tag: "Text", text: `line 1 of file ${number}\nline 2\n` }] } },
    { _tag: "TaskFinished", result: `Answer ${number} with **bold** text and \`code\`.` }
  ]
}
