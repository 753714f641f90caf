/**
 * The contract of every implementation of Mcp, as cases that any test runner can run: a case fails with an assertion. It must
 * have one server, `suite`: its tool `echo` answers `echo: ` and the param `text`, its tool `fail` answers with an error; its
 * resource `test://note` reads `A note.`; its prompt `greet` with the argument `name` is `Hello, ` and that name.
 *
 *     for (const { name, run } of McpConformance.cases(MyMcp.layer, session)) it.live(name, () => run)
 */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as BrowserReach from "../../../domain/approval/BrowserReach.ts"
import * as Rule from "../../../domain/approval/Rule.ts"
import { promptArguments } from "../../../domain/mcp/Prompt.ts"
import { noServerTools } from "../../../domain/mcp/ServerTools.ts"
import * as Message from "../../../domain/message/Message.ts"
import type { Session } from "../../../domain/session/Session.ts"
import type { Outcome } from "../../../domain/tool/Outcome.ts"
import { Mcp, type Servers } from "../../../services/Mcp.ts"
import { ToolContext } from "../../../services/Tool.ts"
import { type Case, over } from "./ServiceCase.ts"

/** `session` may start the server: its rules and its mode allow it. */
export const cases = <E>(layer: Layer.Layer<never, E>, session: Session): ReadonlyArray<Case> => {
  const { cwd, id } = session
  const context = ToolContext.of({
    session: id,
    call: "call",
    cwd,
    files: new Map(),
    offer: noServerTools,
    isReadOnly: true,
    isHostAllowed: () => false,
    reach: BrowserReach.of(Result.getOrThrow(Rule.compile({}))),
    output: () => {}
  })
  const outcome = (effect: Effect.Effect<Outcome, never, ToolContext>) =>
    Effect.map(Effect.provideService(effect, ToolContext, context), ({ content, status }) => [status, Message.text(content)])
  /** The servers of a session are those that a look at their tools has started. */
  const check = (name: string, body: (servers: Servers) => Effect.Effect<void, unknown>): Case =>
    over(Mcp, layer)(name, (servers) => Effect.andThen(servers.refresh({ ...session, offer: noServerTools }), body(servers)))
  return [
    over(Mcp, layer)("offers a session the tools that it does not know, once", ({ refresh }) =>
      Effect.gen(function*() {
        const { offer = noServerTools } = (yield* refresh({ ...session, offer: noServerTools })) ?? {}
        assert.deepEqual(offer.servers.map(({ name, prompts, resources }) => [name, resources, prompts]), [["suite", true, true]])
        assert.deepEqual(offer.tools.map(({ name, server, tool }) => [name, server, tool]), [
          ["mcp__suite__echo", "suite", "echo"],
          ["mcp__suite__fail", "suite", "fail"]
        ])
        assert.equal(yield* refresh({ ...session, offer }), undefined)
      })),
    check("calls a tool by the server's own name for it", ({ call }) =>
      Effect.gen(function*() {
        assert.deepEqual(yield* outcome(call("suite", "echo", { text: "one" })), ["succeeded", "echo: one"])
      })),
    check("reports a tool's error as a failed call", ({ call }) =>
      Effect.gen(function*() {
        assert.equal((yield* outcome(call("suite", "fail", {})))[0], "failed")
      })),
    check("reports a server that does not exist as a failed call", ({ call, read }) =>
      Effect.gen(function*() {
        for (const effect of [call("nobody", "echo", {}), read("nobody", "test://note")]) {
          const [status, text = ""] = yield* outcome(effect)
          assert.equal(status, "failed")
          assert.ok(text.includes("nobody"), text)
        }
      })),
    check("lists and reads resources", ({ read, resources }) =>
      Effect.gen(function*() {
        for (const server of ["suite", undefined]) {
          const [status, text = ""] = yield* outcome(resources(server))
          assert.ok(status === "succeeded" && text.includes("test://note"), text)
        }
        const [status, text = ""] = yield* outcome(read("suite", "test://note"))
        assert.ok(status === "succeeded" && text.includes("A note."), text)
      })),
    check("lists and expands prompts", ({ prompt, prompts }) =>
      Effect.gen(function*() {
        const [greet, ...others] = yield* prompts(cwd, id)
        assert.deepEqual([greet?.name, greet?.prompt, greet?.arguments, others], ["mcp__suite__greet", "greet", [{
          name: "name",
          required: true
        }], []])
        assert.equal(yield* prompt(cwd, id, "mcp__suite__greet", (one) => promptArguments(one, ["Ada"])), "Hello, Ada")
        assert.equal(yield* prompt(cwd, id, "mcp__suite__none", () => ({})), undefined)
      })),
    check("lists its servers, and tests one", ({ list, test }) =>
      Effect.gen(function*() {
        const { servers } = yield* list(cwd)
        assert.deepEqual(servers.map(({ allowed, definition }) => [definition.name, allowed]), [["suite", true]])
        assert.deepEqual((yield* test(cwd, "suite")).tools.map(({ tool }) => tool), ["echo", "fail"])
      })),
    check("fails for a server that does not exist", ({ allow, logout, test }) =>
      Effect.gen(function*() {
        for (
          const effect of [Effect.asVoid(allow(cwd, "nobody")), Effect.asVoid(logout(cwd, "nobody")), Effect.asVoid(test(cwd, "nobody"))]
        ) {
          const result = yield* Effect.result(effect)
          assert.ok(Result.isFailure(result) && result.failure._tag === "McpError" && result.failure.reason === "Unknown")
        }
      }))
  ]
}
