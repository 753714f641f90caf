/** A session with services of its own, for a process that serves several to clients: editors (`acp`) and programs (`serve`). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { PendingRequest } from "../../domain/control/PendingRequest.ts"
import type { Operation, Start } from "../../domain/control/Operation.ts"
import { optional } from "../../domain/Optional.ts"
import type { Session } from "../../domain/session/Session.ts"
import { continueSession, holdSession } from "../../layers/cluster/HoldSession.ts"
import * as Controller from "../../layers/control/Controller.ts"
import { endSession } from "../../layers/agent/EndSession.ts"
import * as IdsLive from "../../layers/settings/IdsLive.ts"
import * as PendingRequests from "../../layers/control/PendingRequests.ts"
import { Agent } from "../../services/Agent.ts"
import { Approver } from "../../services/Approver.ts"
import { SharedSpending } from "../../services/cluster/SharedSpending.ts"
import { Environment } from "../../services/Environment.ts"
import { Editor, type EditorConnection } from "../../services/extension/Editor.ts"
import { Ids } from "../../services/Ids.ts"
import { Intake } from "../../services/Intake.ts"
import { HandOver } from "../../services/process/HandOver.ts"
import { Redactor } from "../../services/Redactor.ts"
import { SettingsSnapshot } from "../../services/Settings.ts"
import { Storage } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import * as SessionOptions from "../start/SessionOptions.ts"
import { AgentLayers, type Options as LayerOptions } from "./AgentLayers.ts"
import type { Failure } from "./ExitCode.ts"
import { Host } from "./Host.ts"

/**
 * `cwd` and `roots` are absolute. `stored` is a session to open; without it a new one begins as a fork of `fork`, or starts as `start`
 * says. `id`: its own.
 */
export interface Options {
  readonly values: Values
  readonly cwd: string
  readonly roots: ReadonlyArray<string>
  readonly mcpServers?: NonNullable<LayerOptions["mcpServers"]>
  readonly editor?: EditorConnection
  readonly stored?: string
  readonly start?: Start
  readonly fork?: Extract<Operation, { readonly _tag: "Fork" }>
  readonly id?: string
  /** The store of the process; by default the session opens its own. */
  readonly storage?: Storage["Service"]
  /**
   * The session moves between processes: what another one left unfinished continues, and what is unfinished when the scope closes is
   * left to the next one. By default it waits for `Continue`, and is interrupted.
   */
  readonly moves?: boolean
  /** The log of a new session carries the files of its folder, whatever the settings say. */
  readonly storeFiles?: boolean
  /** What the session of a tenant has in place of this machine's own. */
  readonly tenant?: TenantOptions
}

/** `environment` has no secrets; `hidden` are folders of others. `usdPerDay` is the tenant's daily limit. */
export interface TenantOptions extends Required<Pick<LayerOptions, "keys" | "redactor">> {
  readonly environment: Environment["Service"]
  readonly hidden: ReadonlyArray<string>
  readonly spending: SharedSpending
  readonly usdPerDay: number | undefined
}

export interface HostedSession {
  readonly id: string
  readonly cwd: string
  readonly controller: Controller.Controller<Failure>
  /** What waits for an answer in this session, its subagents and its forks. */
  readonly pending: () => ReadonlyArray<PendingRequest>
  readonly state: Effect.Effect<Session, Failure>
  /** Waits until nothing runs any more. */
  readonly settled: Effect.Effect<Session, Failure>
  readonly commands: ReturnType<Intake["Service"]["commands"]>
  /** The bytes of an image that an event names. */
  readonly getBlob: Storage["Service"]["getBlob"]
  /** A value for a client, without the secrets in its texts. */
  readonly redacted: <A>(value: A) => Effect.Effect<A>
}

