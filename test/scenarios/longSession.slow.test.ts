/**
 * A session of 300 turns in a window of 64K: what the user said first is there at the end, nothing overflows, and the
 * provider's cache would have held. The same figures for an agent that drops the oldest messages instead.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as WindowBudget from "../../src/domain/context/WindowBudget.ts"
import * as Tokens from "../../src/domain/context/Tokens.ts"
import type { Message } from "../../src/domain/message/Message.ts"
import type { ModelRequest } from "../../src/domain/provider/ModelRequest.ts"
import * as Session from "../../src/domain/session/Session.ts"
import * as Test from "../../src/layers/Test.ts"
import * as MemoryWorkspace from "../../src/layers/testing/MemoryWorkspace.ts"
import * as ScriptedProvider from "../../src/layers/testing/ScriptedProvider.ts"
import { Provider } from "../../src/services/Provider.ts"
import { events, of, replays, run } from "../layers/agent/world.ts"
import { source } from "../domain/context/long.ts"

const constraints = [
  "Never touch the folder vendor/.",
  "All new functions take `readonly` arrays.",
  "Say \"checked\" only after the tests ran.",
  "Ümlauts in names stay as they are: größe, naïve, 名前."
]
const prompt = `Rewrite the parser.\n\n${constraints.map((one, i) => `${i + 1}. ${one}`).join("\n")}`

const length = 300
const path = (i: number) => `src/file${i % 23}.ts`
const files = MemoryWorkspace.files(Object.fromEntries(Array.from({ length: 23 }, (_, i) => [path(i), source(60 + i * 9, i)])))

/** Reads, searches, edits and test runs in turn, as an agent does that rewrites something. */
const turns: ReadonlyArray<ScriptedProvider.Turn> = [
  ...Array.from({ length }, (_, i): ScriptedProvider.Turn => ({
    text: `Step ${i}.`,
    calls: i % 5 === 3
      ? [{ name: "write_file", params: { path: path(i), content: source(50 + i % 40, i) } }]
      : i % 5 === 4
      ? [{ name: "run_command", params: { command: "npm test" } }]
      : [{ name: "read_file", params: { path: path(i) } }]
  })),
  { text: "Done." }
]

/** An agent whose provider's requests are kept. */
const world = (requests: Array<ModelRequest>) => {
  const scripted = ScriptedProvider.layer(turns, { window: 64_000, maxOutput: 8_000 }, { text: "## Goal\nRewrite the parser.\n## Files and their state\nSome are rewritten.\n## Next step\nGo on." })
  const kept = Layer.effect(Provider, Effect.map(Provider, (provider) => Provider.of({
    ...provider,
    stream: (prepared) => {
      if (prepared.request.purpose === undefined) requests.push(prepared.request)
      return provider.stream(prepared)
    }
  }))).pipe(Layer.provide(scripted))
  const said = Array.from({ length: 80 }, (_, i) => `  ok ${i} parses the line and gives each token back`).join("\n")
  return Test.layer({
    commands: { "npm test": { output: `${said}\n1 failed\n`, code: 1 } },
    files,
    provider: kept
  })
}

/** Tokens of a request, and of the beginning that it has in common with the one before. */
const shared = (request: ReadonlyArray<Message>, before: ReadonlyArray<Message>, fixed: number) => {
  const same = request.findIndex((message, i) => before[i] === undefined || JSON.stringify(message) !== JSON.stringify(before[i]))
  const count = (messages: ReadonlyArray<Message>) => fixed + Tokens.ofMessages(messages).tokens
  return { input: count(request), cached: count(same === -1 ? request : request.slice(0, same)) }
}

const rate = (list: ReadonlyArray<{ readonly input: number; readonly cached: number }>) =>
  list.reduce((sum, { cached }) => sum + cached, 0) / list.reduce((sum, { input }) => sum + input, 0)

/** What the peer sends: as many of the newest messages as fit, beginning with one of the user's. */
const naive = (messages: ReadonlyArray<Message>, room: number): ReadonlyArray<Message> => {
  let from = 0
  while (from < messages.length - 1 && (Tokens.ofMessages(messages.slice(from)).tokens > room || messages[from]!.role === "assistant")) from++
  return messages.slice(from)
}

describe("300 turns in a window of 64K", () => {
  const requests: Array<ModelRequest> = []

  it.effect("keep every constraint, overflow nowhere, and hold the cache", () =>
    Effect.gen(function*() {
      const { id, session } = yield* run(prompt, { mode: "bypassPermissions" })
      assert.strictEqual(session.task.state, "finished")
      assert.strictEqual(requests.length, length + 1)
      const log = yield* events(id)
      assert.deepStrictEqual(of(log, "ModelFailed"), [])
      const usable = WindowBudget.usable({ window: 64_000 })
      assert.isTrue(of(log, "ContextPlanned").every(({ tokens }) => tokens <= usable))
      const last = JSON.stringify(requests.at(-1)!.messages)
      for (const constraint of constraints) assert.include(last, JSON.stringify(constraint).slice(1, -1))

      const { system, tools } = requests[0]!
      const fixed = Tokens.ofText(system) + Tokens.ofTools(tools)
      const afterCompaction = new Set(log.flatMap(({ event }, i) =>
        event._tag === "ModelRequested" && log[i - 2]?.event._tag === "ContextCompacted" ? [of(log.slice(0, i), "ModelRequested").length] : []))
      const ours = requests.slice(1).map(({ messages }, i) => shared(messages, requests[i]!.messages, fixed))
      const outside = ours.filter((_, i) => !afterCompaction.has(i + 1))
      assert.isAbove(rate(outside), 0.9)

      // The peer sees the same conversation, of which nothing was ever compacted.
      const whole = log.filter(({ event }) => event._tag !== "ContextCompacted").reduce(Session.apply, Session.empty).messages
      const sent = whole.flatMap(({ role }, i) => role === "assistant" ? [naive(whole.slice(0, i), usable - fixed)] : [])
      const theirs = sent.slice(1).map((messages, i) => shared(messages, sent[i]!, fixed))
      const kept = constraints.filter((constraint) => JSON.stringify(sent.at(-1)).includes(JSON.stringify(constraint).slice(1, -1)))
      const percent = (part: number) => `${(100 * part).toFixed(1)}%`
      const total = (list: typeof ours) => `${Math.round(list.reduce((sum, { cached, input }) => sum + input - cached, 0) / 1000)}k`
      console.log([
        `300 turns, 64K: ${constraints.length} of ${constraints.length} constraints at the end, ${percent(rate(outside))} of input cached outside ${afterCompaction.size} compactions, ${percent(rate(ours))} in all, ${total(ours)} tokens uncached`,
        `naive truncation: ${kept.length} of ${constraints.length} constraints at the end, ${percent(rate(theirs))} of input cached, ${total(theirs)} tokens uncached`
      ].join("\n"))
      yield* replays(id)
    }).pipe(Effect.provide(world(requests))))
})
