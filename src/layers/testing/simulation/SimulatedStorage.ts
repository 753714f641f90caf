/**
 * Storage that outlives its process, and fails: an append is refused, takes long, or is stored and its acknowledgement lost; the
 * process dies before or after it. A lease is held by one process at a time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogError } from "../../../domain/session/LogError.ts"
import { type Line, Storage } from "../../../services/Storage.ts"
import * as Monitor from "./Monitor.ts"
import type { Life } from "./Life.ts"
import type { World } from "./World.ts"

/** Whether another process has taken the session over. */
const isTaken = ({ leases, number }: Life, session: string): boolean => (leases.get(session) ?? number) !== number

/** ms that a slow append takes at most. */
const maxSlowMs = 5_000

const diskError = (session: string, code: string, message: string) => new LogError({ session, message, reason: { _tag: "Disk", code } })

/** `isFenced`: an append of a process that has lost the session to another one is refused, as a store must do. */
export const layer = (world: World, life: Life, isFenced = true): Layer.Layer<Storage> => {
  const { monitors, plan, store, violations } = world

  const monitorOf = (session: string): Monitor.Monitor =>
    monitors.get(session) ?? monitors.set(session, Monitor.make(session)).get(session)!

  const watch = (session: string, lines: ReadonlyArray<Line>) =>
    Effect.sync(() => {
      violations.push(...monitorOf(session).take(lines))
      for (const listener of world.listeners) listener()
      if (isTaken(life, session)) violations.push(`${session}: a process writes that has lost the session to another one`)
    })

  const append: Storage["Service"]["append"] = (session, lines, options) =>
    Effect.suspend(() => {
      if (plan.strike("crash before append") !== undefined) return life.crash
      const refusal = plan.strike("append refused")
      if (refusal !== undefined) return Effect.fail(diskError(session, "ENOSPC", "The disk is full."))
      const slow = plan.strike("append slow")
      const stored = Effect.suspend(() =>
        isFenced && isTaken(life, session)
          ? Effect.fail(new LogError({ session, message: "Another process has the session.", reason: { _tag: "Locked", pid: 0 } }))
          : store.append(session, lines, options)
      ).pipe(
        Effect.tap(() => watch(session, lines)),
        Effect.andThen(Effect.suspend(() =>
          plan.strike("crash after append") !== undefined ? life.crash
            : plan.strike("append acknowledgement lost") !== undefined
            ? Effect.fail(diskError(session, "EIO", "The connection to the store was lost."))
            : Effect.void
        ))
      )
      return slow === undefined ? stored
        : Effect.andThen(Effect.sleep(1 + slow.below(maxSlowMs)), life.connected(stored))
    }).pipe(life.connected)

  return Layer.succeed(Storage, {
    ...store,
    append,
    read: (session, from) =>
      life.connected(Effect.suspend(() =>
        plan.strike("read refused") === undefined ? store.read(session, from)
          : Effect.fail(diskError(session, "EIO", "The connection to the store was lost."))
      )),
    lease: (session) =>
      Effect.acquireRelease(
        life.connected(Effect.suspend(() => {
          const holder = life.leases.get(session)
          if (holder === life.number) violations.push(`the lease of ${session} is taken twice`)
          life.leases.set(session, life.number)
          return Effect.void
        })),
        () => Effect.sync(() => void (life.leases.get(session) === life.number && life.leases.delete(session)))
      ),
    putDraft: (session, bytes) =>
      life.connected(Effect.suspend(() =>
        plan.strike("draft refused") === undefined ? store.putDraft(session, bytes)
          : Effect.fail(diskError(session, "ENOSPC", "The disk is full."))
      ))
  })
}
