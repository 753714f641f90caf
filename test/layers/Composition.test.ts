/**
 * Every service can be replaced, through the live composition, through the test one, and in a composition from parts: a
 * task that needs the service reaches the replacement, and the live default is not built.
 */
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Limits from "../../src/domain/session/Limits.ts"
import * as Composition from "../../src/layers/Composition.ts"
import { SmallFiles } from "../../src/layers/context/sources/SmallFile.ts"
import * as ScriptedApprover from "../../src/layers/testing/ScriptedApprover.ts"
import * as MemoryWebSearch from "../../src/layers/testing/MemoryWebSearch.ts"
import type { Turn } from "../../src/layers/testing/ScriptedProvider.ts"
import { Agent, type SessionOptions } from "../../src/services/Agent.ts"
import { Approval } from "../../src/services/Approval.ts"
import { Approver } from "../../src/services/Approver.ts"
import { BackgroundCommands } from "../../src/services/BackgroundCommands.ts"
import { Browser } from "../../src/services/Browser.ts"
import { Budget } from "../../src/services/Budget.ts"
import { Checkpoints } from "../../src/services/Checkpoints.ts"
import { ContextWindow } from "../../src/services/ContextWindow.ts"
import { Definitions } from "../../src/services/Definitions.ts"
import { Diff } from "../../src/services/Diff.ts"
import { Environment } from "../../src/services/Environment.ts"
import { EventLog } from "../../src/services/EventLog.ts"
import { Hooks } from "../../src/services/extension/Hooks.ts"
import { Ids } from "../../src/services/Ids.ts"
import { Intake } from "../../src/services/Intake.ts"
import { JsonFiles } from "../../src/services/JsonFiles.ts"
import { Keys } from "../../src/services/Keys.ts"
import { Mcp } from "../../src/services/Mcp.ts"
import { Parser } from "../../src/services/Parser.ts"
import { CrashReports } from "../../src/services/process/CrashReports.ts"
import { CustomTools } from "../../src/services/extension/CustomTools.ts"
import { Plugins } from "../../src/services/extension/Plugins.ts"
import { Provider } from "../../src/services/Provider.ts"
import { Redactor } from "../../src/services/Redactor.ts"
import type { Route } from "../../src/services/Route.ts"
import { Settings, SettingsSnapshot } from "../../src/services/Settings.ts"
import { Shell } from "../../src/services/Shell.ts"
import { Skills } from "../../src/services/Skills.ts"
import { Storage } from "../../src/services/Storage.ts"
import { Subagents } from "../../src/services/Subagents.ts"
import { Telemetry } from "../../src/services/process/Telemetry.ts"
import { Tools } from "../../src/services/Tools.ts"
import { Trust } from "../../src/services/Trust.ts"
import { Web } from "../../src/services/Web.ts"
import { Workspace } from "../../src/services/Workspace.ts"
import { CodeSearch } from "../../src/services/lookup/CodeSearch.ts"
import { Diagnostics } from "../../src/services/lookup/Diagnostics.ts"
import { WebSearch } from "../../src/services/lookup/WebSearch.ts"
import { Worktrees } from "../../src/services/Worktrees.ts"

type Part = keyof Composition.Services
type AnyLayer = Layer.Layer<never, unknown, unknown>

