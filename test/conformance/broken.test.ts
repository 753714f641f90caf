/** A suite can fail: of each, one implementation that breaks one promise, and the case that notices it. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { AssertionError } from "node:assert"
import * as Session from "../../src/domain/session/Session.ts"
import * as Outcome from "../../src/domain/tool/Outcome.ts"
import * as Composition from "../../src/layers/Composition.ts"
import * as MemoryStorage from "../../src/layers/storage/MemoryStorage.ts"
import * as Testing from "../../src/testing.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Approval } from "../../src/services/Approval.ts"
import { Approver } from "../../src/services/Approver.ts"
import { BackgroundCommands } from "../../src/services/BackgroundCommands.ts"
import { Budget } from "../../src/services/Budget.ts"
import { Checkpoints } from "../../src/services/Checkpoints.ts"
import { ContextWindow } from "../../src/services/ContextWindow.ts"
import { Diff } from "../../src/services/Diff.ts"
import { Mcp } from "../../src/services/Mcp.ts"
import { Parser } from "../../src/services/Parser.ts"
import { Provider } from "../../src/services/Provider.ts"
import { Settings } from "../../src/services/Settings.ts"
import { Shell } from "../../src/services/Shell.ts"
import { Storage } from "../../src/services/Storage.ts"
import * as Tool from "../../src/services/Tool.ts"
import { CodeSearch } from "../../src/services/lookup/CodeSearch.ts"
import { Diagnostics } from "../../src/services/lookup/Diagnostics.ts"
import { Workspace } from "../../src/services/Workspace.ts"
import { Worktrees } from "../../src/services/Worktrees.ts"
import { builtin } from "../../src/layers/provider/builtin.ts"

const { MemoryWorkspace, Test } = Testing

interface Case {
  readonly name: string
  readonly run: Effect.Effect<void, unknown>
}

const cwd = Test.cwd
const session: Session.Session = { ...Session.empty, id: "session", cwd, home: "/home/test" }
const silent = Layer.succeed(Approver, {
  ask: () => Effect.succeed({ decision: "deny", scope: "once", by: "nobody" }),
  question: () => Effect.succeed({ by: "nobody" })
})
const parts = { ...Test.parts(), approver: silent }
const commands = { "echo one": { output: "one\n" }, "exit 3": { code: 3 }, pwd: { output: `${cwd}\n` }, "sleep 60": { hasTimedOut: true } }
const print = { [String.raw`printf 'one\ntwo\nthr'`]: { output: "one\ntwo\nthr" }, ...commands }
const levels = { first: { ...session, id: "first", parent: "p" }, second: { ...session, id: "second", parent: "p" } }

const inMemory = () => MemoryWorkspace.layer(MemoryWorkspace.files({}), cwd)
const checkpoints = Layer.suspend(() => {
  const files = MemoryWorkspace.files({})
  return Layer.provideMerge(
    Layer.effect(Checkpoints, Effect.map(Checkpoints, (one) => ({ ...one, forget: () => Effect.void }))).pipe(
      Layer.provide(Testing.MemoryCheckpoints.layer(files)),
      Layer.provide(Layer.effect(Diff, Diff).pipe(Layer.provide(Testing.ExactDiff.layer)))
    ),
    MemoryWorkspace.layer(files, cwd)
  )
})

const worktrees = Effect.sync((): Testing.WorktreesConformance.World => {
  const files = MemoryWorkspace.files({ "shared.txt": "one\ntwo\nthree\nfour\nfive\nsix\n" })
  const folders = new Map([[cwd, files]])
  return {
    cwd,
    layer: Layer.effect(Worktrees, Effect.map(Worktrees, (one) => ({ ...one, keepBranches: one.merge.bind(one, "call") }))).pipe(
      Layer.provide(Testing.MemoryWorktrees.layerWith(files, () => Layer.mock(Agent)({}), folders))
    ),
    write: (folder, path, text) => Effect.sync(() => void folders.get(folder)!.set(path, new TextEncoder().encode(text))),
    read: (folder, path) => Effect.sync(() => folders.get(folder)?.get(path)?.toString() ?? null)
  }
})

let looks = 0
const scripted = Testing.Scripted.layer([{ text: "Fine." }])
const [anthropic] = builtin.filter(({ name }) => name === "anthropic")

const reader = Tool.define({
  name: "reader",
  description: "Reads a file that it does not name.",
  params: Schema.Struct({}),
  kind: "read",
  tags: [],
  access: () => [],
  run: () => Effect.as(Effect.flatMap(Workspace, ({ readText }) => Effect.orDie(readText("sample.txt"))), Outcome.succeeded("Done."))
})

/** The suite over the broken implementation, and a case that must fail. */
const broken: Readonly<Record<string, readonly [cases: ReadonlyArray<Case>, failing: string]>> = {
  Approval: [
    Testing.ApprovalConformance.cases(
      Layer.succeed(Approval, { judge: () => ({ decision: "allow", risk: "low", reason: "", offer: ["Bash"] }), explain: () => [], editScope: () => ({}) }),
      session
    ),
    "gives every verdict a reason"
  ],
  Approver: [
    Testing.ApproverConformance.cases(Layer.succeed(Approver, {
      ask: () => Effect.succeed({ decision: "allow", scope: "always", by: "nobody" }),
      question: () => Effect.succeed({ by: "nobody" })
    })),
    "decides about each call"
  ],
  BackgroundCommands: [
    Testing.BackgroundCommandsConformance.cases(
      Layer.effect(BackgroundCommands, Effect.map(BackgroundCommands, (one) => ({ ...one, stop: () => Effect.void }))).pipe(
        Layer.provide(Testing.ScriptedCommands.layer(print))
      ),
      cwd
    ),
    "stops the commands of one session"
  ],
  Budget: [
    Testing.BudgetConformance.cases(
      Layer.effect(Budget, Effect.map(Budget, (one) => ({ ...one, reserve: () => Effect.succeed(true) }))).pipe(
        Layer.provide(Testing.MemoryBudget.layer({ usd: 10, tokens: 1000 }))
      ),
      levels
    ),
    "reserves nothing that it can't cover"
  ],
  Checkpoints: [Testing.CheckpointsConformance.cases(checkpoints), "forgets the checkpoints of some sessions"],
  CodeSearch: [
    Testing.CodeSearchConformance.cases(Layer.succeed(CodeSearch, {
      search: (_, __, limit) => Effect.succeed({ hits: Array.from({ length: limit + 1 }, () => ({ path: "src/basket.ts", start: 1, end: 1, text: "" })), notes: [] })
    })),
    "gives no more hits"
  ],
  ContextWindow: [
    Testing.ContextWindowConformance.cases(
      Layer.effect(ContextWindow, Effect.map(ContextWindow, (one) => ({
        ...one,
        plan: (request: Parameters<typeof one.plan>[0]) =>
          Effect.map(one.plan(request), (plan) => ({ ...plan, request: { ...plan.request, messages: plan.request.messages.slice(1) } }))
      }))).pipe(Layer.provide(Composition.layer({ ...parts, contextWindow: Testing.ScriptedContext.layer() }))),
      session
    ),
    "sends the whole conversation"
  ],
  Diagnostics: [
    Testing.DiagnosticsConformance.cases(
      Layer.merge(
        Layer.succeed(Diagnostics, {
          around: (_, __, edit) => Effect.map(Effect.andThen(edit, edit), (result) => ({ result, report: "a.ts:1:1: error: BAD" })),
          current: () => Effect.succeed({ problems: [], checks: [], notes: [] })
        }),
        Layer.suspend(inMemory)
      ),
      session
    ),
    "runs an edit once"
  ],
  Diff: [
    Testing.DiffConformance.cases(
      Layer.effect(Diff, Effect.map(Diff, (one) => ({ ...one, print: () => "changed" }))).pipe(Layer.provide(Testing.ExactDiff.layer))
    ),
    "prints a missing file as such"
  ],
  Mcp: [
    Testing.McpConformance.cases(
      Layer.effect(Mcp, Effect.map(Mcp, (one) => ({ ...one, refresh: () => Effect.succeed({ offer: { servers: [], tools: [] }, notes: [] }) }))).pipe(
        Layer.provide(Testing.ScriptedMcp.layer({ suite: {} }))
      ),
      session
    ),
    "offers a session the tools"
  ],
  Parser: [
    Testing.ParserConformance.cases(
      Layer.effect(Parser, Effect.map(Parser, ({ parse }) => ({ parse: (_: unknown, tools: Parameters<typeof parse>[1]) => parse("native", tools) }))).pipe(
        Layer.provide(Testing.ScriptedParser.layer())
      )
    ),
    "reads a call in the text"
  ],
  Provider: [
    Testing.ProviderConformance.cases(
      Layer.effect(Provider, Effect.map(Provider, (one) => ({
        ...one,
        stream: (prepared: Parameters<typeof one.stream>[0]) => Stream.filter(one.stream(prepared), ({ chunk }) => chunk._tag !== "Finish")
      }))).pipe(Layer.provide(scripted)),
      "scripted/test"
    ),
    "streams a response that ends with its only finish"
  ],
  Route: [
    Testing.RouteConformance.cases(
      {
        ...anthropic!,
        connect: async (endpoint) => {
          const connection = await anthropic!.connect(endpoint)
          const send: typeof connection.send = (body, context) => Stream.filter(connection.send(body, context), ({ _tag }) => _tag !== "ReasoningDelta")
          return { ...connection, send }
        }
      },
      Testing.wires.find(({ name }) => name === anthropic!.wire)!
    ),
    "streams reasoning before text"
  ],
  SecretStore: [
    Testing.SecretStoreConformance.cases(Testing.MemorySecrets.layer({ ...Testing.SecretStoreConformance.secrets, third: Testing.SecretStoreConformance.secrets.first })),
    "has no secret that only another tenant has"
  ],
  Settings: [
    Testing.SettingsConformance.cases(
      Layer.effect(Settings, Effect.map(Settings, (one) => ({ ...one, set: () => Effect.succeed("nowhere") }))).pipe(
        Layer.provide(Testing.MemorySettings.layer())
      ),
      cwd
    ),
    "shows at once what was set"
  ],
  Shell: [
    Testing.ShellConformance.cases(
      Layer.effect(Shell, Effect.map(Shell, (one) => ({
        ...one,
        run: (command: Parameters<typeof one.run>[0]) => Effect.map(one.run(command), (result) => ({ ...result, code: 0 }))
      }))).pipe(Layer.provide(Testing.FakeShell.layer(commands))),
      cwd
    ),
    "returns the code of a command that fails"
  ],
  Source: [
    Testing.SourceConformance.cases(
      { name: "broken", isFixed: false, gather: () => Effect.sync(() => ({ date: `${looks++}` })) },
      { cwd, services: Layer.empty }
    ),
    "gathers the same facts while nothing changes"
  ],
  Storage: [
    Testing.StorageConformance.cases({
      backend: {
        name: "broken",
        durable: false,
        layer: () => Layer.effect(Storage, Effect.map(Storage, (one) => ({ ...one, remove: () => Effect.void }))).pipe(Layer.provide(MemoryStorage.layer))
      }
    }),
    "removes a session with its draft"
  ],
  Tool: [Testing.ToolConformance.cases(reader), "touches nothing that it did not say before"],
  WebSearch: [
    Testing.WebSearchConformance.cases(Testing.MemoryWebSearch.layer({ "nothing at all": { results: [{ title: "", url: "https://a.test/" }] } })),
    "finds nothing without failing"
  ],
  Workspace: [
    Testing.WorkspaceConformance.cases(
      Layer.effect(Workspace, Effect.map(Workspace, (one) => ({
        ...one,
        list: (path: string, options: Parameters<typeof one.list>[1]) => one.list(path, { ...options, all: true })
      }))).pipe(Layer.provide(Layer.suspend(inMemory)))
    ),
    "lists breadth first"
  ],
  Worktrees: [Testing.WorktreesConformance.cases(worktrees), "keeps all work on branches"]
}

