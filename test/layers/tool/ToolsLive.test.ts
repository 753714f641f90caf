import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ModelFamily from "../../../src/domain/prompt/ModelFamily.ts"
import * as AnthropicMessages from "../../../src/domain/provider/AnthropicMessages.ts"
import * as Catalogue from "../../../src/domain/provider/Catalogue.ts"
import * as ToolSpec from "../../../src/domain/tool/ToolSpec.ts"
import { request } from "../../../src/layers/testing/conformance/route.ts"
import { builtin } from "../../../src/layers/tool/builtin.ts"
import * as Session from "../../../src/domain/session/Session.ts"
import * as Access from "../../../src/domain/tool/Access.ts"
import * as Outcome from "../../../src/domain/tool/Outcome.ts"
import * as DiffLive from "../../../src/layers/diff/DiffLive.ts"
import * as TreeSitter from "../../../src/layers/definitions/TreeSitter.ts"
import * as ToolsLive from "../../../src/layers/tool/ToolsLive.ts"
import { Browser } from "../../../src/services/Browser.ts"
import { Approver } from "../../../src/services/Approver.ts"
import * as ApprovalLive from "../../../src/layers/approval/ApprovalLive.ts"
import * as MemoryStorage from "../../../src/layers/storage/MemoryStorage.ts"
import { BackgroundCommands } from "../../../src/services/BackgroundCommands.ts"
import { Skills } from "../../../src/services/Skills.ts"
import { Shell } from "../../../src/services/Shell.ts"
import { define } from "../../../src/services/Tool.ts"
import { Tools } from "../../../src/services/Tools.ts"
import { Web } from "../../../src/services/Web.ts"
import { Workspace } from "../../../src/services/Workspace.ts"
import { inMemory, text } from "./world.ts"

const session = (mode: Session.Session["settings"]["mode"] = "default"): Session.Session => ({
  ...Session.empty,
  id: "session",
  cwd: "/repo",
  settings: { ...Session.empty.settings, mode, onAsk: "ask" }
})

/** With a model that reasons. */
const strong = (changes: Partial<Session.Session["settings"]> = {}): Session.Session => {
  const { settings, ...rest } = session()
  return { ...rest, settings: { ...settings, toolFormat: "native", model: Catalogue.find("anthropic", "claude-sonnet-4-6")!, ...changes } }
}

const tool = (name: string, run: () => Effect.Effect<Outcome.Outcome>) =>
  define({ name, description: "Does it.", params: Schema.Struct({}), kind: "read", tags: [], access: () => [], run })

/** The tools in a world that must not be asked. */
const asleepWith = (hasBrowser: boolean) => ToolsLive.layer(tool("own", () => Effect.succeed(Outcome.succeeded("own")))).pipe(
  Layer.provide([ApprovalLive.layer, Layer.mock(Approver)({}), Layer.mock(Browser)({ isInstalled: Effect.succeed(hasBrowser) }), DiffLive.layer, TreeSitter.layer, Layer.mock(BackgroundCommands)({}), Layer.mock(Shell)({}), Layer.mock(Skills)({}), MemoryStorage.layer, Layer.mock(Web)({}), Layer.mock(Workspace)({ roots: [] })])
)

const asleep = asleepWith(true)

const withTools = <A>(body: (tools: Tools["Service"]) => A) => Effect.map(Tools, body).pipe(Effect.provide(asleep))