/** Where the live default of each part is defined. */
const defaults: Record<Exclude<Part, "approver" | "settingsSnapshot">, readonly [file: string, name: string]> = {
  agent: ["agent/AgentLive.ts", "layer"],
  approval: ["approval/ApprovalLive.ts", "layer"],
  backgroundCommands: ["workspace/shell/BackgroundCommandsLive.ts", "layer"],
  browser: ["browser/BrowserLive.ts", "layer"],
  budget: ["agent/BudgetLive.ts", "layer"],
  checkpoints: ["workspace/checkpoints/GitCheckpoints.ts", "layer"],
  codeSearch: ["search/CodeSearchLive.ts", "layer"],
  contextWindow: ["context/ContextWindowLive.ts", "layer"],
  customTools: ["extension/CustomToolsLive.ts", "layer"],
  plugins: ["extension/PluginsLive.ts", "layer"],
  crashReports: ["settings/CrashReportsLive.ts", "layer"],
  definitions: ["definitions/TreeSitter.ts", "layer"],
  diagnostics: ["diagnostics/DiagnosticsLive.ts", "layer"],
  diff: ["diff/DiffLive.ts", "layer"],
  environment: ["settings/EnvironmentLive.ts", "layer"],
  eventLog: ["storage/EventLogLive.ts", "layer"],
  fileSystem: ["workspace/files/DirectFileSystem.ts", "layer"],
  hooks: ["extension/HooksLive.ts", "layer"],
  ids: ["settings/IdsLive.ts", "layer"],
  intake: ["context/IntakeLive.ts", "layer"],
  jsonFiles: ["settings/JsonFilesLive.ts", "layer"],
  keys: ["settings/KeysLive.ts", "layer"],
  mcp: ["mcp/McpLive.ts", "layer"],
  parser: ["parser/ParserLive.ts", "layer"],
  provider: ["provider/ProviderLive.ts", "layer"],
  redactor: ["settings/RedactorLive.ts", "layer"],
  settings: ["settings/SettingsLive.ts", "layer"],
  shell: ["workspace/shell/ShellLive.ts", "layerSandboxed"],
  skills: ["context/SkillsLive.ts", "layer"],
  smallFiles: ["context/sources/SmallFile.ts", "layer"],
  storage: ["storage/sqlite/Sqlite.ts", "layer"],
  subagents: ["subagent/SubagentsLive.ts", "layer"],
  telemetry: ["telemetry/TelemetryLive.ts", "layer"],
  toolset: ["tool/ToolsLive.ts", "layer"],
  trust: ["settings/TrustLive.ts", "layer"],
  web: ["network/WebLive.ts", "layer"],
  webSearch: ["search/WebSearchLive.ts", "layer"],
  workspace: ["workspace/files/NodeWorkspace.ts", "layer"],
  worktrees: ["workspace/worktree/WorktreesLive.ts", "layer"]
}

/** The live defaults that were built, except inside a fake. */
const built = new Set<string>()
const IsFake = Context.Reference<boolean>("test/IsFake", { defaultValue: () => false })

const counted = (part: string, layer: unknown): unknown =>
  typeof layer === "function"
    ? (...args: ReadonlyArray<unknown>) => counted(part, layer(...args))
    : Layer.unwrap(Effect.map(IsFake, (isFake) => {
      if (!isFake) built.add(part)
      return layer as AnyLayer
    }))

let Live: typeof import("../../src/layers/Live.ts")
let Test: typeof import("../../src/layers/Test.ts")
let folder = ""
beforeAll(async () => {
  for (const [part, [file, name]] of Object.entries(defaults)) {
    vi.doMock(join("../../src/layers", file), async (original) => {
      const module = await original<Record<string, unknown>>()
      return { ...module, [name]: counted(part, module[name]) }
    })
  }
  Live = await import("../../src/layers/Live.ts")
  Test = await import("../../src/layers/Test.ts")
  folder = mkdtempSync(join(tmpdir(), "dacapo-composition-"))
})
afterAll(() => {
  vi.doUnmock("../../src/layers/Live.ts")
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

const texts = { "a.ts": "export const one = 1\n", "notes.txt": "one\n" }

/** A folder on disk with the files. */
const place = (name: string) => {
  const root = join(folder, name)
  mkdirSync(root)
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(root, path), text)
  return root
}

/** A fake around another implementation, which notes what is asked of it. */
const recording = <I, S extends object>(service: Context.Key<I, S>, base: Layer.Layer<I, unknown, unknown>, calls: Array<string>) =>
  Layer.effectContext(Effect.map(Effect.provideService(Layer.build(Layer.fresh(base)), IsFake, true), (context) =>
    Context.make(service, new Proxy<S>(Context.getUnsafe(context, service) as S, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (typeof value === "function")
          return (...args: ReadonlyArray<unknown>) => {
            calls.push(String(name))
            return value.apply(target, args)
          }
        calls.push(String(name))
        return value
      }
    }))))

