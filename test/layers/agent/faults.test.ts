/** The corpus of provider faults, each row as a whole task over real HTTP: what the task makes of it, and that it goes on. */
import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as TestClock from "effect/testing/TestClock"
import corpus from "../../corpora/provider-faults.json" with { type: "json" }
import type { ProviderReason } from "../../../src/domain/provider/ProviderError.ts"
import type { Session } from "../../../src/domain/session/Session.ts"
import type { SessionEvent } from "../../../src/domain/session/SessionEvent.ts"
import { anthropic } from "../../../src/layers/testing/servers/anthropic.ts"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import type { Wire } from "../../../src/layers/testing/servers/Wire.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { begin, events, of, replays, until } from "./world.ts"
import { flying, key, layer } from "./wire.ts"

const { Ends, Fails, Hangs, Raw, Resets, Says } = Server.ScriptedResponse

const done = Says({ turn: { text: "Done." } })
const asked = { method: "POST", path: "", headers: {}, text: "", body: {} }
const framesOf = (wire: Wire, turn: Parameters<Wire["frames"]>[0]) => wire.frames(turn, asked)
const sse = (...events: ReadonlyArray<object | string>) => Raw({ parts: events.map((event) => typeof event === "string" ? event : `data: ${JSON.stringify(event)}\n\n`) })
const said = (content: string) => ({ choices: [{ index: 0, delta: { content } }] })
const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
const corpusRows = corpus.rows as ReadonlyArray<{ readonly id: string; readonly name: string; readonly wire: { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string } }>
const row = (id: string) => corpusRows.find((row) => row.id === id)!

/** The answer that a row states. */
const stated = (id: string, more: { readonly headers?: Record<string, string>; readonly body?: unknown } = {}) => {
  const { body, headers = {}, status = 500 } = row(id).wire
  return Fails({ status, headers: { ...headers, ...more.headers }, body: more.body ?? (body?.startsWith("{") === true ? JSON.parse(body) : body ?? "") })
}

interface Expected {
  readonly wire?: "anthropic"
  /** What the server answers before it answers as it should. */
  readonly answers: ReadonlyArray<Server.ScriptedResponse>
  /** Reasons of the retries, and of the failure for good where there is one. */
  readonly retries?: ReadonlyArray<ProviderReason["_tag"]>
  readonly fails?: ProviderReason["_tag"]
  /** The task's result, or words of it. */
  readonly result?: string
  readonly check?: (log: ReadonlyArray<SessionEvent>, session: Session) => void
}

const twice = (id: string): Expected => ({ answers: [stated(id), stated(id)], retries: ["ServerFault", "ServerFault"] })
const tooLong = (id: string, wire?: "anthropic"): Expected => ({
  ...(wire === undefined ? {} : { wire }),
  answers: [stated(id)],
  check: (log) => assert.deepStrictEqual(of(log, "ModelFailed").map(({ reason }) => reason._tag)[0], "ContextOverflow")
})

const claude = (...parts: ReadonlyArray<string | Uint8Array>) => Raw({ parts })
const fragments = (...calls: ReadonlyArray<readonly [id: string, name: string, args: string]>) =>
  sse({ choices: [{ index: 0, delta: { tool_calls: calls.map(([id, name, args], index) => ({ index, id, type: "function", function: { name, arguments: args } })) } }] }, { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] })
const results = (log: ReadonlyArray<SessionEvent>) => of(log, "ToolFinished").map(({ outcome }) => outcome.status)

/** The start of another answer than the server's own. */
const started = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_other\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"

/** A whole answer with these counts. */
const lying = (start: object, end: object) =>
  claude(...framesOf(anthropic, { text: "All" }).map((frame) => {
    const [, before = "", data = "{}"] = /^(event: .*\ndata: )(.*)\n\n$/.exec(String(frame)) ?? []
    const event = JSON.parse(data)
    if (event.type === "message_start") Object.assign(event.message.usage, start)
    if (event.type === "message_delta") Object.assign(event.usage, end)
    return `${before}${JSON.stringify(event)}\n\n`
  }))

