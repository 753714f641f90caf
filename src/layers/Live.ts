/** The agent as people use it: every service has a live default, and any of them can be replaced. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { optional } from "../domain/Optional.ts"
import type * as Config from "../domain/config/Settings.ts"
import type { SettingsError } from "../domain/config/SettingsError.ts"
import type { LogError } from "../domain/session/LogError.ts"
import type * as Sandbox from "../domain/tool/Sandbox.ts"
import type { FileError } from "../domain/workspace/FileError.ts"
import { Plugins } from "../services/extension/Plugins.ts"
import { Environment } from "../services/Environment.ts"
import type { ProviderKey } from "../services/Keys.ts"
import type { Route } from "../services/Route.ts"
import { SettingsSnapshot } from "../services/Settings.ts"
import { Shell } from "../services/Shell.ts"
import type * as Tool from "../services/Tool.ts"
import * as Composition from "./Composition.ts"
import * as Core from "./Core.ts"
import { builtin as providers } from "./provider/builtin.ts"
import * as Records from "./Records.ts"
import * as Exporters from "./telemetry/Exporters.ts"

/** Folders that the user opened, absolute, the session's own first. */
export type Roots = readonly [string, ...ReadonlyArray<string>]

/**
 * What the defaults need to know.
 *
 * - `tools` and `routes` are added to the built-in ones. A tool may need services that the composition lacks: they become
 *   requirements of the layer.
 * - `apiKey` is the key of one provider, in place of the environment's and the saved one.
 * - `baseUrl` replaces every provider's address. `sandbox`: the sandbox for commands, overriding the settings; by
 *   default there is none.
 */
export interface Defaults {
  readonly roots: Roots
  readonly tools?: ReadonlyArray<Tool.Any<unknown>>
  readonly routes?: ReadonlyArray<Route>
  readonly apiKey?: ProviderKey
  readonly baseUrl?: string
  readonly sandbox?: Partial<Sandbox.SandboxOptions>
  /** MCP servers besides those of settings and project, in the shape of `mcpServers`. */
  readonly mcpServers?: Readonly<Record<string, Schema.Json>>
}

/** Who answers questions is the one service without a default; any other replaces its default. */
export interface Options extends Defaults, Partial<Composition.Parts> {
  readonly approver: Composition.Parts["approver"]
}

/** The default layer of each service, except the approver's: to compose a program's own agent from parts. */
export const parts = <const T extends ReadonlyArray<Tool.Any<unknown>> = []>(options: Defaults & { readonly tools?: T }) => ({
  ...Records.parts,
  ...folderParts(options, options.tools),
  browser: Composition.lazy(() => import("./browser/BrowserLive.ts").then(({ layer }) => layer)),
  budget: Core.agent.budget,
  checkpoints: Composition.lazy(() => import("./workspace/checkpoints/GitCheckpoints.ts").then(({ layer }) => layer())),
  fileSystem: Composition.lazy(() => import("./workspace/files/DirectFileSystem.ts").then(({ layer }) => layer)),
  mcp: withSettings((settings) =>
    Composition.lazy(() =>
      import("./mcp/McpLive.ts").then(({ layer }) =>
        layer({ servers: options.mcpServers ?? {}, sandbox: sandboxOptions(settings, options.sandbox) })
      )
    )
  ),
  provider: withSettings((settings) => providerLayer(settings, options)),
  telemetry,
  web: Composition.lazy(() => import("./network/WebLive.ts").then(({ layer }) => layer)),
  webSearch: withSettings(({ providers = {}, webSearch }) =>
    webSearch === undefined ? Layer.empty : Composition.lazy(async () => {
      const [{ layer }, transport] = await Promise.all([import("./search/WebSearchLive.ts"), import("./provider/transport/FetchLive.ts")])
      const baseUrl = webSearch.baseUrl ?? providers[webSearch.route]?.baseUrl
      return layer({ ...webSearch, ...(baseUrl === undefined ? {} : { baseUrl }) }).pipe(Layer.provide(transport.layer))
    })
  ),
  worktrees: worktrees(options, {})
})

/**
 * The agent and all that it needs, answered by this machine. A service that is given replaces its default, which is then
 * neither built nor loaded; it may need the services that its default could use, and others, which are then required of
 * the caller. Subagents use it too, also those in worktrees: there a layer is built anew if it may depend on the folder. A
 * replaced workspace has no worktrees.
 *
 *     Live.layer({ roots: ["/home/me/project"], approver, shell: Container.layer, storage: Memory.layer })
 */
export const layer = <const O extends Options>(
  options: Composition.Exact<O, keyof Options>
): Composition.Replaced<DefaultFailure, O> => {
  const plainOptions: O = options
  const { workspace, ...replacements }: Partial<Composition.Parts> = plainOptions
  return Composition.replaced(
    { ...parts(plainOptions), worktrees: workspace === undefined ? worktrees(plainOptions, replacements) : Layer.empty },
    plainOptions
  )
}

/** How the defaults can fail. */
export type DefaultFailure = FileError | LogError | Sandbox.SandboxError | SettingsError