/** Opens the session until the scope closes. */
export const open = Effect.fnUntraced(function*(options: Options) {
  const { cwd, editor = {}, fork, mcpServers, moves = false, roots, start, stored, storeFiles = false, tenant, values: flags } = options
  const carriesFiles = storeFiles ? { storeFiles } : {}
  const { environment } = tenant ?? (yield* Host)
  const agentLayers = yield* AgentLayers
  const values = {
    ...flags,
    ...optional({ maxDailyUsd: tenant?.usdPerDay }),
    ...(start?.model === undefined ? {} : { model: start.model }),
    ...(start?.mode === undefined ? {} : { permissionMode: start.mode })
  }
  const pending = moves ? PendingRequests.make(`request_${yield* Effect.provide(
    Effect.flatMap(Ids, ({ session }) => session),
    IdsLive.layer
  )}`)
    : PendingRequests.make()
  let isClosing = false
  const layerOptions = yield* SessionOptions.layerOptions(values, { cwd, roots })
  const layer = agentLayers.layer({
    ...layerOptions,
    mcpServers: { ...layerOptions.mcpServers, ...mcpServers },
    approver: Layer.succeed(Approver, pending.approver),
    ...(tenant === undefined ? {} : {
      environment: Layer.succeed(Environment, environment),
      keys: tenant.keys,
      redactor: tenant.redactor,
      sandbox: { ...layerOptions.sandbox, hidden: tenant.hidden }
    }),
    ...(options.storage === undefined ? {} : { storage: Layer.succeed(Storage, options.storage) })
  })
  // Closed after the services: what ends with them must not take the lease again.
  const holding = yield* Scope.fork(yield* Effect.scope)
  const services = yield* Layer.build(
    Layer.provide(layer, [
      Layer.succeed(Editor, editor),
      Layer.succeed(HandOver, { isDue: () => isClosing }),
      Layer.succeed(SharedSpending, tenant?.spending)
    ])
  )
  // The last finalizer is the first to run.
  if (moves) yield* Effect.addFinalizer(() => Effect.sync(() => void (isClosing = true)))
  const agent = Context.get(services, Agent)
  const redactor = Context.get(services, Redactor)
  const settings = Context.get(services, SettingsSnapshot)
  const controller = yield* Effect.provide(
    Controller.make<Failure>({
      pending,
      resolve: ({ name }) =>
        Effect.map(
          SessionOptions.resolve(values, "program", environment, { cwd, roots, settings }),
          (resolved) => ({ ...resolved, ...carriesFiles, ...optional({ id: options.id, name }) })
        )
    }),
    services
  )
  const id = stored ??
    (fork === undefined ? (yield* controller.run(start ?? { _tag: "Start", cwd })).session
      : yield* agent.fork(fork.session, { overrides: carriesFiles, ...optional({ at: fork.at, id: options.id }) }))
  if (moves) yield* holdSession(id).pipe(Scope.provide(holding), Effect.provide(services))
  if (stored !== undefined) {
    const { settings: current } = yield* agent.state(id)
    if (moves) {
      /** A session from before its tenant had a daily limit gets one: without it nothing is reserved. */
      const lacksLimit = tenant?.usdPerDay !== undefined && current.limits.dayUsd === undefined
      const overrides = lacksLimit ? { limits: { ...current.limits, dayUsd: tenant.usdPerDay } } : {}
      yield* Effect.provide(continueSession(id, overrides), services)
    } else {
      const overrides = SessionOptions.resumeOptions(values, "program", SessionOptions.currentSettings(current))
      yield* agent.resume(id, { overrides: { ...overrides, roots }, shouldContinue: false })
    }
  }
  /** Sessions that end with these services, each with the event that its own begin after. */
  const hosted = new Map([[id, -1]])
  const end = ([one, from]: readonly [string, number]) =>
    // A fork that nothing was done with has not begun.
    Effect.flatMap(agent.state(one), ({ seq }) => seq > from ? endSession(one, "other") : Effect.void).pipe(
      Effect.provide(services),
      Effect.ignore
    )
  if (!moves) yield* Effect.addFinalizer(() => Effect.forEach(hosted, end, { discard: true }))
  const run: typeof controller.run = (operation) =>
    Effect.tap(controller.run(operation), ({ session }) =>
      operation._tag === "Fork"
        ? Effect.ignore(Effect.map(agent.state(session), ({ seq }) => hosted.set(session, seq)))
        : Effect.void)
  return {
    id,
    cwd,
    controller: { ...controller, run },
    pending: pending.list,
    state: agent.state(id),
    settled: agent.settled(id),
    commands: Context.get(services, Intake).commands(cwd),
    getBlob: Context.get(services, Storage).getBlob,
    redacted: <A>(value: A) =>
      Effect.map(
        redactor.redact,
        (redact) => JSON.parse(JSON.stringify(value, (_, part: unknown) => typeof part === "string" ? redact(part) : part)) as A
      )
  } satisfies HostedSession as HostedSession
})