/** What a task does that needs the service, and what stands beside the fake. */
interface Row {
  readonly service: Context.Key<any, any>
  readonly turns?: ReadonlyArray<Turn>
  readonly options?: Partial<SessionOptions>
  readonly beside?: () => Promise<Partial<Composition.Parts>>
  readonly children?: Row["turns"]
  /** What the fake wraps, if not the layer of the test composition. */
  readonly base?: Layer.Layer<never, unknown, unknown>
  /** The state in which the task ends. */
  readonly ends?: string
}

const turn = (name: string, params: Record<string, any>): Turn => ({ calls: [{ name, params }] })
const ends: Turn = { text: "Done." }
const page = "https://docs.test/page"
const delegates = (mode: "read" | "edit") => ({
  turns: [turn("delegate", { tasks: [{ prompt: "Look at it.", mode }] }), ends],
  children: [turn("read_file", { path: "notes.txt" }), { text: "- It says one." }]
})

const keyed: Route = {
  name: "keyed",
  title: "A route with a key",
  wire: "keyed",
  keys: ["KEYED_API_KEY"],
  baseUrl: "",
  local: false,
  connect: ({ key }) => ({
    encode: () => ({}),
    send: () =>
      Stream.make({ _tag: "TextDelta", text: key === undefined ? "no key" : Redacted.value(key) }, { _tag: "Finish", reason: "stop", raw: "stop" })
  })
}

const throwing = Layer.succeed(Approver, {
  ask: () => Effect.die(new Error("the approver is broken")),
  question: () => Effect.die(new Error("the approver is broken"))
})
const writes = [turn("write_file", { path: "new.txt", content: "new\n" }), ends]
const crashes = {
  turns: [writes[0]!],
  options: { mode: "default" },
  beside: async () => ({
    approver: throwing,
    crashReports: (await import("../../src/layers/settings/CrashReportsLive.ts")).layer,
    environment: (await import("../../src/layers/settings/EnvironmentLive.ts")).layer
  }),
  ends: "failed"
} as const

const rows: Record<Part, Row> = {
  agent: { service: Agent },
  approval: { service: Approval, turns: [turn("read_file", { path: "notes.txt" }), ends] },
  approver: { service: Approver, turns: writes, options: { mode: "default" }, base: ScriptedApprover.layer([{ decision: "allow" }]) },
  backgroundCommands: { service: BackgroundCommands, turns: [turn("run_command", { command: "echo hello" }), ends] },
  browser: { service: Browser, turns: [turn("browser", { action: "open", url: page }), ends] },
  budget: { service: Budget, options: { limits: { ...Limits.defaults, dayUsd: 5, tokens: 1_000_000 } } },
  checkpoints: { service: Checkpoints, turns: writes },
  codeSearch: {
    service: CodeSearch,
    turns: [turn("search_code", { query: "one" }), ends],
    options: { search: { code: true } },
    base: Layer.succeed(CodeSearch, { search: () => Effect.succeed({ hits: [], notes: [] }) })
  },
  contextWindow: { service: ContextWindow },
  crashReports: { service: CrashReports, ...crashes },
  customTools: { service: CustomTools },
  plugins: { service: Plugins },
  definitions: { service: Definitions, turns: [turn("list_definitions", { path: "a.ts" }), ends] },
  diagnostics: { service: Diagnostics, turns: [turn("edit_file", { path: "notes.txt", old_text: "one", new_text: "two" }), ends] },
  diff: { service: Diff, turns: [turn("edit_file", { path: "notes.txt", old_text: "one", new_text: "two" }), ends] },
  environment: { service: Environment },
  eventLog: { service: EventLog },
  fileSystem: { service: FileSystem.FileSystem },
  hooks: {
    service: Hooks,
    options: { hooks: [{ event: "UserPromptSubmit", run: { _tag: "Command", command: "true" }, timeoutMs: 10_000, failureMode: "open" }] }
  },
  ids: { service: Ids },
  intake: { service: Intake },
  jsonFiles: { service: JsonFiles },
  keys: {
    service: Keys,
    base: Layer.succeed(Keys, { ...Keys.defaultValue(), find: () => Effect.succeed({ key: Redacted.make("secret"), source: "a test" }) }),
    options: { model: "keyed/model" },
    beside: async () => ({ provider: (await import("../../src/layers/provider/ProviderLive.ts")).layer({ routes: [keyed] }) })
  },
  mcp: { service: Mcp },
  parser: { service: Parser },
  provider: { service: Provider },
  redactor: { service: Redactor, ...crashes },
  settings: { service: Settings },
  settingsSnapshot: {
    service: SettingsSnapshot,
    beside: async () => ({
      approver: Layer.effect(
        Approver,
        Effect.map(SettingsSnapshot, ({ bell }) => ({
          ask: () => Effect.die(new Error(`nothing is asked, bell: ${bell}`)),
          question: () => Effect.succeed({ by: "nobody" as const })
        }))
      )
    })
  },
  shell: { service: Shell, turns: [turn("run_command", { command: "echo hello" }), ends] },
  skills: { service: Skills },
  smallFiles: { service: SmallFiles },
  storage: { service: Storage },
  subagents: { service: Subagents, ...delegates("read") },
  telemetry: { service: Telemetry },
  toolset: { service: Tools },
  trust: { service: Trust },
  web: { service: Web, turns: [turn("fetch_url", { url: page }), ends] },
  webSearch: {
    service: WebSearch,
    turns: [turn("web_search", { query: "threads" }), ends],
    options: { search: { web: { route: "brave" } } },
    base: MemoryWebSearch.layer({})
  },
  workspace: { service: Workspace, turns: [turn("read_file", { path: "notes.txt" }), ends] },
  worktrees: { service: Worktrees, ...delegates("edit") }
}

