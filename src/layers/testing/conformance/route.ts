/**
 * The contract of every route to a server, as cases that any test runner can run against a scripted server of its wire. A route
 * without a server is a provider like any other: see the suite of Provider.
 *
 *     for (const { name, run } of RouteConformance.cases(myRoute, wire)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Chunk, StopReason } from "../../../domain/message/Chunk.ts"
import type { Content, Message } from "../../../domain/message/Message.ts"
import * as Catalogue from "../../../domain/provider/Catalogue.ts"
import type { Model } from "../../../domain/provider/Model.ts"
import type { ModelRequest } from "../../../domain/provider/ModelRequest.ts"
import type { ProviderError } from "../../../domain/provider/ProviderError.ts"
import type { ToolSpec } from "../../../domain/tool/ToolSpec.ts"
import { Environment } from "../../../services/Environment.ts"
import { Provider } from "../../../services/Provider.ts"
import type { Route } from "../../../services/Route.ts"
import * as ProviderLive from "../../provider/ProviderLive.ts"
import { collect } from "../CollectResponse.ts"
import * as Server from "../servers/Server.ts"
import type { ScriptedTurn, Wire } from "../servers/Wire.ts"

/** One promise of every route; the effect fails if it is broken. */
export interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, ProviderError>
}

const { Breaks, Ends, Fails, Hangs, Resets, Says } = Server.ScriptedResponse
const respondWith = (turn: ScriptedTurn) => Says({ turn })

/** A key that no error, log or chunk may ever show. */
export const key = "test-key-4f9a1c77e2"

/** The variables in which clouds configure parts of their addresses. */
export const cloudLocations = { GOOGLE_CLOUD_PROJECT: "some-project", GOOGLE_CLOUD_LOCATION: "europe-west1", AWS_REGION: "eu-central-1" }

/** An environment with only these variables. */
export const environment = (variables: Readonly<Record<string, string>>): Layer.Layer<Environment> =>
  Layer.succeed(Environment, {
    variables,
    folders: { home: "", config: "", data: "", state: "", cache: "" },
    platform: "linux",
    version: "0"
  })

const text = (text: string): Content => ({ _tag: "Text", text })
const user = (...content: ReadonlyArray<Content>): Message => ({ role: "user", content })
const assistant = (...content: ReadonlyArray<Content>): Message => ({ role: "assistant", content })

/** A tool that requests of the suite name. */
export const tool = (name: string): ToolSpec => ({
  name,
  description: `Does ${name}.`,
  params: [{ name: "path", description: "Which file.", required: true, raw: false }],
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"], additionalProperties: false },
  aliases: []
})

/** A request of the suite. */
export const request = (messages: ReadonlyArray<Message>, overrides: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are a careful engineer.",
  messages,
  tools: [tool("read_file"), tool("run_command")],
  maxTokens: 1000,
  ...overrides
})
const hello = request([user(text("Hello"))])

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

/** A server with these responses and the provider connected to it. */
const withServer = <A>(
  route: Route,
  wire: Wire,
  responses: ReadonlyArray<Server.ScriptedResponse>,
  use: (provider: Provider["Service"], model: Model, server: Server.Server) => Effect.Effect<A, ProviderError, Scope.Scope>
): Effect.Effect<A, ProviderError> =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* Server.start(wire, responses)
    const variables = { ...cloudLocations, ...(route.keys[0] === undefined ? {} : { [route.keys[0]]: key }) }
    const live = ProviderLive.layer({ routes: [route], baseUrl: `${server.url}/v1` }).pipe(Layer.provide(environment(variables)))
    return yield* Effect.gen(function*() {
      const provider = yield* Provider
      const id = Catalogue.models(route.catalogue ?? route.name).find(({ nativeTools }) => nativeTools)?.id ?? "some-model"
      const model = yield* provider.describe(`${route.name}/${id}`)
      return yield* use(provider, { ...model, images: true, documents: true }, server)
    }).pipe(Effect.provide(live))
  }))

const send = (provider: Provider["Service"], model: Model, request: ModelRequest): Effect.Effect<ReadonlyArray<Chunk>, ProviderError> =>
  provider.prepare(model, request).pipe(
    Effect.flatMap((prepared) => Stream.runCollect(provider.stream(prepared))),
    Effect.map((chunks) => {
      assert.ok(chunks.every(({ at }, i) => at >= (chunks[i - 1]?.at ?? 0)), "times never go back")
      assert.equal(chunks.at(-1)?.chunk._tag, "Finish", "the last chunk is the finish")
      return chunks.map(({ chunk }) => chunk)
    })
  )

/** A route may request more than the wire's own path; a scripted server has nothing there. */
const assertAccepted = (wire: Wire, server: Server.Server): void => {
  const rules = server.refused.filter((rule) => rule !== "path")
  assert.deepEqual(
    rules,
    [],
    `the route must send requests that ${wire.name} accepts, and pass on their errors; the server refused one by the rule: ${
      rules.join(", ")
    }`
  )
}

