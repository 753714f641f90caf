/**
 * The sessions that a runner runs: each with services of its own, in a folder of its own unless its client named one. A tenant's client
 * has no say in that, and its session has the tenant's keys.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { optional } from "../../domain/Optional.ts"
import { ControlError } from "../../domain/control/ControlError.ts"
import type { Operation } from "../../domain/control/Operation.ts"
import { RequestFailed } from "../../domain/control/RequestFailed.ts"
import { notFound } from "../../domain/session/LogError.ts"
import { type RunningSession, SessionHost } from "../../services/cluster/SessionHost.ts"
import * as CarriedFiles from "../../domain/session/CarriedFiles.ts"
import * as RestoreFiles from "../../layers/workspace/checkpoints/RestoreFiles.ts"
import { Environment } from "../../services/Environment.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import { InputError } from "../process/CliError.ts"
import * as HostedSession from "../process/HostedSession.ts"
import { Host } from "../process/Host.ts"
import { requestFailed } from "../process/RequestFailure.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import * as TenantSession from "./TenantSession.ts"

/**
 * `workspaces` is absolute, and `hidden` are other folders that no tenant may read. Commands run in the sandbox unless the flags say
 * otherwise: the sessions of a runner belong to many users.
 */
export const make = Effect.fnUntraced(function*(flags: Values, workspaces: string, hidden: ReadonlyArray<string> = []) {
  const { cwd: ownFolder } = yield* Host
  // Not the runner's scope: a session has one of its own.
  const services = Context.pick(AgentLayers, Host)(yield* Effect.context<AgentLayers | Host>())
  const store = yield* Storage
  const eventLog = yield* EventLog
  const tenantSession = yield* TenantSession.make([workspaces, ...hidden])
  const environment = yield* Environment
  const values: Values = { sandbox: "workspace-write", ...flags }

  /** The folder of a session; one of its own is made where it is missing. */
  const folder = Effect.fnUntraced(function*(cwd: string | undefined, id: string) {
    const path = join(workspaces, id)
    if (cwd !== undefined && cwd !== path) return yield* WorkingFolder.open(ownFolder, cwd)
    yield* Effect.tryPromise({
      try: () => mkdir(path, { recursive: true, mode: 0o700 }),
      catch: (error) => new InputError({ message: `Can't create the folder of the session, ${path}: ${(error as Error).message}.` })
    })
    return path
  })

  /** How many events a session had when it was closed here. While no other runner continues it, its folder is as it was left. */
  const closedAt = new Map<string, number>()

  /** The folder of a session that another runner had, rebuilt from what its log carries. */
  const restoreFolder = Effect.fnUntraced(function*(cwd: string, { events: count, id }: Summary) {
    if (cwd !== join(workspaces, id) || closedAt.get(id) === count) return
    const events = yield* eventLog.read(id)
    if (CarriedFiles.of(events) === undefined) return
    yield* RestoreFiles.restore({ session: id, events, getBlob: store.getBlob, folder: cwd, isOwned: true })
  })

  /** What a client may ask of any runner, as of any server. */
  const checkMode = (operation: Operation) => {
    const mode = operation._tag === "SetMode" || operation._tag === "Start" ? operation.mode : undefined
    return mode === "bypassPermissions" && values.permissionMode !== mode
      ? Effect.fail(
        new ControlError({ reason: "Invalid", message: "bypassPermissions is only available from runners that were started with it." })
      )
      : Effect.void
  }

  /** A session that is not stored begins with its first operation. */
  const beginning = Effect.fnUntraced(function*(id: string, operation: Operation | undefined, storage: Storage["Service"]) {
    if (operation?._tag === "Start") {
      yield* checkMode(operation)
      return { id, start: operation, cwd: yield* folder(storage === store ? operation.cwd : undefined, id) }
    }
    if (operation?._tag === "Fork" && operation.session !== id) {
      const [origin] = yield* storage.list({ id: operation.session })
      if (origin !== undefined) {
        const cwd = yield* folder(origin.cwd, origin.id)
        // Where its origin is open, or was, the folder has the files.
        if ((yield* Effect.promise(() => readdir(cwd))).length === 0) yield* restoreFolder(cwd, origin)
        return { id, fork: operation, cwd }
      }
    }
    return yield* notFound(id, [])
  })

  const open: SessionHost["Service"]["open"] = (id, operation) =>
    Effect.gen(function*() {
      const tenant = yield* tenantSession(id)
      const storage = tenant?.storage ?? store
      const [stored] = yield* storage.list({ id })
      const begins = stored === undefined ? yield* beginning(id, operation, storage) : { stored: id, cwd: yield* folder(stored.cwd, id) }
      if (stored !== undefined) yield* restoreFolder(begins.cwd, stored)
      const storeFiles = begins.cwd.startsWith(join(workspaces, "/"))
      const { controller, redacted, state } = yield* HostedSession.open({
        ...begins,
        ...optional({ tenant: tenant?.options }),
        values,
        roots: [],
        storage,
        moves: true,
        storeFiles
      })
      yield* Effect.addFinalizer(() => Effect.ignore(Effect.map(state, ({ seq }) => closedAt.set(id, seq + 1))))
      const session: RunningSession = {
        run: (operation) =>
          (operation._tag === "Start" || (operation._tag === "Fork" && operation.session !== id)
            ? Effect.succeed({ session: id })
            : Effect.andThen(checkMode(operation), Effect.flatMap(controller.run(operation), redacted))).pipe(
              Effect.mapError(requestFailed)
            ),
        settled: (session) => Effect.mapError(controller.settled(session), requestFailed),
        events: (session, from) =>
          controller.events(session, from).pipe(
            Stream.mapEffect(redacted),
            Stream.mapError((error) =>
              error._tag === "Detached" ? new RequestFailed({ reason: "Failed", message: error.message }) : requestFailed(error)
            )
          )
      }
      return session
    }).pipe(Effect.mapError(requestFailed), Effect.provide(services), Effect.provideService(Environment, environment))

  return SessionHost.of({ open })
})