describe("the tools of a session", () => {
  it.effect("are told by mode, and a list is the same object each time", () =>
    withTools((tools) => {
      const act = tools.specs(session()).map(({ name }) => name)
      assert.deepStrictEqual(act, ["apply_patch", "ask_user", "browser", "command_output", "delegate", "edit_file", "fetch_url", "finish", "list_definitions", "list_files", "read_file", "read_skill", "run_command", "search_files", "stop_command", "update_todo", "write_file", "own"])
      const plan = tools.specs(session("plan")).map(({ name }) => name)
      assert.deepStrictEqual(plan, ["ask_user", "command_output", "delegate", "fetch_url", "finish", "list_definitions", "list_files", "present_plan", "read_file", "read_skill", "run_command", "search_files", "update_todo", "own"])
      assert.strictEqual(tools.specs(session()), tools.specs(session()))
    }))

  it.effect("leave out the browser where none is installed, and questions that nobody answers", () =>
    Effect.gen(function*() {
      const names = (hasBrowser: boolean, onAsk: "ask" | "deny" | "exit") =>
        Effect.map(Tools, (tools) => tools.specs(strong({ onAsk })).map(({ name }) => name)).pipe(Effect.provide(asleepWith(hasBrowser)))
      assert.includeMembers([...yield* names(true, "ask")], ["browser", "ask_user"])
      const unattended = yield* names(false, "deny")
      assert.notInclude(unattended, "browser")
      assert.notInclude(unattended, "ask_user")
      // There the question ends the task.
      assert.include(yield* names(false, "exit"), "ask_user")
    }))

  it.effect("are told in few words to a model that reasons: 7.2 kB, and 8.1 kB with a browser", () =>
    Effect.gen(function*() {
      const bytes = (hasBrowser: boolean) =>
        Effect.map(Tools, (tools) => {
          const model = strong().settings.model
          const specs = tools.specs(strong({ onAsk: "deny" })).filter(({ name }) => name !== "own" && name !== "read_skill")
          return JSON.stringify((AnthropicMessages.encode(request([], { tools: specs }), model) as { readonly tools: unknown }).tools).length
        }).pipe(Effect.provide(asleepWith(hasBrowser)))
      assert.isBelow(yield* bytes(false), 7_200)
      assert.isBelow(yield* bytes(true), 8_100)
      const { act = "", base, notes = "" } = ModelFamily.of({ model: { reasoning: true, window: 200_000 }, toolFormat: "native" }).texts
      assert.isBelow(`${base}${act}${notes}`.length, 1_350)
    }))

  it("leave out no description but those of plain parameters", () => {
    for (const tool of builtin) {
      const full = ToolSpec.fromParams(tool)
      const plain: ReadonlyArray<string> = tool.plain ?? []
      const names = new Set<string>()
      const check = (schema: Schema.JsonObject, short: Schema.JsonObject, name: string): void => {
        names.add(name)
        const { additionalProperties: _, description, items, properties = {}, ...rest } = schema
        const { description: shortDescription, items: shortItems, properties: shortProperties = {}, ...shortRest } = short
        assert.deepStrictEqual(shortRest, rest, `${tool.name}.${name}`)
        assert.strictEqual(shortDescription, plain.includes(name) ? undefined : description, `${tool.name}.${name}`)
        for (const [key, part] of Object.entries(properties as Schema.JsonObject))
          check(part as Schema.JsonObject, (shortProperties as Schema.JsonObject)[key] as Schema.JsonObject, key)
        if (items !== undefined) check(items as Schema.JsonObject, shortItems as Schema.JsonObject, "")
      }
      check(full.schema, ToolSpec.concise(full, plain).schema, "")
      assert.includeMembers([...names], [...plain], tool.name)
    }
  })

  it.effect("leave out what can't be used: skills where there are none, the guide for MCP servers where nobody speaks of them", () =>
    withTools((tools) => {
      const names = (changes: Partial<Session.Session>) => tools.specs({ ...session(), ...changes }).map(({ name }) => name)
      const facts = { platform: "linux", shell: "bash", date: "2026-11-21", git: null, rules: [] }
      const said = (text: string) => [{ role: "user" as const, content: [{ _tag: "Text" as const, text }] }]
      assert.notInclude(names({ facts }), "read_skill")
      assert.include(names({ facts: { ...facts, skills: [{ name: "review", description: "How to review." }] } }), "read_skill")
      assert.notInclude(names({ messages: said("Write a server") }), "mcp_guide")
      assert.include(names({ messages: said("Write an MCP server") }), "mcp_guide")
      assert.include(names({ pendingContent: said("an mcp tool")[0]!.content }), "mcp_guide")
    }))

  it.effect("understand a call by any name of the tool and of its params", () =>
    withTools((tools) => {
      const understood = tools.resolve(
        { _tag: "ToolCall", id: "1", name: "replace_in_file", params: { FilePath: "/repo/src/../a.ts", old_str: "a", newString: "b" } },
        session()
      )
      assert.deepStrictEqual(Result.getOrThrow(understood), {
        name: "edit_file",
        kind: "edit",
        tags: ["edit"],
        access: [Access.edit("a.ts")],
        requestsApproval: false
      })
    }))

  it.effect("say whether a file that they write is new, as far as the session knows", () =>
    withTools((tools) => {
      const access = (path: string) =>
        Result.getOrThrow(tools.resolve({ _tag: "ToolCall", id: "1", name: "write_file", params: { path, content: "" } }, { ...session(), files: new Map([["seen.ts", "hash"], ["gone.ts", null]]) })).access
      assert.deepStrictEqual(["seen.ts", "gone.ts", "new.ts"].flatMap(access), [Access.edit("seen.ts", "modify"), Access.edit("gone.ts", "create"), Access.edit("new.ts", "create")])
    }))

  it.effect("tell that the model wants to be asked", () =>
    withTools((tools) => {
      const asks = (requires_approval: unknown) =>
        Result.getOrThrow(tools.resolve({ _tag: "ToolCall", id: "1", name: "bash", params: { command: "ls", requires_approval } as never }, session())).requestsApproval
      assert.deepStrictEqual([true, "true", "false", false, null].map(asks), [true, true, false, false, false])
    }))

  it.effect("report every wrong field at once, with the params of the tool", () =>
    withTools((tools) => {
      const said = (name: string, params: unknown) =>
        Result.getOrThrow(Result.flip(tools.resolve({ _tag: "ToolCall", id: "1", name, params: params as never }, session())))
      assert.strictEqual(
        said("read_file", { start_line: "ten", end_line: 2.5, colour: "red" }),
        `read_file was not run because its parameters are invalid:
- path: expected string, received nothing
- start_line: expected integer, received "ten"
- end_line: expected integer, received 2.5
Unknown parameters: colour.
Parameters of read_file:
- path (string, required): The file.
- start_line (integer): First line, from 1.
- end_line (integer): Last line, inclusive.`
      )
      assert.match(said("update_todo", { items: [{ text: "a", state: "later" }, 7] }), /- items\[0\]\.state: expected "pending" \| "in_progress" \| "done", received "later"\n- items\[1\]: expected \{ text: string, .*\}, received 7/)
      assert.match(said("read_file", ["a"]), /- params: expected an object, received an array of 1/)
      assert.match(said("open_file", {}), /^Unknown tool "open_file"\. Available tools: (?:read|edit)_file, /)
      assert.match(said("", {}), /names no tool/)
    }))
})

