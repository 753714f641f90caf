import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as StreamJson from "../../src/cli/render/json/StreamJson.ts"
import { SessionEvent } from "../../src/domain/session/SessionEvent.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Acts from "./support/Acts.ts"
import { dacapo, objects } from "./support/Called.ts"
import * as Played from "./support/Played.ts"

const session = "01900000-0000-7000-8000-000000000001"

const task: ReadonlyArray<Played.Act> = [
  Acts.requested,
  { _tag: "Parsed", part: { _tag: "Text", text: "I'll l" } },
  Acts.responded([
    { _tag: "Reasoning", text: "Hm.", model: "demo", signature: "sig" },
    Acts.text("I'll look."),
    Acts.call("c1", "read_file", { path: "a.txt" }),
    Acts.call("c2", "run_command", { command: "rm a.txt" })
  ], "tool_calls"),
  Acts.finished("c1", Outcome.succeeded("1 | hello")),
  Acts.finished("c2", Outcome.denied("Denied.")),
  Acts.requested,
  { _tag: "ModelRetrying", reason: { _tag: "Overloaded" }, message: "Busy.", attempt: 1, delayMs: 500 },
  Acts.responded([Acts.text("It says hello.")]),
  Acts.done("It says hello.")
]

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/

const usage = { input_tokens: 1200, cache_creation_input_tokens: 0, cache_read_input_tokens: 800, output_tokens: 34 }

const assistant = (seq: number, content: ReadonlyArray<object>, stop_reason: string) => ({
  type: "assistant",
  session_id: session,
  uuid: expect.stringMatching(uuid),
  timestamp: new Date(seq * 1_000).toISOString(),
  parent_tool_use_id: null,
  message: { id: `msg_${seq}`, type: "message", role: "assistant", model: "scripted/demo", content, stop_reason, usage }
})

const toolResult = (seq: number, tool_use_id: string, content: string, is_error: boolean) => ({
  type: "user",
  session_id: session,
  uuid: expect.stringMatching(uuid),
  timestamp: new Date(seq * 1_000).toISOString(),
  parent_tool_use_id: null,
  message: { role: "user", content: [{ type: "tool_result", tool_use_id, content, is_error }] }
})

const result = {
  type: "result",
  subtype: "success",
  is_error: false,
  result: "It says hello.",
  exit_code: 0,
  session_id: session,
  uuid: expect.stringMatching(uuid),
  num_turns: 2,
  duration_ms: expect.any(Number),
  duration_api_ms: 3000,
  total_cost_usd: 0.025,
  usage: { input_tokens: 2400, cache_creation_input_tokens: 0, cache_read_input_tokens: 1600, output_tokens: 68 },
  modelUsage: {
    "scripted/demo": { inputTokens: 2400, outputTokens: 68, cacheReadInputTokens: 1600, cacheCreationInputTokens: 0, costUSD: 0.025 }
  },
  permission_denials: [{ tool_name: "run_command", tool_use_id: "c2", tool_input: { command: "rm a.txt" } }],
  structured_output: null,
  stop_reason: "end_turn"
}

