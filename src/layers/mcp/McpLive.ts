/** The servers of this process: started when they are first needed, one of each, ended with this layer. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import { McpError } from "../../domain/mcp/McpError.ts"
import type { Approval } from "../../services/Approval.ts"
import type { Approver } from "../../services/Approver.ts"
import type { Budget } from "../../services/Budget.ts"
import type { Environment } from "../../services/Environment.ts"
import type { EventLog } from "../../services/EventLog.ts"
import type { Ids } from "../../services/Ids.ts"
import type { KeptFiles } from "../../services/JsonFiles.ts"
import { Mcp, type Servers } from "../../services/Mcp.ts"
import type { Provider } from "../../services/Provider.ts"
import type { Settings } from "../../services/Settings.ts"
import type { Storage } from "../../services/Storage.ts"
import type { Trust } from "../../services/Trust.ts"
import type { Workspace } from "../../services/Workspace.ts"
import * as Consent from "./client/StartApproval.ts"
import * as Directory from "./client/ServerDirectory.ts"
import * as LogIn from "./oauth/Login.ts"
import * as Pool from "./client/ConnectionPool.ts"
import * as Prompts from "./client/Prompts.ts"
import * as Renewal from "./client/RefreshTools.ts"
import * as Requests from "./client/Calls.ts"

/** `servers` stand beside those of settings and project, as if the user had written them there. */
export interface Options {
  readonly servers?: Readonly<Record<string, Schema.Json>>
}

type Needs = Approval | Approver | Budget | EventLog | Ids | Provider | Environment | KeptFiles | Settings | Storage | Trust | Workspace

export const layer = ({ servers = {} }: Options = {}): Layer.Layer<never, never, Needs> => Layer.effect(Mcp, Effect.gen(function*() {
  const services = yield* Effect.context<Needs>()
  const directory = Directory.make(services, servers)
  const consent = yield* Consent.make(services)
  const pool = yield* Pool.make(services)
  const running = allowed(directory, consent, pool)
  return {
    ...Requests.make(running, services),
    ...Prompts.make(running),
    ...LogIn.make(services, directory, pool),
    renewed: Renewal.make(directory, consent, pool),
    write: directory.write,
    known: (cwd) => Effect.map(directory.load(cwd), ({ notes, servers }) => ({ servers, notes })),
    test: tested(directory, pool)
  } satisfies Servers
}))

/** The servers that a session may ask: those that it was allowed to start. */
const allowed = ({ load, named }: Directory.Directory, { holds }: Consent.Consent, { slot }: Pool.Pool): Requests.Asked => ({
  find: Effect.fnUntraced(function*(cwd, session, name) {
    const { known, timeouts } = yield* Effect.catchTag(named(cwd, name), "SettingsError", ({ message }) =>
      new McpError({ server: name, reason: "Unwanted", message: `can't be used: ${message}` }))
    if (!holds(known, session)) return yield* new McpError({ server: name, reason: "Unwanted", message: "was not allowed to start" })
    return yield* slot(cwd, known, timeouts)
  }),
  all: (cwd, session) =>
    load(cwd).pipe(
      Effect.flatMap(({ servers, timeouts }) => Effect.forEach(servers.filter((known) => holds(known, session)), (known) => slot(cwd, known, timeouts))),
      Effect.orElseSucceed(() => [])
    )
})

/** Connects because the user says so. */
const tested = ({ named }: Directory.Directory, { slot }: Pool.Pool): Servers["test"] =>
  Effect.fn("Mcp.test")(function*(cwd, name) {
    const { known, timeouts } = yield* named(cwd, name)
    const { connected } = (yield* slot(cwd, known, timeouts)).slot
    const { client, given } = yield* connected
    const { server, tools } = yield* given
    return { server, tools, protocol: client.getNegotiatedProtocolVersion() ?? "", version: client.getServerVersion()?.version ?? "" }
  })
