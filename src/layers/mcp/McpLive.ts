/** The MCP servers of this process: started when first needed, one of each, stopped with this layer. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Sandbox from "../../domain/tool/Sandbox.ts"
import { McpError } from "../../domain/mcp/McpError.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Budget } from "../../services/Budget.ts"
import type { Environment } from "../../services/Environment.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { Ids } from "../../services/Ids.ts"
import type { JsonFiles } from "../../services/JsonFiles.ts"
import { Mcp, type Servers } from "../../services/Mcp.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Settings } from "../../services/Settings.ts"
import type { Storage } from "../../services/Storage.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as Pinned from "../network/Pinned.ts"
import * as StartApproval from "./client/StartApproval.ts"
import * as ServerDirectory from "./client/ServerDirectory.ts"
import * as Login from "./oauth/Login.ts"
import * as ConnectionPool from "./client/ConnectionPool.ts"
import * as Prompts from "./client/Prompts.ts"
import * as RefreshTools from "./client/RefreshTools.ts"
import * as Calls from "./client/Calls.ts"
import * as ToolConsent from "./ToolConsent.ts"

/** `servers` are treated like those of settings and project, as if the user had written them there. */
export interface Options {
  readonly servers?: Readonly<Record<string, Schema.Json>>
  /** The sandbox for local servers, as for commands; none if absent. */
  readonly sandbox?: Sandbox.SandboxOptions
  /** How names become addresses and addresses become sockets; tests supply their own. */
  readonly wires?: Pinned.Wires
}

const noSandbox: Sandbox.SandboxOptions = { mode: "danger-full-access", network: false }

type Requirements =
  | Approval
  | Approver
  | Budget
  | EventLog
  | Ids
  | Provider
  | Environment
  | JsonFiles
  | Settings
  | Storage
  | Trust
  | Workspace

export const layer = ({ sandbox = noSandbox, servers = {}, wires = Pinned.wires }: Options = {}): Layer.Layer<never, never, Requirements> =>
  Layer.effect(
    Mcp,
    Effect.gen(function*() {
      const services = yield* Effect.context<Requirements>()
      const directory = ServerDirectory.make(services, servers)
      const consent = yield* StartApproval.make(services)
      const pool = yield* ConnectionPool.make(services, { sandbox, wires })
      const tools = yield* ToolConsent.make(services)
      const lookup = approvedServers(directory, consent, pool)
      return {
        ...Calls.make(lookup, services),
        ...Prompts.make(lookup),
        ...Login.make(services, directory, consent, pool, wires),
        refresh: RefreshTools.make(directory, consent, tools, pool),
        write: directory.write,
        list: Effect.fn("Mcp.known")(function*(cwd) {
          const { notes, servers } = yield* directory.load(cwd)
          return {
            servers: yield* Effect.forEach(
              servers,
              (server) => Effect.map(consent.isApproved(server, cwd), (allowed) => ({ ...server, allowed }))
            ),
            notes
          }
        }),
        allow: Effect.fn("Mcp.allow")(function*(cwd, name, start) {
          const { known: server } = yield* directory.named(cwd, name)
          return { server, details: yield* consent.approve(server, cwd, start) }
        }),
        review: Effect.fn("Mcp.review")(function*(cwd, name) {
          const { known: server } = yield* directory.named(cwd, name)
          return yield* consent.review(server, cwd)
        }),
        test: testServer(directory, consent, pool, services)
      } satisfies Servers
    })
  )

/** The servers that a session may use: those that it was allowed to start. */
const approvedServers = (
  { load, named }: ServerDirectory.Directory,
  { isAllowed }: StartApproval.StartApproval,
  { slot }: ConnectionPool.ConnectionPool
): Calls.ServerLookup => ({
  find: Effect.fnUntraced(function*(cwd, session, name) {
    const { known: server, rules, timeouts } = yield* Effect.catchTag(
      named(cwd, name),
      "SettingsError",
      ({ message }) => new McpError({ server: name, reason: "Unwanted", message: `can't be used: ${message}` })
    )
    if (!isAllowed(server, cwd, session))
      return yield* new McpError({ server: name, reason: "Unwanted", message: "was not allowed to start" })
    return yield* slot(cwd, server, { rules, timeouts })
  }),
  all: (cwd, session) =>
    load(cwd).pipe(
      Effect.flatMap((configuration) =>
        Effect.forEach(configuration.servers.filter((server) => isAllowed(server, cwd, session)), (server) =>
          slot(cwd, server, configuration))
      ),
      Effect.orElseSucceed(() => [])
    )
})

/** Connects because the user asked to; what a just approved server offers counts as approved. */
const testServer = (
  { named }: ServerDirectory.Directory,
  { isApproved }: StartApproval.StartApproval,
  { slot }: ConnectionPool.ConnectionPool,
  services: Context.Context<Environment | JsonFiles>
): Servers["test"] =>
  Effect.fn("Mcp.test")(function*(cwd, name) {
    const { known: entry, rules, timeouts } = yield* named(cwd, name)
    if (!(yield* isApproved(entry, cwd)))
      return yield* new McpError({ server: name, reason: "Unwanted", message: `was not allowed. ${StartApproval.remedy(name)}` })
    const { connection } = (yield* slot(cwd, entry, { rules, timeouts })).slot
    const { client, listing } = yield* connection
    const { server, tools } = yield* Effect.tap(
      listing,
      (listing) => Effect.provide(ToolConsent.acceptFirst(entry, cwd, listing), services)
    )
    return { server, tools, protocol: client.getNegotiatedProtocolVersion() ?? "", version: client.getServerVersion()?.version ?? "" }
  })