const table: Readonly<Record<string, Expected>> = {
  "pf-04": { answers: [stated("pf-04")], fails: "RateLimited", result: "24 h" },
  "pf-07": { answers: [stated("pf-07")], retries: ["RateLimited"] },
  "pf-08": {
    wire: "anthropic",
    answers: [stated("pf-08", { headers: { date: "Thu, 01 Jan 1970 00:00:00 GMT", "anthropic-ratelimit-tokens-reset": "1970-01-01T00:00:20Z" } })],
    retries: ["RateLimited"],
    check: (log) => assert.isTrue(of(log, "ModelRetrying").every(({ delayMs }) => delayMs > 10_000 && delayMs <= 20_000))
  },
  "pf-12": { wire: "anthropic", answers: [stated("pf-12")], retries: ["Overloaded"] },
  "pf-15": twice("pf-15"),
  "pf-16": twice("pf-16"),
  "pf-18": twice("pf-18"),
  "pf-22": {
    answers: [stated("pf-22", { body: `<html><title>Broken</title>${"x".repeat(2_000_000)}` })],
    retries: ["ServerFault"],
    check: (log) => assert.isTrue(of(log, "ModelRetrying").every(({ message }) => message.length < 700))
  },
  "pf-26": { answers: [Resets()], retries: ["Connection"] },
  "pf-32": { wire: "anthropic", answers: [stated("pf-32")], fails: "UnknownModel", result: "dacapo models" },
  "pf-33": tooLong("pf-33"),
  "pf-36": tooLong("pf-36"),
  "pf-37": tooLong("pf-37"),
  "pf-38": tooLong("pf-38"),
  "pf-41": tooLong("pf-41"),
  "pf-46": { wire: "anthropic", answers: [stated("pf-46")], fails: "BadRequest", result: "tool_use" },
  "pf-47": { answers: [stated("pf-47")], fails: "BadRequest", result: "max_tokens" },
  "pf-49": { wire: "anthropic", answers: [claude(...framesOf(anthropic, { text: "So far" }).slice(0, 4), "data: {\"type\":\"content_block_delta\",\"delta\":{\"te")], retries: ["StreamBroken"] },
  "pf-51": { wire: "anthropic", answers: [Ends({ turn: { text: "A long answer that ends early" }, after: 5 })], retries: ["StreamBroken"] },
  "pf-52": {
    answers: [sse(said("All of it"), stop)],
    result: "All of it",
    // A server that counts nothing: what we count is marked, in the event and in the sum.
    check: (log, { usage }) => assert.deepStrictEqual([of(log, "ModelResponded")[0]?.usage.estimated, usage.estimated], [true, true])
  },
  "pf-53": {
    answers: [sse(said("All of it"), "data: [DONE]\n\n")],
    result: "All of it",
    check: (log) => assert.include(of(log, "ModelResponded")[0]?.warnings.join(), "without a stop reason")
  },
  "pf-54": { answers: [Raw({ parts: ["data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"5 ", Uint8Array.from([0xe2, 0x82]), Uint8Array.from([0xac]), "\"}}]}\n\n", `data: ${JSON.stringify(stop)}\n\n`] })], result: "5 €" },
  "pf-55": { answers: [Raw({ parts: ["data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"5 \"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"", Uint8Array.from([0xe2, 0x82])] })], retries: ["StreamBroken"] },
  "pf-57": { answers: [Raw({ parts: [`\ufeff${[said("All"), stop].map((event) => `data: ${JSON.stringify(event)}\r`).join("\n\r")}`, "\n\r\n"] })], result: "All" },
  "pf-58": { answers: [sse(": OPENROUTER PROCESSING\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n", said("All"), stop)], result: "All" },
  "pf-59": { answers: [Raw({ parts: [`data: {\ndata: "choices":[{"index":0,"delta":{"content":"All"}}]}\n\n`, `data: ${JSON.stringify(stop)}\n\n`] })], result: "All" },
  "pf-61": { answers: [sse(said("ha"), said("ha"), stop)], result: "haha" },
  "pf-62": {
    answers: [fragments(["one", "read_file", "{\"path\":\"a.txt\"}"], ["one", "read_file", "{\"path\":\"a.txt\"}"])],
    check: (log) => {
      const ids = of(log, "ToolFinished").map(({ call }) => call)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.strictEqual(ids.length, 2)
    }
  },
  "pf-66": { wire: "anthropic", answers: [claude("event: something_new\ndata: {\"type\":\"something_new\"}\n\n", ...framesOf(anthropic, { text: "All" }))], result: "All" },
  "pf-68": { wire: "anthropic", answers: [claude(...framesOf(anthropic, { text: "So far" }).slice(0, 4), "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")], retries: ["Overloaded"] },
  "pf-69": { answers: [sse(said("So far"), { error: { code: 502, message: "upstream" } })], retries: ["ServerFault"] },
  "pf-71": { wire: "anthropic", answers: [Says({ turn: {} })], retries: ["EmptyAnswer"] },
  "pf-75": { answers: [fragments(["one", "read_file", ""])], check: (log) => assert.deepStrictEqual(results(log), ["failed"]) },
  "pf-77": { answers: [Says({ turn: { calls: [{ name: "does_not_exist", params: {} }] } })], check: (log) => assert.include(JSON.stringify(of(log, "ToolFinished")[0]?.outcome.content), "read_file") },
  "pf-80": { answers: [sse(said("All"), stop, { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })], result: "All", check: (log) => assert.strictEqual(of(log, "ModelResponded")[0]?.usage.input, 7) },
  "pf-81": {
    wire: "anthropic",
    answers: [claude(...framesOf(anthropic, { text: "All" }).slice(0, -2), "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":5}}\n\n", "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n", "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")],
    result: "All",
    check: (log) => assert.strictEqual(of(log, "ModelResponded")[0]?.usage.output, 9)
  },
  "pf-83": { answers: [Raw({ parts: ["data: ", ...Array.from({ length: 64 }, () => "a".repeat(1024 * 1024))] })], fails: "BadAnswer", result: "16 MB" },
  "pf-85": { answers: [Hangs({ turn: { text: "x" }, after: 0 })], retries: ["Idle"] },
  "pf-89": { answers: [Raw({ parts: framesOf(openAiChat, { text: "All" }), headers: { "content-encoding": "gzip" } })], retries: ["BadAnswer"] },
  "pf-90": { answers: [sse([...Array.from({ length: 10_000 }, () => said("a")), stop].map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))], result: "a".repeat(10_000) },
  "pf-92": { answers: [stated("pf-92")], fails: "BadRequest", result: "Redirects are not followed" },
  "pf-101": { wire: "anthropic", answers: [stated("pf-101")], fails: "BadRequest", result: "Your plan has no access to this model tier." },
  "pf-102": { answers: [stated("pf-102")], fails: "BadRequest", result: "Your plan has no access to this model tier." },
  "pf-103": { answers: [Raw({ parts: [row("pf-103").wire.body!], headers: row("pf-103").wire.headers! })], fails: "BadRequest", result: "Your plan has no access to this model tier." },
  "pf-104": { answers: [stated("pf-104")], retries: ["Overloaded"] },
  "pf-105": { answers: [Raw({ parts: [row("pf-105").wire.body!], headers: row("pf-105").wire.headers! })], fails: "BadAnswer", result: "web page" },
  "pf-106": { wire: "anthropic", answers: [Raw({ parts: [row("pf-106").wire.body!] })], fails: "BadAnswer", result: "web page" },
  "pf-107": {
    answers: [stated("pf-107")],
    retries: ["RateLimited"],
    check: (log) => assert.deepStrictEqual(of(log, "ModelRetrying").map(({ reason }) => reason), [{ _tag: "RateLimited", retryAfterMs: 20_000 }])
  },
  "pf-108": { wire: "anthropic", answers: [claude(...framesOf(anthropic, { text: "First" }).slice(0, 4), started, ...framesOf(anthropic, { text: "Second" }).slice(1))], retries: ["StreamBroken"] },
  "pf-109": { wire: "anthropic", answers: [claude(started, ...framesOf(anthropic, { text: "All of it" }))], result: "All of it" },
  "pf-110": {
    answers: [sse(said("So far"), { error: { message: "Failed to call a function.", type: "invalid_request_error", code: "tool_use_failed", status_code: 400 } })],
    fails: "BadRequest",
    result: "returned 400: Failed to call a function."
  },
  "pf-111": {
    wire: "anthropic",
    answers: [Says({ turn: { reasoning: "I could say it, but I only think it." } })],
    check: (log) => assert.match(of(log, "Reminded").map(({ text }) => text).join(), /^Your last response contained only reasoning/)
  },
  "pf-112": { answers: [Raw({ parts: Array.from({ length: 80 }, () => `data: ${JSON.stringify(said("and so on ".repeat(100_000)))}\n\n`) })], fails: "BadAnswer", result: "which was cut off" },
  "pf-113": { answers: [sse(said("So far"), `data: {"choices":[${"[".repeat(20_000)}${"]".repeat(20_000)}]}\n\n`)], fails: "BadAnswer", result: "nested too deeply" },
  "pf-114": {
    wire: "anthropic",
    answers: [lying({ input_tokens: -90_000 }, { output_tokens: 1.5 })],
    result: "All",
    check: (log, { cost, usage }) => {
      const [first] = of(log, "ModelResponded")
      assert.isTrue(usage.estimated === true && usage.input > 0 && usage.output > 0 && cost > 0)
      assert.match(first!.warnings.join(), /no token counts, or implausible ones/)
    }
  }
}

/** Rows that are told below, or where their own words say. */
const elsewhere: Readonly<Record<string, string>> = {
  "pf-13": "a task that is stopped while it waits",
  "pf-14": "sessions of one process",
  "pf-27": "a connection that was idle",
  "pf-43": "a local server that cuts the prompt (test/layers/provider/faults.test.ts)",
  "pf-98": "an answer that breaks because the user stopped it (RequestFailures.test.ts)"
}

describe("a provider's fault", () => {
  it("is in the table for every row of the corpus", () =>
    expect([...Object.keys(table), ...Object.keys(elsewhere)].sort()).toEqual(corpusRows.map(({ id }) => id).sort()))

  for (const [id, { answers, check, fails, result = "Done.", retries = [], wire }] of Object.entries(table)) {
    it.effect(`${id}: ${row(id).name}`, () =>
      Effect.gen(function*() {
        const server = yield* Server.start(wire === undefined ? openAiChat : anthropic, (_, place) => answers[place] ?? done)
        yield* Effect.gen(function*() {
          const agent = yield* Agent
          const session = yield* begin({ model: wire === undefined ? "openai-chat/gpt-4.1" : "anthropic/claude-sonnet-4-5", onAsk: "deny" })
          yield* agent.say(session, "Go")
          const ended = yield* flying(agent.settled(session))
          const log = yield* events(session)
          if (!of(log, "ModelFailed").some(({ reason }) => reason._tag === "ContextOverflow")) {
            expect([of(log, "ModelRetrying").map(({ reason }) => reason._tag), of(log, "ModelFailed").map(({ reason }) => reason._tag)])
              .toEqual([retries, fails === undefined ? [] : [fails]])
            expect(ended.task.state, ended.task.result).toBe(fails === undefined ? "finished" : "failed")
            expect(ended.task.result).toContain(result)
          }
          check?.(log, ended)
          expect(JSON.stringify(log)).not.toContain(key)
          // The session goes on, with a history that the server accepts.
          yield* agent.say(session, "And now?")
          expect((yield* flying(agent.settled(session))).task, id).toMatchObject({ state: "finished", result: "Done." })
          expect(server.refused).toEqual([])
          yield* replays(session)
        }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
      }))
  }
})

describe("a task that is stopped while it waits", () => {
  it.effect("stops at once, and asks no more", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, () => stated("pf-13"))
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const id = yield* begin({ model: "openai-chat/gpt-4.1" })
        yield* agent.say(id, "Go")
        yield* until(id, "ModelRetrying")
        yield* agent.interrupt(id, "Esc")
        expect((yield* agent.settled(id)).task.state).toBe("interrupted")
        yield* TestClock.adjust("10 minutes")
        expect(server.requests.length).toBe(1)
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
    }))
})

describe("sessions of one process", () => {
  it.effect("that meet one limit wait together: one is told of it, and after the pause they go one by one", () =>
    Effect.gen(function*() {
      const limit = Fails({ status: 429, headers: { "retry-after": "5" }, body: "slow down" })
      const server = yield* Server.start(openAiChat, (_, place) => place < 5 ? limit : done)
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const ids = yield* Effect.forEach([1, 2, 3, 4, 5], () => begin({ model: "openai-chat/gpt-4.1" }))
        yield* Effect.forEach(ids, (id) => agent.say(id, "Go"))
        // All five have been refused before any time passes.
        yield* Effect.suspend(() => server.requests.length < 5 ? Effect.fail("not yet") : Effect.void).pipe(
          Effect.tapError(() => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))),
          Effect.retry(Schedule.forever)
        )
        yield* flying(Effect.forEach(ids, agent.settled))
        const logs = yield* Effect.forEach(ids, events)
        expect(logs.flatMap((log) => of(log, "ModelRetrying")).length).toBe(1)
        expect(logs.flatMap((log) => of(log, "TaskFinished")).length).toBe(5)
        expect(server.requests.length).toBe(10)
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
    }))

  it.effect("leave an endpoint alone after five failures in a row, and then try with one request", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, (_, place) => place < 5 ? stated("pf-16") : done)
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const id = yield* begin({ model: "openai-chat/gpt-4.1" })
        yield* agent.say(id, "Go")
        expect((yield* flying(agent.settled(id))).task).toMatchObject({ state: "finished", result: "Done." })
        const retries = of(yield* events(id), "ModelRetrying")
        expect(retries.map(({ delayMs }) => delayMs >= 29_000)).toEqual([false, false, false, false, true])
        expect(retries[4]?.message).toContain("pausing 30 s")
        expect(server.requests.length).toBe(6)
        yield* replays(id)
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
    }))
})

