/** The sessions of a cluster, for its gateway: stored in the database, run by the runners. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Operation } from "../../domain/control/Operation.ts"
import * as ClusterClient from "../../layers/cluster/ClusterClient.ts"
import { Ids } from "../../services/Ids.ts"
import { Storage, type Summary } from "../../services/Storage.ts"
import type { LimitReached, RequestFailed } from "../../domain/control/RequestFailed.ts"
import type { LogError } from "../../domain/session/LogError.ts"
import { requestFailed } from "../process/RequestFailure.ts"
import * as FindSession from "../start/FindSession.ts"
import type { ServedSessions } from "./ServedSessions.ts"

/** What holds for the sessions of a tenant. */
export interface Limits {
  /** Makes a new session the tenant's. */
  readonly claim: (session: string) => Effect.Effect<void, RequestFailed>
  /** Counts one message. */
  readonly count: Effect.Effect<void, LimitReached | RequestFailed>
  /** Gives a message to a session, if that may work. */
  readonly admit: <A>(
    session: string,
    message: string,
    work: Effect.Effect<A, RequestFailed>
  ) => Effect.Effect<A, LimitReached | RequestFailed>
}

const unlimited: Limits = { claim: () => Effect.void, count: Effect.void, admit: (_, __, work) => work }

/** Operations that make a session, or make it work. */
const counted: ReadonlySet<Operation["_tag"]> = new Set(["Compact", "Continue", "Fork", "Say", "Start"])

/** All sessions of the store. */
export const make = Effect.fnUntraced(function*({ admit, claim, count }: Limits = unlimited) {
  const client = yield* ClusterClient.make
  const ids = yield* Ids
  const storage = yield* Storage
  /** The root of each session that was named: it never changes. */
  const roots = new Map<string, string>()

  const rootOf = ({ id, parent }: Summary): Effect.Effect<string, LogError> =>
    parent === undefined ? Effect.succeed(id)
      : Effect.flatMap(storage.list({ id: parent }), ([summary]) => summary === undefined ? Effect.succeed(id) : rootOf(summary))

  /** The id of the session that a client names, and the root whose runner has it. */
  const find = Effect.fnUntraced(function*(name: string) {
    const cached = roots.get(name)
    if (cached !== undefined) return { id: name, root: cached }
    const stored = yield* Effect.provideService(FindSession.find(name), Storage, storage)
    const root = yield* rootOf(stored)
    roots.set(stored.id, root)
    return { id: stored.id, root }
  }, Effect.mapError(requestFailed))

  const begin = Effect.fnUntraced(function*(operation: Operation) {
    const id = yield* ids.session
    yield* claim(id)
    const result = yield* client.run(id, operation, id)
    roots.set(id, id)
    return result
  })

  const sessions: ServedSessions = {
    isOpen: () => true,
    // A gateway has no session open: what waits is on their runners, and each session's own page shows it.
    waiting: Effect.succeed([]),
    list: (cwd) =>
      storage.list({ parent: null, ...(cwd === undefined ? {} : { cwd }) }).pipe(
        Effect.map((all) => all.map((summary) => ({ ...summary, isOpen: true }))),
        Effect.mapError(requestFailed)
      ),
    run: Effect.fnUntraced(function*(operation) {
      if (counted.has(operation._tag)) yield* count
      if (operation._tag === "Start") return yield* begin(operation)
      const { id, root } = yield* find(operation.session)
      if (operation._tag === "Fork") return yield* begin({ ...operation, session: id })
      const key = operation._tag === "Say" && operation.key !== undefined ? operation.key : yield* ids.session
      const keyed = operation._tag === "Say" ? { ...operation, session: id, key } : { ...operation, session: id }
      const work = client.run(root, keyed, key)
      return yield* ClusterClient.isWork(operation) ? admit(root, key, work) : work
    }),
    events: (name, from) => Effect.map(find(name), ({ id, root }) => Stream.catchCause(client.events(root, id, from), () => Stream.empty))
  }
  return sessions
})
