/** The agent as people use it: every service with its live implementation. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Config from "../domain/config/Settings.ts"
import type * as Sandbox from "../domain/tool/Sandbox.ts"
import { Approver } from "../services/Approver.ts"
import { Browser } from "../services/Browser.ts"
import type { Route } from "../services/Route.ts"
import { Settings, SettingsSnapshot } from "../services/Settings.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Storage } from "../services/Storage.ts"
import { Shell } from "../services/Shell.ts"
import { Web } from "../services/Web.ts"
import { Workspace } from "../services/Workspace.ts"
import * as AgentLive from "./agent/AgentLive.ts"
import * as BudgetLive from "./agent/BudgetLive.ts"
import * as BrowserLive from "./browser/BrowserLive.ts"
import * as SubagentsLive from "./subagent/SubagentsLive.ts"
import * as Core from "./Core.ts"
import { builtin as providers } from "./provider/builtin.ts"
import * as WebLive from "./network/WebLive.ts"
import * as CatalogueFile from "./provider/CatalogueFile.ts"
import * as FetchLive from "./provider/transport/FetchLive.ts"
import * as ApprovalLive from "./approval/ApprovalLive.ts"
import * as McpLive from "./mcp/McpLive.ts"
import * as ProviderLive from "./provider/ProviderLive.ts"
import * as Records from "./Records.ts"
import * as GitCheckpoints from "./workspace/checkpoints/GitCheckpoints.ts"
import * as NodeWorkspace from "./workspace/files/NodeWorkspace.ts"
import * as ShellLive from "./workspace/shell/ShellLive.ts"
import * as WorktreeCheckpoints from "./workspace/checkpoints/WorktreeCheckpoints.ts"
import * as WorktreesLive from "./workspace/worktree/WorktreesLive.ts"

/**
 * - `roots`: folders that the user opened, absolute, the session's own first.
 * - `approver`: who answers questions. `tools` and `routes` are added to the built-in ones.
 * - `storage`: where sessions are stored; by default the user's own store.
 * - `baseUrl` replaces every provider's address. `sandbox`: the sandbox for commands, overriding the settings; by
 *   default there is none.
 */
export interface Options<E, R> {
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly approver: Layer.Layer<Approver, E, R>
  readonly tools?: ReadonlyArray<Core.CustomTool>
  readonly routes?: ReadonlyArray<Route>
  readonly baseUrl?: string
  readonly storage?: Layer.Layer<Storage>
  readonly sandbox?: Partial<Sandbox.SandboxOptions>
  /** MCP servers besides those of settings and project, in the shape of `mcpServers`. */
  readonly mcpServers?: Readonly<Record<string, Schema.Json>>
}

/** The agent and all that it needs, answered by this machine; a service that is provided instead of one of these is used. */
export const layer = <E, R>({ storage, ...options }: Options<E, R>) =>
  Layer.unwrap(Effect.map(SettingsSnapshot, (settings) => runtime(options, settings))).pipe(
    Layer.provideMerge(snapshot(options.roots[0])),
    Layer.provideMerge(storage === undefined ? Records.layer : Records.layerWith<LogError>(storage)),
    Layer.provide(NodeFileSystem.layer)
  )

/** Settings of a folder, loaded once for all that is built from them. */
const snapshot = (cwd: string) => Layer.effect(SettingsSnapshot, Effect.flatMap(Settings, ({ load }) => load(cwd)))

/** What is built from the settings, over the records. */
const runtime = <E, R>(
  { approver, baseUrl, mcpServers, roots, routes = [], sandbox, tools }: Omit<Options<E, R>, "storage">,
  settings: Config.Settings
) => {
  const sandboxOptions = confinement(settings, sandbox)
  return agent(tools).pipe(
    Layer.provideMerge(WorktreesLive.layer((cwd) => worktreeAgent([cwd, ...roots.slice(1)], sandbox, tools))),
    Layer.provideMerge(
      McpLive.layer({ servers: mcpServers ?? {}, sandbox: sandboxOptions }).pipe(
        Layer.provide([ApprovalLive.layer, BudgetLive.layer])
      )
    ),
    Layer.provideMerge(Layer.mergeAll(
      GitCheckpoints.layer().pipe(Layer.provideMerge(workspaceLayer(roots, sandboxOptions))),
      WebLive.layer,
      BrowserLive.layer,
      approver,
      provider(settings, { routes: [...providers, ...routes], ...(baseUrl === undefined ? {} : { baseUrl }) })
    ))
  )
}

/** The agent, over files and programs of its own and all that sessions share. */
const agent = (tools: ReadonlyArray<Core.CustomTool> | undefined) =>
  AgentLive.layer.pipe(
    Layer.provide(Layer.merge(BudgetLive.layer, SubagentsLive.layer)),
    Layer.provideMerge(Core.layer(tools))
  )

/** The agent of a subagent with its own worktree. */
const worktreeAgent = (
  roots: Options<never, never>["roots"],
  sandbox: Partial<Sandbox.SandboxOptions> | undefined,
  tools: ReadonlyArray<Core.CustomTool> | undefined
) =>
  Layer.unwrap(Effect.map(SettingsSnapshot, (settings) =>
    agent(tools).pipe(
      Layer.provide(Layer.merge(WorktreeCheckpoints.layer(roots[0]), workspaceLayer(roots, confinement(settings, sandbox))))
    ))).pipe(
      Layer.provide(snapshot(roots[0]))
    )

/** Models, as the user's settings for this folder say; the catalogue as it was last renewed. */
const provider = ({ providers = {} }: Config.Settings, options: ProviderLive.Options) =>
  Layer.unwrap(Effect.map(CatalogueFile.load, (catalogue) => ProviderLive.layer({ ...options, providers, catalogue }))).pipe(
    Layer.provide(FetchLive.layer)
  )

/** The user's files and programs. */
const workspaceLayer = (roots: Options<never, never>["roots"], sandbox: Sandbox.SandboxOptions) =>
  Layer.merge(NodeWorkspace.layer({ roots }), ShellLive.layerSandboxed(sandbox, roots))

/** What commands and MCP servers are confined to: the options of the call, over the settings. */
const confinement = (
  { sandbox = "danger-full-access", sandboxNetwork = false }: Config.Settings,
  overrides: Partial<Sandbox.SandboxOptions> = {}
): Sandbox.SandboxOptions => ({ mode: sandbox, network: sandboxNetwork, ...overrides })

/** What a replayed session computes with: the same as live, without access to the outside. */
export const replaying = Layer.merge(Core.layer(), ProviderLive.layer()).pipe(
  Layer.provide([
    Layer.mock(Approver)({}),
    Layer.mock(Workspace)({ roots: [] }),
    Layer.mock(Shell)({}),
    Layer.mock(Web)({}),
    Layer.mock(Browser)({}),
    NodeFileSystem.layer
  ]),
  Layer.provideMerge(Records.layer)
)
