/** The slots of this process's servers, one for each as it is written down; all end with the scope. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { McpError } from "../../../domain/mcp/McpError.ts"
import type { Approval } from "../../../services/Approval.ts"
import type { Approver } from "../../../services/Approver.ts"
import type { Budget } from "../../../services/Budget.ts"
import { Environment } from "../../../services/Environment.ts"
import type { EventLog } from "../../../services/EventLog.ts"
import type { Known } from "../../../services/Mcp.ts"
import type { Provider } from "../../../services/Provider.ts"
import { Workspace } from "../../../services/Workspace.ts"
import * as ProcessTree from "../../workspace/shell/ProcessTree.ts"
import * as Answers from "./ServerRequests.ts"
import type { Loaded } from "./LoadDefinitions.ts"
import * as Logins from "../oauth/TokenStore.ts"
import type { Found } from "./Calls.ts"
import * as Sample from "./Sampling.ts"
import * as Slot from "./ServerConnection.ts"

type Needs = Approval | Approver | Budget | Environment | EventLog | Provider | Workspace

export interface Pool {
  /** The slot of a server in a folder; another one where what is written down has changed. */
  readonly slot: (cwd: string, known: Known, timeouts: Loaded["timeouts"]) => Effect.Effect<Found>
  /** A name for one process more. */
  readonly marker: () => string
}

export const make = Effect.fnUntraced(function*(services: Context.Context<Needs>) {
  const { variables } = Context.get(services, Environment)
  const { roots } = Context.get(services, Workspace)
  // Closed side by side: one that takes its time holds up none.
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const turn = yield* Semaphore.make(1)
  const slots = new Map<string, Slot.Slot>()
  const outer = variables[ProcessTree.variable]
  let started = 0
  const marker = () => [...(outer === undefined ? [] : [outer]), `${ProcessTree.owner()}.mcp${++started}`].join("/")

  const begin = (cwd: string, { definition }: Known, timeouts: Loaded["timeouts"], callMs: number) => {
    const callers: Array<string> = []
    const prepare = Answers.prepare({
      server: definition.name,
      roots,
      run: (effect, signal) => Effect.runPromiseWith(services)(effect, { signal }),
      sample: (asked) => Effect.provide(sampled(definition.name, callers.at(-1), asked), services)
    })
    const login = (url: string) => Effect.provide(Logins.kept(definition, url), services)
    return Slot.make(
      { definition, cwd, variables, connectMs: definition.connectTimeout ?? timeouts.connect, capabilities: Answers.capabilities, prepare, login },
      { callMs, callers, marker }
    ).pipe(Scope.provide(scope))
  }

  const slot: Pool["slot"] = (cwd, known, timeouts) =>
    Effect.gen(function*() {
      const key = JSON.stringify([cwd, known.definition])
      const callMs = known.definition.timeout ?? timeouts.call
      const slot = slots.get(key) ?? (yield* begin(cwd, known, timeouts, callMs))
      slots.set(key, slot)
      return { slot, callMs }
    }).pipe(turn.withPermits(1))

  return { slot, marker } satisfies Pool as Pool
})

/** A model is asked for a call that a session made, and for nothing else. */
const sampled = (server: string, session: string | undefined, asked: Sample.Asked) =>
  session === undefined
    ? Effect.fail(new McpError({ server, reason: "Unwanted", message: "may not ask the model: no call of a session is open there" }))
    : Sample.sample(server, session, asked)
