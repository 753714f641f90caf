/** The agent in a test: the same loop and the same core, in an environment that the test defines. */
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Environment } from "../services/Environment.ts"
import type * as Tool from "../services/Tool.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"
import * as Composition from "./Composition.ts"
import * as Core from "./Core.ts"
import * as EventLogLive from "./storage/EventLogLive.ts"
import * as MemoryStorage from "./storage/MemoryStorage.ts"
import * as CountingIds from "./testing/CountingIds.ts"
import * as FakeShell from "./testing/FakeShell.ts"
import * as MemoryBrowser from "./testing/MemoryBrowser.ts"
import * as MemoryCheckpoints from "./testing/MemoryCheckpoints.ts"
import * as MemoryFiles from "./testing/MemoryFiles.ts"
import * as MemorySettings from "./settings/MemorySettings.ts"
import * as MemoryTrust from "./testing/MemoryTrust.ts"
import * as MemoryWeb from "./testing/MemoryWeb.ts"
import * as MemoryWorkspace from "./testing/MemoryWorkspace.ts"
import * as ScriptedApprover from "./testing/ScriptedApprover.ts"
import * as ScriptedProvider from "./testing/ScriptedProvider.ts"
import * as TestRedactor from "./testing/TestRedactor.ts"

/**
 * What the fakes are scripted with: `turns` are the model's, which writes `summary` when asked for one, `answers` the
 * user's, `commands` the shell's output, `pages` the web; `files` change in place.
 */
export interface Script<R = unknown> {
  readonly turns?: ReadonlyArray<ScriptedProvider.Turn>
  readonly variables?: Environment["Service"]["variables"]
  /** The scripted model's capabilities and prices, where they differ from the defaults. */
  readonly model?: Parameters<typeof ScriptedProvider.layer>[1]
  readonly summary?: ScriptedProvider.Turn
  /** The responses of subagents, and of the requests that combine their reports. */
  readonly children?: NonNullable<Parameters<typeof ScriptedProvider.layer>[3]>["children"]
  readonly synthesis?: ScriptedProvider.Turn
  readonly files?: MemoryWorkspace.Files
  readonly answers?: ReadonlyArray<ScriptedApprover.ScriptedAnswer>
  readonly words?: ReadonlyArray<string>
  readonly commands?: FakeShell.Script
  readonly pages?: MemoryWeb.Pages
  readonly tools?: ReadonlyArray<Tool.Any<R>>
}

/** A script, and the services that replace its fakes. Their layers fail with `E`, and they and the tools need `R` besides the fakes. */
export interface World<E = never, R = never> extends Script<Composition.Below<"toolset"> | R>, Partial<Composition.Parts<E, R>> {}

/** The folder of a test's workspace. */
export const cwd = "/workspace"

const environmentWith = (variables: Environment["Service"]["variables"]) =>
  Layer.succeed(Environment, {
    variables,
    folders: { home: "/home/test", config: "/home/test/c", data: "/home/test/d", state: "/home/test/s", cache: "/home/test/x" },
    platform: "linux",
    version: "0.0.0-test"
  })
/** A machine without variables, whose folders are in memory. */
export const environment = environmentWith({})

/** The default layer of each service, to compose an agent from: model, answers, files and commands are the script's. */
export const parts = <const T extends ReadonlyArray<Tool.Any<unknown>> = []>({
  answers = [],
  children,
  commands = {},
  files = new Map(),
  model,
  pages = {},
  summary,
  synthesis,
  tools,
  turns = [],
  variables = {},
  words = []
}: Script & { readonly tools?: T } = {}) => ({
  ...Core.parts<T>(tools),
  ...Core.agent,
  approver: ScriptedApprover.layer(answers, words),
  browser: MemoryBrowser.layer(pages),
  checkpoints: MemoryCheckpoints.layer(files),
  environment: environmentWith(variables),
  eventLog: EventLogLive.layer,
  fileSystem: FileSystem.layerNoop({}),
  ids: CountingIds.layer,
  jsonFiles: MemoryFiles.layer(),
  provider: ScriptedProvider.layer(turns, model, summary, {
    ...(children === undefined ? {} : { children }),
    ...(synthesis === undefined ? {} : { synthesis })
  }),
  redactor: TestRedactor.layer(),
  settings: MemorySettings.layer(),
  settingsSnapshot: Core.settingsSnapshot(cwd),
  shell: FakeShell.layer(commands),
  storage: MemoryStorage.layer,
  trust: MemoryTrust.layer([cwd]),
  web: MemoryWeb.layer(pages),
  workspace: MemoryWorkspace.layer(files, cwd)
})

/**
 * The agent in an environment that the test defines: model, answers, files and commands; clock and ids are
 * deterministic. A service that is given replaces its fake, as in `Live.layer`.
 */
export const layer = <const W extends World<unknown, unknown>>(
  world: Composition.Exact<W, keyof World>
): Composition.Replaced<SettingsError, W> => {
  const plainWorld: W = world
  return Composition.replaced(parts(plainWorld), plainWorld)
}
