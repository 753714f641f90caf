/** A log as spans: where they begin and end, what they belong to, and what they say. */
import { describe, expect, it } from "@effect/vitest"
import type { Settled } from "../../../src/domain/session/SessionEvent.ts"
import * as SessionSpans from "../../../src/domain/telemetry/SessionSpans.ts"
import type { Span } from "../../../src/domain/telemetry/Span.ts"
import * as TraceContext from "../../../src/domain/telemetry/TraceContext.ts"
import { answered, asked, call, finished, said, settings, started } from "../session/log.ts"

/** The events one second apart, as a log stores them. */
const log = (...events: ReadonlyArray<Settled>) =>
  events.map((event, seq) => ({ v: 1, seq, time: seq * 1000, prev: "", hash: `${seq + 1}`.padStart(2, "0").repeat(32), event }))

const spans = (events: ReadonlyArray<Settled>, options: SessionSpans.Options = {}): ReadonlyArray<Span> => {
  let state = SessionSpans.initial(options)
  return SessionSpans.ownEvents(log(...events)).flatMap((at) => {
    const [next, ended] = SessionSpans.push(state, at, "recording" in at.event ? [{ at: 250, chunk: { _tag: "TextDelta", text: "H" } }] : undefined)
    state = next
    return ended
  })
}

/** `name start-end` in seconds, within the name of the parent. */
const outline = (all: ReadonlyArray<Span>) =>
  all.map(({ endMs, name, parentSpanId, startMs, attributes }) =>
    [`${name} ${startMs / 1000}-${endMs / 1000}`, all.find(({ spanId }) => spanId === parentSpanId)?.name ?? "", attributes["error.type"] ?? ""].join(" | ").replace(/[ |]+$/, ""))

const task: ReadonlyArray<Settled> = [
  started(),
  said("Read it"),
  ...asked,
  answered([call("c1")], { stop: "tool_calls" }),
  { _tag: "ToolStarted", call: "c1" },
  finished("c1"),
  ...asked,
  answered([{ _tag: "Text", text: "Done" }]),
  { _tag: "TaskFinished", result: "Done" }
]
const resumed = (goOn: boolean): Settled => ({ _tag: "Resumed", settings, version: "0.0.0", goOn })
const crashed: Settled = { _tag: "ModelFailed", reason: { _tag: "Crashed" }, provider: "test", message: "", draft: null }

