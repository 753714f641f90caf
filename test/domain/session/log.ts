/** Short ways to write a log in a test. */
import * as Session from "../../../src/domain/session/Session.ts"
import type { Settled, SessionSettings } from "../../../src/domain/session/SessionEvent.ts"
import * as Limits from "../../../src/domain/session/Limits.ts"
import * as Model from "../../../src/domain/provider/Model.ts"
import * as Usage from "../../../src/domain/session/Usage.ts"
import type { Outcome } from "../../../src/domain/tool/Outcome.ts"

export const settings: SessionSettings = {
  model: { ...Model.unknown, provider: "test", id: "model", price: { input: 1, output: 10 } },
  mode: "default",
  toolFormat: "native",
  limits: Limits.defaults,
  rules: { allow: [], ask: [], deny: [] },
  onAsk: "ask"
}

export const started = (changes: Partial<SessionSettings> = {}): Settled => ({
  _tag: "SessionStarted",
  id: "s1",
  version: "0.0.0",
  cwd: "/repo",
  home: "/home/dev",
  seed: "seed",
  settings: { ...settings, ...changes }
})

export const said = (text: string, delivery: "task" | "steer" | "queue" = "task"): Settled => ({ _tag: "UserSaid", text, delivery })

export const asked: ReadonlyArray<Settled> = [
  { _tag: "ContextPlanned", tokens: 1, left: [] },
  { _tag: "ModelRequested", model: "test/model", request: "r", maxTokens: 100 }
]

export const call = (id: string, name = "read_file", params: Record<string, string> = {}) =>
  ({ _tag: "ToolCall", id, name, params }) as const

export const answered = (
  content: Extract<Settled, { _tag: "ModelResponded" }>["content"],
  changes: Partial<Extract<Settled, { _tag: "ModelResponded" }>> = {}
): Settled => ({
  _tag: "ModelResponded",
  content,
  usage: { ...Usage.zero, input: 1_000_000, output: 100_000 },
  cost: 2,
  stop: "stop",
  recording: "blob",
  warnings: [],
  malformed: [],
  ...changes
})

export const proposed = (
  call: string,
  kind: "read" | "edit" | "command" = "read",
  decision: "allow" | "ask" | "deny" = "allow"
): Settled => ({
  _tag: "ToolProposed",
  call,
  access: [],
  kind,
  action: `action of ${call}`,
  decision,
  risk: "low",
  reason: `${decision} by a test`,
  offer: []
})

export const finished = (call: string, outcome: Partial<Outcome> = {}): Settled => ({
  _tag: "ToolFinished",
  call,
  outcome: { status: "succeeded", content: [{ _tag: "Text", text: `result of ${call}` }], ...outcome }
})

export const checkpoint: Settled = { _tag: "CheckpointSaved", id: "c1", why: "", counts: { files: 0, added: 0, removed: 0 } }

/** The fold of events, one second apart. */
export const fold = (...events: ReadonlyArray<Settled>): Session.Session =>
  events.reduce((session, event) =>
    Session.apply(session, { v: 1, seq: session.seq + 1, time: (session.seq + 1) * 1000, prev: "", hash: "", event }), Session.empty)