const expectError = (provider: Provider["Service"], model: Model): Effect.Effect<ProviderError> =>
  Effect.flip(send(provider, model, hello)).pipe(
    Effect.orDie,
    Effect.tap((error) =>
      Effect.sync(() => assert.ok(!JSON.stringify(error).includes(key) && !error.message.includes(key), "no error shows the key"))
    )
  )

const stopReasons: ReadonlyArray<StopReason> = ["stop", "length", "refusal"]

/** Every promise, for a route on a wire that a scripted server speaks. */
export const cases = (route: Route, wire: Wire): ReadonlyArray<Case> => {
  const responseCase = (
    name: string,
    turn: ScriptedTurn,
    check: (response: ReturnType<typeof collect>) => void,
    modelRequest = hello
  ): Case => ({
    name,
    run: withServer(
      route,
      wire,
      [respondWith(turn)],
      (provider, model, server) =>
        send(provider, model, modelRequest).pipe(
          Effect.map((chunks) => {
            assertAccepted(wire, server)
            check(collect(chunks))
          }),
          Effect.tapError(() => Effect.sync(() => assertAccepted(wire, server)))
        )
    )
  })
  const errorCase = (name: string, response: Server.ScriptedResponse, check: (error: ProviderError) => void): Case => ({
    name,
    run: withServer(route, wire, [response], (provider, model) => expectError(provider, model).pipe(Effect.map(check)))
  })
  const longTurn = { text: "a long answer that comes in several pieces, one after another" }

  return [
    responseCase("streams text", { text: "Grüße, 世界 🌱!" }, ({ finishes, text }) => {
      assert.equal(text, "Grüße, 世界 🌱!")
      assert.deepEqual(finishes.map(({ reason }) => reason), ["stop"])
    }),
    responseCase("streams reasoning before text", { reasoning: "Let me think of it.", text: "Done." }, ({ reasoning, text }) => {
      assert.deepEqual([reasoning, text], ["Let me think of it.", "Done."])
    }),
    responseCase(
      "streams a call",
      { text: "I read.", calls: [{ id: "call_a", name: "read_file", params: { path: "src/ä.ts" } }] },
      ({ calls, finishes }) => {
        assert.deepEqual(calls, [{ id: "call_a", name: "read_file", args: "{\"path\":\"src/ä.ts\"}", ended: true }])
        assert.deepEqual(finishes.map(({ reason }) => reason), ["tool_calls"])
      }
    ),
    ...[false, true].map((interleaved) =>
      responseCase(
        interleaved ? "keeps calls apart whose fragments come mixed" : "streams several calls",
        {
          interleaved,
          calls: [
            { id: "a", name: "read_file", params: { path: "a".repeat(40) } },
            { id: "b", name: "run_command", params: { path: "b" } },
            { id: "c", name: "read_file", params: {} }
          ]
        },
        ({ calls }) =>
          assert.deepEqual(calls.map(({ args, ended, id }) => [id, JSON.parse(args), ended]), [["a", { path: "a".repeat(40) }, true], [
            "b",
            { path: "b" },
            true
          ], ["c", {}, true]])
      )
    ),
    responseCase("gives a second call with one id an id of its own", {
      calls: [{ id: "same", name: "read_file", params: { path: "1" } }, { id: "same", name: "read_file", params: { path: "2" } }]
    }, ({ calls }) => {
      assert.equal(new Set(calls.map(({ id }) => id)).size, calls.length)
    }),
    responseCase(
      "maps tool names back",
      { calls: [{ name: "mcp__files_v2__read_now", params: { path: "x" } }] },
      ({ calls }) => assert.deepEqual(calls.map(({ name }) => name), ["mcp__files.v2__read now"]),
      request(hello.messages, { tools: [tool("mcp__files.v2__read now")] })
    ),
    responseCase(
      "counts tokens, cached ones apart",
      { text: "Counted.", usage: { input: 100, output: 50, cacheRead: 800 } },
      ({ usage }) => {
        assert.deepEqual([usage?.input, usage?.output, usage?.cacheRead], [100, 50, 800])
      }
    ),
    responseCase("takes a count of nothing for none", { text: "Uncounted.", usage: { input: 0, output: 0 } }, ({ usage }) => {
      assert.ok(usage === undefined || usage.output > 0)
    }),
    ...stopReasons.map((stop) =>
      responseCase(`says why it ended: ${stop}`, { text: "As far as it came", stop }, ({ finishes, text }) => {
        assert.deepEqual([text, finishes.map(({ reason }) => reason)], ["As far as it came", [wire.stopReasons?.[stop] ?? stop]])
      })
    ),
    responseCase(
      "sends images of the user and of results",
      { text: "Seen." },
      ({ text }) => assert.equal(text, "Seen."),
      request([
        user(text("Look"), { _tag: "Image", mediaType: "image/png", blob: "p" }),
        assistant({ _tag: "ToolCall", id: "1", name: "read_file", params: { path: "a.png" } }),
        user({
          _tag: "ToolResult",
          id: "1",
          name: "read_file",
          isError: false,
          content: [{ _tag: "Image", mediaType: "image/png", blob: "p" }]
        })
      ], { blobs: new Map([["p", png]]) })
    ),
    responseCase(
      "sends documents",
      { text: "Read." },
      ({ text }) => assert.equal(text, "Read."),
      request([
        user({ _tag: "Document", mediaType: "application/pdf", blob: "d", name: "plan (1).pdf" }),
        assistant(text("Which?")),
        user({ _tag: "Document", mediaType: "text/plain", blob: "t" })
      ], {
        blobs: new Map([["d", "JVBERi0xLjQK"], ["t", "SGVsbG8="]])
      })
    ),
    responseCase(
      "takes up a history with interrupted calls, empty texts, odd ids and another model's thoughts",
      { text: "Going on." },
      ({ text }) => assert.equal(text, "Going on."),
      request([
        user(text("Begin"), text("")),
        assistant({ _tag: "Reasoning", text: "…", model: "other/model", signature: "of another" }, text("  "), {
          _tag: "ToolCall",
          id: "x:y/z ".repeat(20),
          name: "read file",
          params: { path: "a" }
        }, { _tag: "ToolCall", id: "", name: "run_command", params: [] }),
        user({ _tag: "ToolResult", id: "x:y/z ".repeat(20), name: "read file", isError: true, content: [{ _tag: "Text", text: "" }] }),
        user(text("And then?")),
        assistant(text("It stopped."))
      ])
    ),
    errorCase("tells an empty answer", respondWith({}), ({ reason }) => assert.equal(reason._tag, "EmptyAnswer")),
    errorCase(
      "tells a limit, and when it ends",
      Fails({ status: 429, headers: { "retry-after": "7" } }),
      ({ reason, requestId, status }) => {
        assert.deepEqual([reason, status, requestId], [{ _tag: "RateLimited", retryAfterMs: 7000 }, 429, "req_scripted"])
      }
    ),
    errorCase(
      "tells a server's fault",
      Fails({ status: 500, body: "<html><title>Oops</title>" + "x".repeat(2_000_000), headers: { "content-type": "text/html" } }),
      ({ message, reason }) => {
        assert.equal(reason._tag, "ServerFault")
        assert.ok(message.length < 700 && message.includes("Oops"), message)
      }
    ),
    errorCase(
      "shows no key, though the server does",
      Fails({ status: 401, body: { error: { message: `Incorrect API key provided: ${key}`, type: "authentication_error" } } }),
      ({ reason }) => assert.equal(reason._tag, "Auth")
    ),
    errorCase(
      "follows no redirect",
      Fails({ status: 302, headers: { location: "http://127.0.0.1:9/" } }),
      ({ reason }) => assert.equal(reason._tag, "BadRequest")
    ),
    errorCase(
      "tells a web page from an answer",
      Server.ScriptedResponse.Raw({ parts: ["<html>Please log in</html>"], headers: { "content-type": "text/html" } }),
      ({ reason }) => assert.equal(reason._tag, "BadAnswer")
    ),
    errorCase("tells a reset connection", Resets(), ({ reason }) => assert.equal(reason._tag, "Connection")),
    errorCase(
      "tells a connection that breaks in mid-answer",
      Breaks({ turn: longTurn, after: 3 }),
      ({ reason }) => assert.equal(reason._tag, "StreamBroken")
    ),
    errorCase(
      "tells an answer that ends in its middle",
      Ends({ turn: longTurn, after: 3 }),
      ({ reason }) => assert.equal(reason._tag, "StreamBroken")
    ),
    {
      name: "gives what came before a fault",
      run: withServer(route, wire, [Ends({ turn: longTurn, after: 5 })], (provider, model) =>
        Effect.gen(function*() {
          const chunks: Array<Chunk> = []
          const prepared = yield* provider.prepare(model, hello)
          yield* Effect.flip(Stream.runForEach(provider.stream(prepared), ({ chunk }) => Effect.sync(() => chunks.push(chunk)))).pipe(
            Effect.orDie
          )
          const { text } = collect(chunks)
          assert.ok(text !== "" && longTurn.text.startsWith(text), text)
        }))
    },
    {
      name: "closes the connection when it is interrupted",
      run: withServer(route, wire, [Hangs({ turn: longTurn, after: 5 })], (provider, model, server) =>
        Effect.gen(function*() {
          const prepared = yield* provider.prepare(model, hello)
          const firstChunk = yield* Effect.sync(() => Promise.withResolvers<void>())
          const fiber = yield* Effect.forkChild(Stream.runForEach(provider.stream(prepared), () => Effect.sync(() => firstChunk.resolve())))
          yield* Effect.promise(() => firstChunk.promise)
          yield* Fiber.interrupt(fiber)
          yield* server.closed
        }))
    },
    ...(route.keys.length === 0 || route.keyOptional === true ? [] : [{
      name: "says which variable a missing key goes into",
      run: Effect.gen(function*() {
        const provider = yield* Provider
        const error = yield* Effect.flip(provider.describe(`${route.name}/some-model`)).pipe(Effect.orDie)
        assert.equal(error.reason._tag, "Auth")
        assert.ok(error.message.includes(route.keys[0]!), error.message)
      }).pipe(Effect.provide(ProviderLive.layer({ routes: [route] }).pipe(Layer.provide(environment({})))))
    }])
  ]
}
