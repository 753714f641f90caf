/** The agent as people use it: every service answered by the real world. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Sandbox from "../domain/tool/Sandbox.ts"
import { Approver } from "../services/Approver.ts"
import { Browser } from "../services/Browser.ts"
import type { Route } from "../services/Route.ts"
import { Settings } from "../services/Settings.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type { Storage } from "../services/Storage.ts"
import { Shell } from "../services/Shell.ts"
import { Web } from "../services/Web.ts"
import { Workspace } from "../services/Workspace.ts"
import * as AgentLive from "./agent/AgentLive.ts"
import * as BudgetLive from "./agent/BudgetLive.ts"
import * as BrowserLive from "./browser/BrowserLive.ts"
import * as ChildrenLive from "./subagent/SubagentsLive.ts"
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
 * - `approver`: who answers questions. `tools` and `routes` stand beside the built-in ones.
 * - `storage`: where sessions are kept; the user's own store where nothing is said.
 * - `baseUrl` replaces every provider's address. `sandbox`: what commands are confined to, over what the settings say; without either they are not.
 */
export interface Options<E, R> {
  readonly roots: readonly [string, ...ReadonlyArray<string>]
  readonly approver: Layer.Layer<Approver, E, R>
  readonly tools?: ReadonlyArray<Core.OwnTool>
  readonly routes?: ReadonlyArray<Route>
  readonly baseUrl?: string
  readonly storage?: Layer.Layer<Storage>
  readonly sandbox?: Partial<Sandbox.Asked>
  /** MCP servers beside those of settings and project, in the shape of `mcpServers`. */
  readonly mcpServers?: Readonly<Record<string, Schema.Json>>
}

/** The agent and all that it needs, answered by this machine; a service that is provided instead of one of these is used. */
export const layer = <E, R>({ approver, baseUrl, mcpServers, roots, routes = [], sandbox, storage, tools }: Options<E, R>) =>
  agent(tools).pipe(
    Layer.provideMerge(WorktreesLive.layer((cwd) => apart([cwd, ...roots.slice(1)], sandbox, tools))),
    Layer.provideMerge(McpLive.layer(mcpServers === undefined ? {} : { servers: mcpServers }).pipe(Layer.provide([ApprovalLive.layer, BudgetLive.layer]))),
    Layer.provideMerge(Layer.mergeAll(
      GitCheckpoints.layer().pipe(Layer.provideMerge(place(roots, sandbox))),
      WebLive.layer,
      BrowserLive.layer,
      approver,
      provider({ cwd: roots[0], routes: [...providers, ...routes], ...(baseUrl === undefined ? {} : { baseUrl }) })
    )),
    Layer.provideMerge(storage === undefined ? Records.layer : Records.over<LogError>(storage)),
    Layer.provide(NodeFileSystem.layer)
  )

/** The agent, over files and programs of its own and all that sessions share. */
const agent = (tools: ReadonlyArray<Core.OwnTool> | undefined) =>
  AgentLive.layer.pipe(
    Layer.provide(Layer.merge(BudgetLive.layer, ChildrenLive.layer)),
    Layer.provideMerge(Core.layer(tools))
  )

/** The agent of a child that has a worktree to itself. */
const apart = (roots: Options<never, never>["roots"], sandbox: Partial<Sandbox.Asked> | undefined, tools: ReadonlyArray<Core.OwnTool> | undefined) =>
  agent(tools).pipe(Layer.provide(Layer.merge(WorktreeCheckpoints.layer(roots[0]), place(roots, sandbox))))

/** Models, as the user's settings for this folder say; the catalogue as it was last renewed. */
const provider = ({ cwd, ...options }: ProviderLive.Options & { readonly cwd: string }) =>
  Layer.unwrap(Effect.gen(function*() {
    const { load } = yield* Settings
    const { providers = {} } = yield* load(cwd)
    return ProviderLive.layer({ ...options, providers, catalogue: yield* CatalogueFile.load })
  })).pipe(Layer.provide(FetchLive.layer))

/** The user's files and programs. */
const place = (roots: Options<never, never>["roots"], sandbox: Partial<Sandbox.Asked> = {}) =>
  Layer.merge(NodeWorkspace.layer({ roots }), shell(roots, sandbox))

const shell = (roots: Options<never, never>["roots"], asked: Partial<Sandbox.Asked>) =>
  Layer.unwrap(Effect.gen(function*() {
    const { sandbox = "danger-full-access", sandboxNetwork = false } = yield* (yield* Settings).load(roots[0])
    return ShellLive.layerSandboxed({ mode: sandbox, network: sandboxNetwork, ...asked }, roots)
  }))

/** What a session that runs again computes with: the same as live, in a world that must not be asked. */
export const replaying = Layer.merge(Core.layer(), ProviderLive.layer()).pipe(
  Layer.provide([Layer.mock(Approver)({}), Layer.mock(Workspace)({ roots: [] }), Layer.mock(Shell)({}), Layer.mock(Web)({}), Layer.mock(Browser)({}), NodeFileSystem.layer]),
  Layer.provideMerge(Records.layer)
)
