/** The agent in a test: the same loop and the same core, in an environment that the test defines. */
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { Environment } from "../services/Environment.ts"
import type { Provider } from "../services/Provider.ts"
import type { Storage } from "../services/Storage.ts"
import * as AgentLive from "./agent/AgentLive.ts"
import * as BudgetLive from "./agent/BudgetLive.ts"
import * as SubagentsLive from "./subagent/SubagentsLive.ts"
import * as Core from "./Core.ts"
import * as EventLogLive from "./storage/EventLogLive.ts"
import * as MemoryStorage from "./storage/MemoryStorage.ts"
import * as CountingIds from "./testing/CountingIds.ts"
import * as FakeShell from "./testing/FakeShell.ts"
import * as MemoryBrowser from "./testing/MemoryBrowser.ts"
import * as MemoryCheckpoints from "./testing/MemoryCheckpoints.ts"
import * as MemoryFiles from "./testing/MemoryFiles.ts"
import * as MemoryTrust from "./testing/MemoryTrust.ts"
import * as MemoryWeb from "./testing/MemoryWeb.ts"
import * as MemoryWorkspace from "./testing/MemoryWorkspace.ts"
import * as ScriptedApprover from "./testing/ScriptedApprover.ts"
import * as ScriptedProvider from "./testing/ScriptedProvider.ts"

/**
 * `turns` are the model's, which writes `summary` when asked for one, `answers` the user's, `commands` the shell's
 * output, `pages` the web; `files` change in place.
 */
export interface World {
  readonly turns: ReadonlyArray<ScriptedProvider.Turn>
  /** The provider that replaces the script, with keys and addresses from `variables`. */
  readonly provider?: Layer.Layer<Provider, never, Environment>
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
  readonly commands?: Parameters<typeof FakeShell.layer>[0]
  readonly pages?: MemoryWeb.Pages
  readonly tools?: ReadonlyArray<Core.CustomTool>
  /** Where sessions are stored; by default a new, empty store. */
  readonly storage?: Layer.Layer<Storage>
}

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

/** The agent in an environment that the test defines: model, answers, files and commands; clock and ids are deterministic. */
export const layer = ({
  answers = [],
  children,
  commands = {},
  files = new Map(),
  model,
  pages = {},
  storage = MemoryStorage.layer,
  summary,
  synthesis,
  tools,
  turns,
  provider = ScriptedProvider.layer(turns, model, summary, {
    ...(children === undefined ? {} : { children }),
    ...(synthesis === undefined ? {} : { synthesis })
  }),
  variables = {},
  words = []
}: World) =>
  AgentLive.layer.pipe(
    Layer.provide(Layer.merge(BudgetLive.layer, SubagentsLive.layer)),
    Layer.provideMerge(MemoryCheckpoints.layer(files)),
    Layer.provideMerge(Core.layer(tools)),
    Layer.provideMerge(Layer.mergeAll(
      FakeShell.layer(commands),
      MemoryBrowser.layer(pages),
      MemoryWeb.layer(pages),
      MemoryWorkspace.layer(files, cwd),
      ScriptedApprover.layer(answers, words),
      provider
    )),
    Layer.provideMerge(Layer.merge(EventLogLive.layer, CountingIds.layer)),
    Layer.provideMerge(
      Layer.mergeAll(environmentWith(variables), storage, MemoryFiles.layer(), MemoryTrust.layer([cwd]), FileSystem.layerNoop({}))
    )
  )