describe("a connection that was idle", () => {
  it.effect("and dies when it is used again is replaced in silence", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, (_, place) => place === 1 ? Resets() : done)
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const id = yield* begin({ model: "openai-chat/gpt-4.1" })
        yield* agent.say(id, "Go")
        yield* flying(agent.settled(id))
        yield* agent.say(id, "Again")
        expect((yield* flying(agent.settled(id))).task.state).toBe("finished")
        expect(of(yield* events(id), "ModelRetrying")).toEqual([])
        expect(server.requests.length).toBe(3)
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
    }))

  it.effect("is reported if it dies again", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, (_, place) => place === 1 || place === 2 ? Resets() : done)
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const id = yield* begin({ model: "openai-chat/gpt-4.1" })
        yield* agent.say(id, "Go")
        yield* flying(agent.settled(id))
        yield* agent.say(id, "Again")
        expect((yield* flying(agent.settled(id))).task.state).toBe("finished")
        expect(of(yield* events(id), "ModelRetrying").map(({ reason }) => reason._tag)).toEqual(["Connection"])
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
    }))
})

describe("how long silence may last", () => {
  it.effect("is a setting of the user's", () =>
    Effect.gen(function*() {
      const server = yield* Server.start(openAiChat, (_, place) => place === 0 ? Hangs({ turn: { text: "x" }, after: 0 }) : done)
      yield* Effect.gen(function*() {
        const agent = yield* Agent
        const id = yield* begin({ model: "openai-chat/gpt-4.1" })
        yield* agent.say(id, "Go")
        yield* flying(agent.settled(id))
        expect(of(yield* events(id), "ModelRetrying").map(({ reason, message }) => [reason, message])).toEqual([[{ _tag: "Idle", afterMs: 7_000 }, "openai-chat sent nothing for 7 s."]])
      }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1`, providers: { "openai-chat": { timeout: 7 } } })))
    }))
})
