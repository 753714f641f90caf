/** The sessions that the process of a server runs itself. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ControlError } from "../../domain/control/ControlError.ts"
import type { Operation, Start } from "../../domain/control/Operation.ts"
import type * as PageData from "../../domain/control/PageData.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { Values } from "../args/Flags.ts"
import { AgentLayers } from "../process/AgentLayers.ts"
import type { Failure } from "../process/ExitCode.ts"
import * as HostedSession from "../process/HostedSession.ts"
import { Host } from "../process/Host.ts"
import { requestFailed } from "../process/RequestFailure.ts"
import * as FindSession from "../start/FindSession.ts"
import * as WorkingFolder from "../start/WorkingFolder.ts"
import type { ServedSessions } from "./ServedSessions.ts"

/** Each opens when a client first names it, and stays open until the server stops. */
export const make = Effect.fnUntraced(function*(values: Values) {
  const host = yield* Host
  const services = yield* Effect.context<AgentLayers | Host>()
  const { records } = yield* AgentLayers
  const serverScope = yield* Effect.scope
  const opened = new Map<string, HostedSession.HostedSession>()
  const lock = yield* Semaphore.make(1)

  const openSession = (options: Omit<HostedSession.Options, "values" | "roots">) =>
    Effect.gen(function*() {
      const scope = yield* Scope.fork(serverScope)
      const session = yield* HostedSession.open({ ...options, values, roots: [] }).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.onError(() => Scope.close(scope, Exit.void))
      )
      opened.set(session.id, session)
      return session
    })

  const start = Effect.fnUntraced(function*(operation: Start) {
    const session = yield* openSession({ cwd: yield* WorkingFolder.open(host.cwd, operation.cwd), start: operation })
    return { session: session.id }
  })

  /** The session that started a subagent, directly or not: its services run them all. */
  const rootOf = (stored: Summary): Effect.Effect<Summary, Failure> =>
    stored.parent === undefined
      ? Effect.succeed(stored)
      : Effect.flatMap(Effect.provide(FindSession.find(stored.parent), records), rootOf)

  /** Two clients that name a stored session at once open it once. `id` is the named one, which may be a subagent's. */
  const find = (name: string) =>
    lock.withPermits(1)(Effect.gen(function*() {
      const session = opened.get(name)
      if (session !== undefined) return { ...session, id: name }
      const stored = yield* Effect.provide(FindSession.find(name), records)
      const root = yield* rootOf(stored)
      const hosted = opened.get(root.id) ?? (yield* openSession({ cwd: yield* WorkingFolder.open(root.cwd, undefined), stored: root.id }))
      return { ...hosted, id: stored.id }
    }))

  /** What waits for an answer in the open sessions. A fork shares the services of its origin, and so what waits there. */
  const waiting = Effect.suspend(() => {
    const hosts = new Map([...opened.values()].map((session) => [session.controller, session])).values()
    return Effect.forEach(hosts, ({ id, pending, redacted }) =>
      Effect.forEach(pending(), (request) => {
        const session = request.session ?? id
        return Effect.flatMap(rootId(session), (root) => redacted<PageData.WaitingRequest>({ session, root, request }))
      }))
  }).pipe(Effect.map((lists) => lists.flat()))

  const rootId = (session: string): Effect.Effect<string> =>
    opened.has(session) ? Effect.succeed(session) : Effect.provide(FindSession.find(session), records).pipe(
      Effect.flatMap(rootOf),
      Effect.map(({ id }) => id),
      Effect.orElseSucceed(() => session),
      Effect.provide(services)
    )

  const sessions: ServedSessions = {
    waiting,
    isOpen: (id: string) => opened.has(id),
    list: (cwd: string | undefined) =>
      Effect.gen(function*() {
        const storage = yield* Storage
        const all = yield* storage.list({ parent: null, ...(cwd === undefined ? {} : { cwd }) })
        return all.map((summary) => ({ ...summary, isOpen: opened.has(summary.id) }))
      }).pipe(Effect.provide(records), Effect.mapError(requestFailed)),
    run: (operation: Operation) =>
      Effect.gen(function*() {
        const mode = operation._tag === "SetMode" || operation._tag === "Start" ? operation.mode : undefined
        if (mode === "bypassPermissions" && values.permissionMode !== mode) {
          return yield* new ControlError({
            reason: "Invalid",
            message: "bypassPermissions is only available to a server that was started with it."
          })
        }
        if (operation._tag === "Start") return yield* start(operation)
        const session = yield* find(operation.session)
        const result = yield* Effect.flatMap(session.controller.run({ ...operation, session: session.id }), session.redacted)
        // A fork runs where its origin does: its log is open there.
        if (operation._tag === "Fork") opened.set(result.session, { ...session, id: result.session })
        return result
      }).pipe(Effect.provide(services), Effect.mapError(requestFailed)),
    events: (id: string, from: number) =>
      find(id).pipe(
        Effect.map((session) =>
          session.controller.events(session.id, from).pipe(
            Stream.mapEffect(session.redacted),
            // A client that was detached, or whose session can't be read, sees the end and may connect again.
            Stream.catchCause(() => Stream.empty)
          )
        ),
        Effect.provide(services),
        Effect.mapError(requestFailed)
      )
  }
  return sessions
})