/** A composition with a replacement of this part. */
type Way = (part: Part, row: Row, replacements: Partial<Composition.Parts>, root: string) => Layer.Layer<Agent | EventLog, unknown, unknown>

const scriptOf = ({ children = [], turns = [ends] }: Row) => ({
  turns,
  children: [{ prompt: "Look at it.", turns: children }],
  synthesis: { text: "The synthesis." }
})

const ways: Record<string, Way> = {
  "Live.layer": (_, __, replacements, root) =>
    Live.layer({ roots: [root], approver: ScriptedApprover.layer([]), ...replacements } as never),
  "Test.layer": (_, row, replacements) => Test.layer({ ...testScript(row), ...replacements } as never),
  "a composition from parts": (_, __, replacements, root) =>
    Composition.layer({ ...Live.parts({ roots: [root] }), approver: ScriptedApprover.layer([]), ...replacements } as Composition.Parts)
}

const testScript = (row: Row) => ({ ...scriptOf(row), children: [{ prompt: "Look at it.", turns: row.children ?? [] }], ...world() })
const world = () => ({
  files: new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  commands: { "echo hello": { output: "hello\n" } },
  pages: { [page]: "<title>Page</title>It says this." }
})

describe.each(Object.entries(ways))("%s", (name, way) => {
  it.each(Object.keys(rows) as ReadonlyArray<Part>)("uses the given %s", async (part) => {
    const row = rows[part]
    const root = name === "Test.layer" ? Test.cwd : place(`${name}-${part}`)
    // Each has a store of its own: given ids begin from one.
    vi.stubEnv("DACAPO_HOME", join(folder, `home-${name}-${part}`))
    const calls: Array<string> = []
    const bases: Partial<Composition.Parts> = Test.parts(testScript(row))
    const base = row.base ?? (part === "workspace" ? (await import("../../src/layers/testing/MemoryWorkspace.ts")).layer(world().files, root) : bases[part])
    const fake = recording(row.service, (base ?? Layer.empty) as Layer.Layer<unknown>, calls)
    const script = join(folder, `${part}.json`)
    writeFileSync(script, JSON.stringify(scriptOf(row)))
    const model = name === "Test.layer" || part === "provider" ? "scripted/test" : `scripted/${script}`
    built.clear()
    const task = Effect.gen(function*() {
      const agent = yield* Agent
      const id = yield* agent.start({ cwd: root, model, mode: "bypassPermissions", ...row.options })
      yield* agent.say(id, "Do it")
      return (yield* agent.settled(id)).task
    })
    const layer = way(part, row, { ...(await row.beside?.()), [part]: fake }, root) as Layer.Layer<Agent>
    const ended = await Effect.runPromise(Effect.provide(task, layer))
    assert.deepStrictEqual([ended.state, calls.length > 0, built.has(part)], [row.ends ?? "finished", true, false], ended.result)
  })
})