describe("the output formats", () => {
  it.effect("stream-json is an init, the messages, and the result", () =>
    Effect.gen(function*() {
      const called = yield* dacapo(["-p", "--output-format", "stream-json", "what does it say?"], { tasks: [task] })
      expect(objects(called)).toEqual([
        {
          type: "system",
          subtype: "init",
          session_id: session,
          uuid: expect.stringMatching(uuid),
          timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
          cwd: process.cwd(),
          model: "scripted/demo",
          permissionMode: "default",
          tools: ["read_file", "run_command"],
          mcp_servers: [],
          apiKeySource: "none",
          slash_commands: ["compact"],
          agents: [],
          skills: [],
          plugins: [],
          output_style: "default",
          claude_code_version: "1.2.3"
        },
        assistant(3, [
          { type: "thinking", thinking: "Hm.", signature: "sig" },
          { type: "text", text: "I'll look." },
          { type: "tool_use", id: "c1", name: "read_file", input: { path: "a.txt" } },
          { type: "tool_use", id: "c2", name: "run_command", input: { command: "rm a.txt" } }
        ], "tool_use"),
        toolResult(4, "c1", "1 | hello", false),
        toolResult(5, "c2", "Denied.", true),
        { type: "system", subtype: "api_retry", session_id: session, uuid: expect.stringMatching(uuid), attempt: 1, delay_ms: 500, error: "Busy." },
        assistant(8, [{ type: "text", text: "It says hello." }], "end_turn"),
        result
      ])
      expect(called).toMatchObject({ exit: 0, stderr: "" })
    }))

  it.effect("stream-json fits every line into 1 MiB: data above the bound is reduced, texts are not", () =>
    Effect.gen(function*() {
      const long = "x".repeat(400_000)
      const play: ReadonlyArray<Played.Act> = [
        Acts.requested,
        Acts.responded([
          Acts.text(`I'll write. ${"y".repeat(300_000)}`),
          Acts.call("c1", "write_file", { path: "a.txt", content: long }),
          Acts.call("c2", "write_file", { path: "b.txt", content: long })
        ], "tool_calls"),
        Acts.finished("c1", Outcome.succeeded("z".repeat(600_000))),
        Acts.finished("c2", Outcome.denied("Denied.")),
        ...Acts.answer("w".repeat(600_000))
      ]
      const called = yield* dacapo(["-p", "--output-format", "stream-json", "write"], { tasks: [play] })
      const lines = called.stdout.trimEnd().split("\n")
      for (const line of lines.filter((line) => !line.includes("www"))) expect(line.length).toBeLessThan(1 << 20)
      const messages = objects(called).flatMap(({ message }) => message === undefined ? [] : [message as { readonly content: ReadonlyArray<any> }])
      const [text, first] = messages[0]!.content
      expect(text.text).toHaveLength(300_012)
      expect(first.input.path).toBe("a.txt")
      expect(first.input.content).toMatch(/^x{200000,}… \d+ more$/)
      expect(messages[1]!.content[0].content).toMatch(/^z{400000,}… \d+ more$/)
      const result = objects(called).at(-1) as { readonly result: string; readonly permission_denials: ReadonlyArray<any> }
      expect(result.result).toHaveLength(600_000)
      expect(result.permission_denials[0].tool_input.content).toHaveLength(400_000)
    }))

  it.effect("a secret is redacted before its text is cut", () =>
    Effect.sync(() => {
      const secret = "sk-ant-api03-abcdefghij"
      const line = { type: "assistant", session_id: session, parent_tool_use_id: null } as const
      const content = [{ type: "tool_use", id: "c", name: "n", input: { text: `${"x".repeat(499_960)}${secret.repeat(9_000)}` } }] as const
      const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 }
      const message = { id: "m", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn", usage } as const
      const written = StreamJson.redactedLine({ ...line, message }, (text) => text.replaceAll(secret, "[R]"))
      expect(written).not.toContain("sk-ant")
      expect(written.length).toBeLessThan(600_000)
    }))

  it.effect("json is only the result", () =>
    Effect.gen(function*() {
      const called = yield* dacapo(["-p", "--output-format=json", "what does it say?"], { tasks: [task] })
      expect(objects(called)).toEqual([result])
    }))

  it.effect("events is the session's own log, line by line", () =>
    Effect.gen(function*() {
      const called = yield* dacapo(["-p", "--output-format", "events", "what does it say?"], { tasks: [task] })
      const events = objects(called).map((object) => Schema.decodeUnknownSync(SessionEvent)(object))
      expect(events.map(({ event, seq }) => [seq, event._tag])).toEqual([
        [0, "SessionStarted"],
        [1, "UserSaid"],
        [2, "ModelRequested"],
        [3, "ModelResponded"],
        [4, "ToolFinished"],
        [5, "ToolFinished"],
        [6, "ModelRequested"],
        [7, "ModelRetrying"],
        [8, "ModelResponded"],
        [9, "TaskFinished"]
      ])
    }))

  it.effect("text is only the response, without terminal control", () =>
    Effect.gen(function*() {
      const called = yield* dacapo(["-p", "say it"], { tasks: [Acts.answer("It is \u001b]0;owned\u0007done.")] })
      expect(called).toEqual({ exit: 0, stdout: "It is done.\n", stderr: "" })
    }))

  it.effect("reports progress on standard error with --verbose", () =>
    Effect.gen(function*() {
      const called = yield* dacapo(["-p", "--verbose", "what does it say?"], { tasks: [task] })
      expect(called.stdout).toBe("It says hello.\n")
      expect(called.stderr).toBe([
        "> what does it say?",
        "… Hm.",
        "I'll look.",
        "✓ Read a.txt",
        "⊘ Run rm a.txt (denied)",
        "· Attempt 1 failed: Busy. Retrying in 500 ms.",
        "It says hello.",
        ""
      ].join("\n"))
    }))
})

describe("a prompt", () => {
  const prompted = (args: ReadonlyArray<string>, stdin?: string) =>
    Effect.map(
      dacapo(["-p", "--output-format", "events", ...args], { tasks: [Acts.answer("ok")], ...(stdin === undefined ? {} : { stdin }) }),
      (called) => objects(called).map(({ event }) => event as { readonly _tag: string; readonly text?: string }).find(({ _tag }) => _tag === "UserSaid")?.text
    )

  it.effect("comes from the arguments, from standard input, or from both", () =>
    Effect.gen(function*() {
      expect(yield* prompted(["fix", "it"])).toBe("fix it")
      expect(yield* prompted([], "fix it\n")).toBe("fix it\n")
      expect(yield* prompted(["-"], "fix it")).toBe("fix it")
      expect(yield* prompted(["review this"], "a diff\n")).toBe("review this\n\n<stdin>\na diff\n</stdin>")
      expect(yield* prompted(["review this"], "")).toBe("review this")
    }))

  it.effect("may contain any character", () =>
    Effect.gen(function*() {
      expect(yield* prompted(["größer 🎉 \u2028 done"])).toBe("größer 🎉 \u2028 done")
    }))
})

describe("an approval in a headless run", () => {
  const question = {
    call: Acts.call("c1", "run_command", { command: "npm test" }),
    action: "hash",
    access: [{ _tag: "Command", command: "npm test" }],
    risk: "high",
    reason: "no rule allows npm test"
  } as const

  it.effect("is denied, and standard error names the rule that would allow it", () =>
    Effect.gen(function*() {
      const play = (offer: ReadonlyArray<string>): ReadonlyArray<Played.Act> => [
        { _tag: "Asks", question: { ...question, offer } },
        ...Acts.answer("I may not.")
      ]
      const { stderr } = yield* dacapo(["-p", "test it"], { tasks: [play(["Bash(npm test)"])] })
      expect(stderr).toBe("dacapo: Denied run npm test (no rule allows npm test). To allow it, add --allowedTools \"Bash(npm test)\".\n")
      const narrow = yield* dacapo(["-p", "test it"], { tasks: [play([])] })
      expect(narrow.stderr).toContain("Only a person can approve this; no rule is narrow enough.")
    }))
})