describe("running a tool", () => {
  it.effect("runs nothing that is not understood, and counts it as a mistake", () =>
    inMemory({}, ({ call }) =>
      Effect.gen(function*() {
        assert.deepStrictEqual([(yield* call("write_file", {})).mistake, (yield* call("nothing", {})).mistake], [true, true])
      })))

  it.effect("says which params it did not know", () =>
    inMemory({ files: { "a.txt": "a\n" } }, ({ call }) =>
      Effect.gen(function*() {
        assert.strictEqual(text(yield* call("read_file", { path: "a.txt", colour: "red" })), "1 | a\n[Ignored unknown parameters: colour.]")
      })))

  it.effect("makes an outcome of a tool that breaks, and leaves interruption alone", () =>
    inMemory({ tools: [tool("broken", () => Effect.die(new Error("a fault"))), tool("stopped", () => Effect.interrupt)] }, ({ call }) =>
      Effect.gen(function*() {
        const outcome = yield* call("broken", {})
        assert.deepStrictEqual([outcome.status, outcome.mistake, text(outcome)], ["failed", undefined, "broken failed with an internal error: a fault\nTry another approach."])
        assert.strictEqual((yield* Effect.exit(call("stopped", {})))._tag, "Failure")
      })).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect.each<[returned: string, run: () => unknown, problem: string]>([
    ["a promise", async () => Outcome.succeeded("done"), "`run` must return an Effect, not a promise: Effect.promise(() => ...) makes one of it."],
    ["a promise that rejects", () => Promise.reject(new Error("no")), "`run` must return an Effect, not a promise: Effect.promise(() => ...) makes one of it."],
    ["an outcome", () => Outcome.succeeded("done"), "`run` must return an Effect, not another object."],
    ["nothing", () => undefined, "`run` must return an Effect, not undefined."],
    ["a text", () => Effect.succeed("done"), "`run` must succeed with an Outcome, not a string: Outcome.succeeded(text) makes one of a text."],
    ["a list", () => Effect.succeed([]), "`run` must succeed with an Outcome, not an array: Outcome.succeeded(text) makes one of a text."]
  ])("says what a tool must return instead of %s", ([, run, problem]) =>
    inMemory({ tools: [tool("own", run as () => Effect.Effect<Outcome.Outcome>)] }, ({ call }) =>
      Effect.map(call("own", {}), (outcome) =>
        assert.deepStrictEqual([outcome.status, text(outcome)], ["failed", `own failed with an internal error: ${problem}\nTry another approach.`]))
    ).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

  it.effect("clips what no tool limited", () =>
    inMemory({ tools: [tool("endless", () => Effect.succeed(Outcome.succeeded("word ".repeat(1e6))))] }, ({ call }) =>
      Effect.gen(function*() {
        const said = text(yield* call("endless", {}))
        assert.isAtMost(said.length, 60_100)
        assert.match(said, /characters cut/)
      })))

  it.effect("uses the later of two tools with one name", () =>
    inMemory({ tools: [tool("finish", () => Effect.succeed(Outcome.succeeded("mine")))] }, ({ call }) =>
      Effect.map(call("finish", {}), (outcome) => assert.strictEqual(text(outcome), "mine"))))

  it.effect("gives structured values as JSON of a bounded size", () =>
    inMemory({ tools: [tool("data", () => Effect.succeed(Outcome.structured({ rows: Array.from({ length: 300 }, () => "x".repeat(90)), at: new Map([[1, 2]]) })))] }, ({ call }) =>
      Effect.gen(function*() {
        const said = text(yield* call("data", {}))
        assert.isAtMost(said.length, 50_000)
        assert.deepStrictEqual(JSON.parse(said).at, { "[Map]": [[1, 2]] })
      })))
})
