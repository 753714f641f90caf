/**
 * A provider whose model does one thing or another and stops after some responses. Its requests pass the real pipeline with its
 * circuit breaker and its gate. Attempts fail before, within and after a response.
 */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Chunk } from "../../../domain/message/Chunk.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import { ProviderError, type ProviderReason } from "../../../domain/provider/ProviderError.ts"
import * as Script from "../../../domain/provider/Script.ts"
import * as Usage from "../../../domain/session/Usage.ts"
import type { Connection, Route } from "../../../services/Route.ts"
import * as BodyBytes from "../../provider/BodyBytes.ts"
import * as PlayScript from "../../provider/routes/PlayScript.ts"
import { unpairedCall } from "../ScriptedProvider.ts"
import type { Dice } from "./Dice.ts"
import type { Life } from "./Life.ts"
import type { World } from "./World.ts"

/** The name of the model, as sessions request it. */
export const modelName = "simulated/model"

const price = { input: 3, output: 15 }

/** Chunks of a response, at most: a response may be long in text and short in steps. */
const chunkSize = 60

const failures: ReadonlyArray<ProviderReason> = [
  { _tag: "Overloaded" },
  { _tag: "Overloaded", retryAfterMs: 4_000 },
  { _tag: "RateLimited" },
  { _tag: "RateLimited", retryAfterMs: 20_000 },
  { _tag: "ServerFault" },
  { _tag: "Connection" },
  { _tag: "BadRequest" },
  { _tag: "BadAnswer" },
  { _tag: "ContextOverflow" },
  { _tag: "Idle", afterMs: 300_000 }
]

const connection: Connection = {
  encode: PlayScript.encode,
  describe: (id) =>
    Effect.succeed({ ...Script.model(id, { turns: [], model: { price, maxOutput: 4_000, window: 24_000 } }), provider: "simulated" }),
  send: () => Stream.empty
}

/** The route of a replay: it encodes requests, and responds to none. */
export const silentRoute: Route = {
  name: "simulated",
  title: "A simulated provider",
  wire: "script",
  keys: [],
  baseUrl: "https://simulated.invalid",
  local: true,
  connect: () => connection
}

/** A call as the model writes it. */
export type Call = NonNullable<Script.Turn["calls"]>[number]

/** Makes a call: from numbers of the model's own, and `name`, which is another one each time. */
export type MakeCall = (dice: Dice, name: number) => Call

/** `ownCalls` are calls of tools that the world does not have by itself. */
export const route = (world: World, life: Life, ownCalls: ReadonlyArray<MakeCall> = []): Route => {
  const { journal, monitors, plan, violations } = world
  const dice = world.dice("model")
  const { below, chance, pick } = dice

  const task = () => ({ prompt: `Part ${world.nextName()}.`, name: "part", ...(chance(0.5) ? { mode: "edit" } : {}) })
  const command = () => `charge ${world.nextName()}`
  const file = () => pick(["a.txt", "b.txt", "src/c.ts"])
  const calls: ReadonlyArray<() => Call> = [
    ...ownCalls.map((make) => () => make(dice, world.nextName())),
    () => ({ name: "run_command", params: { command: command(), timeout: 1 } }),
    () => ({ name: "run_command", params: { command: command(), timeout: pick([1, 2, 2, 20]) } }),
    () => ({ name: "run_command", params: { command: command(), background: true } }),
    () => ({ name: "read_file", params: { path: file() } }),
    () => ({ name: "read_file", params: { path: file() } }),
    () => ({ name: "list_files", params: { path: "." } }),
    () => ({ name: "write_file", params: { path: `new${below(4)}.txt`, content: `new #${world.nextName()}#\n` } }),
    () => ({
      name: "edit_file",
      params: { path: "b.txt", old_text: `slot ${below(12)}: free`, new_text: `taken #${world.nextName()}#` }
    }),
    () => ({ name: "update_todo", params: { items: [{ text: "a step", state: pick(["pending", "done"]) }] } }),
    () => ({ name: "ask_user", params: { question: "Shall I?" } }),
    () => ({ name: "delegate", params: { tasks: Array.from({ length: 1 + below(3) }, task) } })
  ]

  const turn = (request: ModelRequest): Script.Turn => {
    const text = "word ".repeat(1 + below(30))
    if (request.purpose !== undefined || Script.place(request) >= 1 + below(4)) return { text, chunkSize }
    return chance(0.85) ? { text, chunkSize, calls: Array.from({ length: 1 + below(3) }, () => pick(calls)()) } : { text, chunkSize }
  }

  const usage = (isFinal: boolean): Chunk => ({
    _tag: "Usage",
    usage: { input: 300 + below(300), output: isFinal ? 50 + below(300) : 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
    final: isFinal
  })

  const charge = (chunk: Chunk): void => {
    if (chunk._tag !== "Usage" || !chunk.final) return
    journal.charged.usd += Usage.cost(chunk.usage, price)
    journal.charged.tokens += Usage.inputTotal(chunk.usage) + chunk.usage.output
  }

  const failed = (reason: ProviderReason) =>
    Stream.fail(new ProviderError({ provider: "simulated", message: `Fails with ${reason._tag}.`, reason }))

  /** A tool call that no tool understands: cut arguments, a name that does not exist. */
  const malformed = (chunks: ReadonlyArray<Chunk>): ReadonlyArray<Chunk> =>
    chunks.flatMap((chunk): ReadonlyArray<Chunk> =>
      chunk._tag === "ToolCallArgs" ? [{ ...chunk, text: chunk.text.slice(1, -1) }]
        : chunk._tag === "ToolCallStart" && chance(0.3) ? [{ ...chunk, name: `${chunk.name}_2` }]
        : [chunk]
    )

  const respond = (request: ModelRequest): Stream.Stream<Chunk, ProviderError> => {
    const failure = plan.strike("model failed")
    if (failure !== undefined) return failed(failure.pick(failures))
    if (plan.strike("model response empty") !== undefined) return Stream.succeed(usage(true))
    const chunks = Script.chunks(turn(request), request).map((chunk) => chunk._tag === "Usage" ? usage(true) : chunk)
    const response = [usage(false), ...plan.strike("model call malformed") === undefined ? chunks : malformed(chunks)]
    const slow = plan.strike("model slow")
    const pauseMs = slow === undefined ? 1 + below(20) : 100 + slow.below(3_000)
    const cut = plan.strike("model response cut")
    const sent = cut === undefined ? response : response.slice(0, cut.below(response.length))
    const stream = Stream.fromIterable(sent).pipe(
      Stream.rechunk(1),
      // What is on its way arrives, even where the process was stopped meanwhile.
      Stream.tap((chunk) => life.connected(Effect.andThen(Effect.sleep(pauseMs), Effect.sync(() => charge(chunk)))))
    )
    return cut === undefined ? stream : Stream.concat(stream, failed({ _tag: "StreamBroken" }))
  }

  /** What must hold when a request is sent: it is in a log already, and each of its calls has one result. */
  const check = (body: Schema.Json, request: ModelRequest): void => {
    journal.requests++
    const { digest } = BodyBytes.of(body)
    if (![...monitors.values()].some((monitor) => monitor.openRequests().has(digest))) violations.push("a request is sent that no log has")
    const unpaired = unpairedCall(request)
    if (unpaired !== undefined) violations.push(unpaired)
  }

  return {
    ...silentRoute,
    connect: () => ({
      ...connection,
      send: (body, { request }) =>
        Stream.unwrap(life.alive(Effect.sync(() => {
          check(body, request)
          return respond(request)
        })))
    })
  }
}
