/** The connection slots of this process's servers, one for each definition; all end with the scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type * as Sandbox from "../../../domain/tool/Sandbox.ts"
import { McpError } from "../../../domain/mcp/McpError.ts"
import type { Approval } from "../../../services/Approval.ts"
import type { Approver } from "../../../services/Approver.ts"
import type { Budget } from "../../../services/Budget.ts"
import { Environment } from "../../../services/Environment.ts"
import type { EventLog } from "../../../services/EventLog.ts"
import type { ConfiguredServer } from "../../../services/Mcp.ts"
import type { Provider } from "../../../services/Provider.ts"
import { Workspace } from "../../../services/Workspace.ts"
import type * as Pinned from "../../network/Pinned.ts"
import * as SandboxedShell from "../../workspace/shell/SandboxedShell.ts"
import * as ProcessTree from "../../workspace/shell/ProcessTree.ts"
import * as ServerRequests from "./ServerRequests.ts"
import type { McpSettings } from "./LoadDefinitions.ts"
import * as TokenStore from "../oauth/TokenStore.ts"
import type { PooledConnection } from "./Calls.ts"
import * as Sampling from "./Sampling.ts"
import * as ServerConnection from "./ServerConnection.ts"

type Requirements = Approval | Approver | Budget | Environment | EventLog | Provider | Workspace

export interface ConnectionPool {
  /** The slot of a server in a folder; a new one if its definition has changed. */
  readonly slot: (
    cwd: string,
    server: ConfiguredServer,
    settings: Pick<McpSettings, "rules" | "timeouts">
  ) => Effect.Effect<PooledConnection>
  /** A name for each further process. */
  readonly marker: () => string
}

/** How connections are made, and the sandbox for local servers. */
export interface Options {
  readonly wires: Pinned.Wires
  readonly sandbox: Sandbox.SandboxOptions
}

export const make = Effect.fnUntraced(function*(services: Context.Context<Requirements>, { sandbox, wires }: Options) {
  const environment = Context.get(services, Environment)
  const { variables } = environment
  const { roots } = Context.get(services, Workspace)
  // Closed concurrently, so that a slow one delays none.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const lock = yield* Semaphore.make(1)
  const slots = new Map<string, { readonly slot: ServerConnection.ServerConnection; rules: McpSettings["rules"] }>()
  let requests = 0
  const marker = () => ProcessTree.marker(variables)

  const open = Effect.fnUntraced(
    function*(cwd: string, { definition }: ConfiguredServer, { rules, timeouts }: Pick<McpSettings, "rules" | "timeouts">, callMs: number) {
      const callers: Array<string> = []
      const prepare = ServerRequests.prepare({
        server: definition.name,
        roots,
        run: (effect, signal) => Effect.runPromiseWith(services)(effect, { signal }),
        sample: (request) => Effect.provide(sampleForCaller(definition.name, callers.at(-1), ++requests, request), services)
      })
      const login = (url: string) => Effect.provide(TokenStore.storedLogin(definition, url), services)
      const confine = SandboxedShell.open(sandbox, roots.includes(cwd) ? roots : [cwd, ...roots.slice(1)], environment)
      const entry: { rules: McpSettings["rules"]; slot?: ServerConnection.ServerConnection } = { rules }
      const slot = yield* ServerConnection.make(
        {
          definition,
          cwd,
          variables,
          wires,
          rules: () => entry.rules,
          sandbox: confine,
          connectMs: definition.connectTimeoutMs ?? timeouts.connect,
          capabilities: ServerRequests.capabilities,
          prepare,
          login
        },
        { callMs, callers, marker }
      ).pipe(Scope.provide(scope))
      return Object.assign(entry, { slot })
    }
  )

  const slot: ConnectionPool["slot"] = (cwd, server, settings) =>
    Effect.gen(function*() {
      const key = JSON.stringify([cwd, server.definition])
      const callMs = server.definition.timeoutMs ?? settings.timeouts.call
      const entry = slots.get(key) ?? (yield* open(cwd, server, settings, callMs))
      slots.set(key, entry)
      entry.rules = settings.rules
      return { slot: entry.slot, callMs }
    }).pipe(lock.withPermits(1))

  return { slot, marker } satisfies ConnectionPool as ConnectionPool
})

/** Sampling is only allowed during a session's call. */
const sampleForCaller = (server: string, session: string | undefined, sequence: number, request: Sampling.SamplingRequest) =>
  session === undefined
    ? Effect.fail(new McpError({ server, reason: "Unwanted", message: "may not use the model: no call of a session is in progress" }))
    : Sampling.sample(server, session, sequence, request)
