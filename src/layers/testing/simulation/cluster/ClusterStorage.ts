/** The stored sessions of a simulated cluster, as one runner uses them: under leases that runners take from each other. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogError, type LogReason } from "../../../../domain/session/LogError.ts"
import { type Line, Storage } from "../../../../services/Storage.ts"
import * as Monitor from "../Monitor.ts"
import type { World } from "../World.ts"
import type { Database } from "./SimulatedDatabase.ts"
import type { Network } from "./Network.ts"
import type * as Node from "./Node.ts"

export interface Options {
  /** An append of a runner that has lost the session to another one is refused, as a store must do. */
  readonly isFenced: boolean
  readonly onLease: (session: string) => void
  /** Lines are stored. */
  readonly onAppend: (session: string, lines: ReadonlyArray<Line>) => void
  readonly kill: () => void
  readonly pause: () => void
}

/** ms that a slow append takes at most. */
const maxSlowMs = 5_000

const failed = (session: string, message: string, reason: LogReason) => new LogError({ session, message, reason })
const away = (session: string) => failed(session, "The connection to the database was lost.", { _tag: "Disk", code: "57P01" })
const locked = (session: string) => failed(session, "Another runner has the session.", { _tag: "Locked", pid: 0 })

export const layer = (
  { listeners, monitors, plan, store, violations }: World,
  { leases, nextEpoch }: Database,
  network: Network,
  node: Node.Node,
  { isFenced, kill, onAppend, onLease, pause }: Options
): Layer.Layer<Storage> => {
  const { number } = node.life
  /** The epoch of each lease that the process holds; undefined while it is being taken. */
  const epochs = new Map<string, number | undefined>()

  const ask = <A>(session: string, effect: Effect.Effect<A, LogError>) => network.request(node, effect, () => away(session))

  const monitorOf = (session: string): Monitor.Monitor =>
    monitors.get(session) ?? monitors.set(session, Monitor.make(session)).get(session)!

  const stored = (session: string, lines: ReadonlyArray<Line>, epoch: number | undefined) =>
    Effect.sync(() => {
      const lease = leases.get(session)
      if (epoch === undefined ? (lease?.holder ?? number) !== number : lease?.epoch !== epoch)
        violations.push(`${session}: a process writes that has lost the session to another one`)
      violations.push(...monitorOf(session).take(lines))
      onAppend(session, lines)
      for (const listener of listeners) listener()
      if (plan.strike("crash after append") !== undefined) kill()
      if (plan.strike("runner paused at append") !== undefined) pause()
    })

  const append: Storage["Service"]["append"] = (session, lines, options) =>
    Effect.suspend(() => {
      const epoch = epochs.get(session)
      if (plan.strike("crash before append") !== undefined) {
        kill()
        return Effect.never
      }
      if (plan.strike("append refused") !== undefined)
        return Effect.fail(failed(session, "The database is full.", { _tag: "Disk", code: "53100" }))
      const slow = plan.strike("append slow")
      const write = Effect.suspend(() =>
        isFenced && epoch !== undefined && leases.get(session)?.epoch !== epoch ? Effect.fail(locked(session))
          : Effect.tap(store.append(session, lines, options), () => stored(session, lines, epoch))
      )
      return ask(session, slow === undefined ? write : Effect.delay(write, slow.below(maxSlowMs)))
    })

  return Layer.succeed(Storage, {
    ...store,
    append,
    read: (session, from) =>
      Effect.suspend(() =>
        plan.strike("read refused") === undefined ? ask(session, store.read(session, from)) : Effect.fail(away(session))
      ),
    list: (options) => ask("", store.list(options)),
    putBlob: (hash, bytes) => ask("", store.putBlob(hash, bytes)),
    getBlob: (hash) => ask("", store.getBlob(hash)),
    getDraft: (session) => ask(session, store.getDraft(session)),
    putDraft: (session, bytes) =>
      Effect.suspend(() => {
        const epoch = epochs.get(session)
        return ask(
          session,
          Effect.suspend(() =>
            epoch !== undefined && leases.get(session)?.epoch !== epoch ? Effect.fail(locked(session)) : store.putDraft(session, bytes)
          )
        )
      }),
    lease: (session) =>
      Effect.suspend(() => {
        if (epochs.has(session)) return Effect.fail(locked(session))
        return Effect.asVoid(Effect.acquireRelease(
          Effect.suspend(() => {
            epochs.set(session, undefined)
            return ask(
              session,
              Effect.sync(() => {
                onLease(session)
                const epoch = nextEpoch()
                leases.set(session, { epoch, holder: number, owner: number })
                return epoch
              })
            )
          }).pipe(
            Effect.tap((epoch) => Effect.sync(() => epochs.set(session, epoch))),
            Effect.tapCause(() => Effect.sync(() => epochs.delete(session)))
          ),
          (epoch) =>
            Effect.suspend(() => {
              epochs.delete(session)
              return Effect.ignore(ask(
                session,
                Effect.sync(() => {
                  if (leases.get(session)?.epoch === epoch) leases.set(session, { epoch, holder: undefined, owner: number })
                })
              ))
            })
        ))
      })
  })
}
