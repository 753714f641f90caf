/** The event log over a Storage back-end, one writer a session under a lease. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { noEvent, notFound } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import * as Chain from "./HashChain.ts"
import * as SessionLogLive from "./SessionLogLive.ts"
import * as Summarised from "./SessionSummary.ts"

const synced: ReadonlySet<Settled["_tag"]> = new Set(["ApprovalDecided", "Interrupted", "TaskFailed", "TaskFinished"])

/** What must survive a power cut before it is acknowledged: decisions, changes to files, ends. A read can be made again. */
const isSynced = (event: Settled): boolean => synced.has(event._tag) || (event._tag === "FileTouched" && event.kind !== "read")

export const layer = Layer.effect(EventLog, Effect.gen(function*() {
  const storage = yield* Storage

  const read = Effect.fn("EventLog.read")(function*(id: string) {
    const lines = yield* storage.read(id, 0)
    if (lines.length > 0) return yield* Chain.verify(id, lines)
    const near = yield* storage.list({ limit: 5 })
    return yield* notFound(id, near.map((summary) => summary.id))
  })

  const lookup = Effect.fn("EventLog.open")(function*(id: string) {
    yield* storage.lease(id)
    const lines = yield* storage.read(id, 0)
    const past = yield* Chain.verify(id, lines)
    return yield* SessionLogLive.make({
      id,
      past,
      time: () => Clock.currentTimeMillis,
      persist: (lines, events, session, blobs) =>
        storage.append(id, lines, { sync: events.some(isSynced), summary: Summarised.of(session), blobs }),
      read: (from) =>
        Effect.flatMap(storage.read(id, from), (lines) => Chain.verify(id, lines, lines[0]?.prev, from)),
      getBlob: storage.getBlob,
      putDraft: (bytes) => storage.putDraft(id, bytes),
      getDraft: storage.getDraft(id)
    })
  })

  const fork = Effect.fn("EventLog.fork")(function*(origin: string, at: number, id: string) {
    const all = yield* storage.read(origin, 0)
    const last = all[at]
    if (last === undefined) return yield* noEvent(origin, at, all.length)
    const lines = all.slice(0, at + 1)
    yield* storage.append(id, lines, { sync: true, summary: Summarised.of(Session.fold(yield* Chain.verify(origin, lines))) })
    return last.hash
  })

  /** Who opens a session twice in one process has one log of it, until the last of them is done. */
  const logs = yield* RcMap.make({ lookup })

  return EventLog.of({ open: (id) => RcMap.get(logs, id), read, fork })
}))