type ShellService = Shell["Service"]
/** Shells that run commands differently than asked, and the case that must fail. */
const shells: Readonly<Record<string, readonly [flaw: (one: ShellService) => Partial<ShellService>, failing: string]>> = {
  "that knows no time": [
    ({ run }) => ({ run: (command) => Effect.map(run(command), (result) => ({ ...result, hasTimedOut: false, code: 0 })) }),
    "ends a command whose time is up"
  ],
  "without a limit of output": [({ run }) => ({ run: (command) => run({ ...command, maxOutputCharacters: 1000 }) }), "returns no more output than asked"],
  "with a folder of its own": [
    ({ run }) => ({ run: (command) => Effect.map(run(command), (result) => ({ ...result, output: result.output.replace(cwd, "/") })) }),
    "runs a command in its folder"
  ],
  "whose commands outlive their scope": [
    ({ start }) => ({ start: (program) => Effect.map(start(program), (running) => ({ ...running, exit: Effect.succeed({ code: 0, signal: null }) })) }),
    "ends a started command when its scope closes"
  ]
}

describe("a shell", () => {
  for (const [name, [flaw, failing]] of Object.entries(shells)) {
    it.live(`${name} fails where its suite ${failing}`, () =>
      Effect.gen(function*() {
        const broken = Layer.effect(Shell, Effect.map(Shell, (one) => ({ ...one, ...flaw(one) }))).pipe(Layer.provide(Testing.FakeShell.layer(commands)))
        const exit = yield* Effect.exit(Testing.ShellConformance.cases(broken, cwd).find(({ name }) => name.startsWith(failing))!.run)
        assert.instanceOf(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, AssertionError)
      }))
  }
})