describe("spans of a session", () => {
  it("are a task, and in it its requests and calls", () => {
    expect(outline(spans(task))).toEqual([
      "chat model 3-4 | invoke_agent dacapo",
      "execute_tool read_file 5-6 | invoke_agent dacapo",
      "chat model 8-9 | invoke_agent dacapo",
      "invoke_agent dacapo 1-10"
    ])
    expect(new Set(spans(task).map(({ traceId }) => traceId)).size).toBe(1)
    expect(new Set(spans(task).map(({ spanId }) => spanId)).size).toBe(4)
  })

  it("say what was used, and what it cost", () => {
    const [chat, , , agent] = spans(task)
    expect(chat?.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "test",
      "gen_ai.request.model": "model",
      "gen_ai.request.max_tokens": 100,
      "gen_ai.request.stream": true,
      "gen_ai.conversation.id": "s1",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.response.time_to_first_chunk": 0.25,
      "gen_ai.usage.input_tokens": 1_000_000,
      "gen_ai.usage.output_tokens": 100_000,
      "gen_ai.usage.cache_read.input_tokens": 0,
      "gen_ai.usage.cache_creation.input_tokens": 0,
      "gen_ai.usage.reasoning.output_tokens": 0,
      "dacapo.usage.cost": 2
    })
    expect(agent?.attributes).toMatchObject({ "gen_ai.usage.input_tokens": 2_000_000, "dacapo.usage.cost": 4 })
  })

  it("hold content only on request, and only as it was redacted", () => {
    expect(JSON.stringify(spans(task))).not.toMatch(/Read it|Done|result of/)
    const content = spans(task, { content: (text) => text.replace("it", "[...]") })
    expect(content.map(({ attributes }) => Object.entries(attributes).flatMap(([name, value]) => /messages|arguments|result$/.test(name) ? [value] : []))).toEqual([
      ["[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"read_file\",\"arguments\":{}}],\"finish_reason\":\"tool_calls\"}]"],
      ["{}", "result of c1"],
      ["[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Done\"}],\"finish_reason\":\"stop\"}]"],
      ["[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Read [...]\"}]}]", "[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"Done\"}],\"finish_reason\":\"stop\"}]"]
    ])
  })

  it("count the retries of a request and what they cost", () => {
    const retry: Settled = { _tag: "ModelRetrying", reason: { _tag: "Overloaded" }, message: "busy", attempt: 1, delayMs: 500 }
    const [chat] = spans([started(), said("Hi"), ...asked, retry, retry, answered([])])
    expect(chat?.attributes).toMatchObject({ "dacapo.request.retries": 2 })
    expect(chat?.events[0]).toEqual({
      name: "dacapo.retry",
      timeMs: 4000,
      attributes: { "error.type": "Overloaded", "dacapo.request.attempt": 1, "dacapo.delay": 0.5 }
    })
  })

  it("end with what was still open in them, after an interruption and a crash", () => {
    const request = [started(), said("Hi"), ...asked]
    const interrupted: Settled = { ...crashed, reason: { _tag: "Interrupted" } }
    expect(outline(spans([...request, { _tag: "Interrupted", why: "Esc" }, interrupted]))).toEqual([
      "chat model 3-5 | invoke_agent dacapo | Interrupted",
      "invoke_agent dacapo 1-5 |  | interrupted"
    ])
    expect(outline(spans([...request, resumed(false), crashed]))).toEqual([
      "chat model 3-5 | invoke_agent dacapo | Crashed",
      "invoke_agent dacapo 1-5 |  | crashed"
    ])
    expect(outline(spans([...request, resumed(true), crashed, ...asked, answered([]), { _tag: "TaskFinished", result: "" }]))).toEqual([
      "chat model 3-5 | invoke_agent dacapo | Crashed",
      "chat model 7-8 | invoke_agent dacapo",
      "invoke_agent dacapo 1-9"
    ])
    expect(spans([started(), resumed(false), said("Hi"), { _tag: "TaskFinished", result: "" }]).map(({ attributes }) => attributes["error.type"])).toEqual([undefined])
  })

  it("begin anew for a queued message, and for a call that never ran have no length", () => {
    expect(outline(spans([started(), said("One"), said("Two", "queue"), { _tag: "TaskFinished", result: "" }, { _tag: "TaskFailed", reason: "turns", message: "" }]))).toEqual([
      "invoke_agent dacapo 1-3",
      "invoke_agent dacapo 3-4 |  | turns"
    ])
    expect(outline(spans([started(), said("Hi"), ...asked, answered([call("c1")]), finished("c1", { status: "denied" }), { _tag: "TaskFinished", result: "" }])))
      .toContain("execute_tool read_file 5-5 | invoke_agent dacapo | denied")
  })

  it("of a fork begin where it does", () => {
    const fork: Settled = { ...started(), _tag: "SessionStarted", origin: { id: "s1", seq: 9, hash: "" } } as Settled
    expect(outline(spans([...task, fork, said("Again"), { _tag: "TaskFinished", result: "" }]))).toEqual(["invoke_agent dacapo 12-13"])
  })

  it("belong to the span that TRACEPARENT names, if it is valid", () => {
    const parent = TraceContext.parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")!
    expect(spans(task, { parent }).at(-1)).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331" })
    expect(new Set(spans(task, { parent }).map(({ traceId }) => traceId)).size).toBe(1)
    for (const text of ["", "00-0-0-0", `00-${"0".repeat(32)}-b7ad6b7169203331-01`, "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"]) {
      expect(TraceContext.parse(text)).toBeUndefined()
    }
  })
})
