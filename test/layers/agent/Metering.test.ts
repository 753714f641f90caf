/** What servers say that their answers weigh, over real HTTP: a budget is kept whatever they say, and a log always ends. */
import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openAiChat } from "../../../src/layers/testing/servers/openAiChat.ts"
import * as Server from "../../../src/layers/testing/servers/Server.ts"
import { Agent } from "../../../src/services/Agent.ts"
import { begin, events, of, replays } from "./world.ts"
import { flying, layer } from "./wire.ts"

const { Raw } = Server.ScriptedResponse

/** A call, each time of another file, and a text of some length; with these counts, or none. */
const answer = (place: number, usage: object | undefined, text = "") =>
  Raw({
    parts: [
      { choices: [{ index: 0, delta: { content: text } }] },
      { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: `c${place}`, type: "function", function: { name: "read_file", arguments: JSON.stringify({ path: `${place}.txt` }) } }] } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }], ...(usage === undefined ? {} : { usage }) }
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  })

const budget = 0.05
/** USD of an output token of gpt-4.1. */
const perToken = 8 / 1_000_000
const turns = 12
const limits = { turns, mistakes: 100, repeats: 3, usd: budget }

const task = (usage: object | undefined, text?: string) =>
  Effect.gen(function*() {
    const server = yield* Server.start(openAiChat, (_, place) => answer(place, usage, text))
    return yield* Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* begin({ model: "openai-chat/gpt-4.1", onAsk: "deny", limits })
      yield* agent.say(id, "Go")
      const session = yield* flying(agent.settled(id))
      const log = yield* events(id)
      yield* replays(id)
      return { session, log, requests: server.requests.length, warned: of(log, "ModelResponded").map(({ warnings }) => warnings.length) }
    }).pipe(Effect.provide(layer({ baseUrl: `${server.url}/v1` })))
  })

const lies: ReadonlyArray<readonly [what: string, usage: object | undefined, text?: string]> = [
  ["negative counts", { prompt_tokens: -1_000_000, completion_tokens: -500_000 }],
  ["cached tokens below none", { prompt_tokens: 3000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: -1_000_000 } }],
  ["text where a number belongs", { prompt_tokens: "many", completion_tokens: "some" }],
  ["fractions", { prompt_tokens: 0.001, completion_tokens: 0.001 }],
  ["counts beyond any window", { prompt_tokens: 8e15, completion_tokens: 1 }],
  ["no input", { prompt_tokens: 0, completion_tokens: 5 }],
  ["no output for a long answer", { prompt_tokens: 3000, completion_tokens: 0 }, "word ".repeat(2_000)],
  ["no counts", undefined]
]

describe("a server that reports", () => {
  for (const [what, usage, text] of lies) {
    it.effect(`${what} is charged by our own count, and reported to the user once`, () =>
      Effect.gen(function*() {
        const { log, requests, session, warned } = yield* task(usage, text)
        expect(session.task.state).toBe("failed")
        expect(requests).toBeGreaterThan(1)
        expect(session.usage).toMatchObject({ estimated: true })
        expect(session.cost).toBeGreaterThan(0)
        // What was asked for is bounded; a server that writes on beyond it is not.
        expect(session.cost).toBeLessThanOrEqual(budget + (text?.length ?? 0) / 4 * perToken)
        expect(session.budget.spent.usd).toBeGreaterThan(0)
        for (const { usage } of of(log, "ModelResponded")) assert.isTrue(Object.values(usage).every((count) => count === true || (Number.isInteger(count) && Number(count) >= 0)))
        expect(warned).toEqual([1, ...Array.from({ length: warned.length - 1 }, () => 0)])
      }))
  }

  it.effect("what is true is believed, and nobody is warned", () =>
    Effect.gen(function*() {
      const { session, warned } = yield* task({ prompt_tokens: 3_000, completion_tokens: 30 })
      expect(session.usage.estimated).toBeUndefined()
      expect(session.usage).toMatchObject({ input: 3_000 * warned.length, output: 30 * warned.length })
      expect(warned.every((count) => count === 0)).toBe(true)
    }))
})
