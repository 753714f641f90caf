/** Events that tests play, with everything that is the same in all of them left out. */
import type { Content } from "../../../src/domain/message/Message.ts"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import type { Act } from "./Played.ts"

export const usage = { input: 1200, output: 34, cacheRead: 800, cacheWrite: 0, reasoning: 0 }

export const requested: Settled = { _tag: "ModelRequested", model: "scripted/demo", request: "abc", maxTokens: 1000 }

export const responded = (content: ReadonlyArray<Content>, stop: "stop" | "tool_calls" = "stop"): Settled => ({
  _tag: "ModelResponded",
  content,
  usage,
  cost: 0.0125,
  stop,
  recording: "blob",
  malformed: [],
  warnings: []
})

export const text = (text: string): Content => ({ _tag: "Text", text })

export const call = (id: string, name: string, params: Record<string, string>): Content & { _tag: "ToolCall" } => ({ _tag: "ToolCall", id, name, params })

export const started = (id: string): Settled => ({ _tag: "ToolStarted", call: id })

export const finished = (id: string, outcome: Outcome.Outcome): Settled => ({ _tag: "ToolFinished", call: id, outcome })

export const done = (result: string): Settled => ({ _tag: "TaskFinished", result })

/** A whole task that answers with a text. */
export const answer = (words: string): ReadonlyArray<Act> => [requested, responded([text(words)]), done(words)]

type Reason = Extract<Settled, { _tag: "TaskFailed" }>["reason"]

export const fails = (reason: Reason, message: string): Settled => ({ _tag: "TaskFailed", reason, message })