describe("a shell whose process survives an interrupt", () => {
  it.live("fails, if its suite can see processes", () =>
    Effect.gen(function*() {
      let isLeft = false
      const surviving = Layer.effect(Shell, Effect.map(Shell, (one) => ({
        ...one,
        run: (command: Parameters<typeof one.run>[0]) => Effect.onInterrupt(Effect.andThen(one.run(command), Effect.never), () => Effect.sync(() => isLeft = true))
      }))).pipe(Layer.provide(Testing.FakeShell.layer(commands)))
      const { run } = Testing.ShellConformance.cases(surviving, cwd, { isRunning: Effect.sync(() => isLeft) }).find(({ name }) => name.startsWith("ends a command that is interrupted"))!
      const exit = yield* Effect.exit(run)
      assert.instanceOf(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, AssertionError)
    }))
})

describe("a route whose requests the server refuses", () => {
  it.live("fails by the rule that it breaks", () =>
    Effect.gen(function*() {
      const wire = Testing.wires.find(({ name }) => name === anthropic!.wire)!
      const strict = { ...wire, refusals: [{ name: "no-hello", status: 400, refuses: () => "Not this." }, ...wire.refusals] }
      const [{ run } = assert.fail()] = Testing.RouteConformance.cases(anthropic!, strict)
      const exit = yield* Effect.exit(run)
      assert.match(Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "", /the route must send requests that .* accepts.*no-hello/s)
    }))
})

describe("a broken implementation", () => {
  for (const [service, [cases, failing]] of Object.entries(broken)) {
    it.live(`of ${service} fails where its suite ${failing}`, () =>
      Effect.gen(function*() {
        const chosen = cases.filter(({ name }) => name.startsWith(failing))
        assert.isNotEmpty(chosen, cases.map(({ name }) => name).join("\n"))
        const exit = yield* Effect.exit(chosen[0]!.run)
        assert.instanceOf(Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined, AssertionError)
      }))
  }

  it("exists for every public suite", () => {
    const suites = Object.keys(Testing).flatMap((name) => /^(.*)Conformance$/.exec(name)?.[1] ?? [])
    assert.deepStrictEqual(Object.keys(broken).toSorted(), suites.toSorted())
  })
})