/** What depends on the folder: an agent in a worktree has its own. */
const folderParts = <const T extends ReadonlyArray<Tool.Any<unknown>> = []>({ roots, sandbox }: Defaults, tools?: T) => ({
  ...Core.parts<T>(tools),
  agent: Core.agent.agent,
  codeSearch: withSettings(({ codeSearch = false }) =>
    codeSearch === false ? Layer.empty : Composition.lazy(async () => {
      const [{ layer }, transport] = await Promise.all([import("./search/CodeSearchLive.ts"), import("./provider/transport/FetchLive.ts")])
      return layer(codeSearch).pipe(Layer.provide(transport.layer))
    })
  ),
  diagnostics: withSettings((settings) =>
    Composition.lazy(() =>
      import("./diagnostics/DiagnosticsLive.ts").then(({ layer }) => {
        const { checkers, languageServers: servers } = settings
        return layer({ sandbox: sandboxOptions(settings, sandbox), ...optional({ checkers, servers }) })
      })
    )
  ),
  settingsSnapshot: Core.settingsSnapshot(roots[0]),
  shell: withSettings((settings) => shellLayer(sandboxOptions(settings, sandbox), roots)),
  subagents: Core.agent.subagents,
  workspace: Composition.lazy(async () => {
    const [{ layer }, { over }] = await Promise.all([
      import("./workspace/files/NodeWorkspace.ts"),
      import("./workspace/files/EditorFiles.ts")
    ])
    return over(layer({ roots, ...optional({ hidden: sandbox?.hidden }) }))
  })
})

/** A sandbox confines our own processes, not the terminals of an editor. */
const shellLayer = (sandbox: Sandbox.SandboxOptions, roots: Roots) =>
  Composition.lazy(async () => {
    const [{ layerSandboxed }, { over }] = await Promise.all([
      import("./workspace/shell/ShellLive.ts"),
      import("./workspace/shell/EditorShell.ts")
    ])
    const shell = layerSandboxed(sandbox, roots)
    return sandbox.mode === "danger-full-access" ? over(shell, roots) : shell
  })

/** Loaded only where the standard variables ask for it. */
const telemetry = Layer.unwrap(
  Effect.map(
    Environment,
    ({ variables }) =>
      Exporters.isOn(variables) ? Composition.lazy(() => import("./telemetry/TelemetryLive.ts").then(({ layer }) => layer)) : Layer.empty
  )
)

const withSettings = <A, E, R>(make: (settings: Config.Settings) => Layer.Layer<A, E, R>) =>
  Layer.unwrap(Effect.map(SettingsSnapshot, make))

/** Agents in other folders. Over the parent's services, each has the parts that depend on the folder. */
const worktrees = <const T extends ReadonlyArray<Tool.Any<unknown>>>(
  options: Defaults & { readonly tools?: T },
  { shell, ...replacements }: Partial<Composition.Parts>
) =>
  Composition.lazy(() =>
    import("./workspace/worktree/WorktreesLive.ts").then(({ layer }) =>
      layer((cwd) => {
        const folder = {
          ...folderParts({ ...options, roots: [cwd, ...options.roots.slice(1)] }, options.tools),
          checkpoints: Composition.lazy(() => import("./workspace/checkpoints/WorktreeCheckpoints.ts").then(({ layer }) => layer(cwd))),
          // A replaced shell is the parent's: every command names its folder.
          ...(shell === undefined ? {} : { shell: Layer.effect(Shell, Shell) })
        }
        const rebuilt: {} = Object.fromEntries(Object.entries(replacements).filter(([part]) => part in folder))
        return Composition.layer({ ...folder, ...rebuilt })
      })
    )
  )

/** Models, as plugins and the user's settings for this folder say; the catalogue as it was last renewed. */
const providerLayer = ({ providers: settings = {}, ...rest }: Config.Settings, { apiKey, baseUrl, roots: [cwd], routes = [] }: Defaults) =>
  Layer.unwrap(Effect.gen(function*() {
    const plugins = yield* (yield* Plugins).providers(cwd)
    const [{ load, refreshDaily }, EndpointNotes] = yield* Effect.promise(() =>
      Promise.all([import("./provider/CatalogueFile.ts"), import("./provider/EndpointNotes.ts")])
    )
    const catalogue = yield* load
    const notes = yield* EndpointNotes.make
    yield* Effect.forkScoped(refreshDaily(rest))
    return Composition.lazy(() =>
      import("./provider/ProviderLive.ts").then(({ layer }) =>
        layer({
          routes: [...providers, ...plugins.routes, ...routes],
          ...optional({ apiKey, baseUrl }),
          providers: { ...plugins.settings, ...settings },
          catalogue,
          notes
        })
      )
    )
  })).pipe(Layer.provide(Composition.lazy(() => import("./provider/transport/FetchLive.ts").then(({ layer }) => layer))))

/** What commands and MCP servers are confined to: the options of the call, over the settings. */
const sandboxOptions = (
  { sandbox = "danger-full-access", sandboxNetwork = false }: Config.Settings,
  overrides: Partial<Sandbox.SandboxOptions> = {}
): Sandbox.SandboxOptions => ({ mode: sandbox, network: sandboxNetwork, ...overrides })
