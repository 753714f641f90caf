/** The event log on a Storage back-end, with one writer per session under a lease. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import { closed, noEvent, notFound } from "../../domain/session/LogError.ts"
import * as Session from "../../domain/session/Session.ts"
import type { SessionEvent, Settled } from "../../domain/session/SessionEvent.ts"
import { EventLog } from "../../services/EventLog.ts"
import { Storage } from "../../services/Storage.ts"
import { Telemetry } from "../../services/process/Telemetry.ts"
import * as HashChain from "./HashChain.ts"
import * as EventTime from "./EventTime.ts"
import * as SessionLogLive from "./SessionLogLive.ts"
import * as SessionSummary from "./SessionSummary.ts"

const durableTags: ReadonlySet<Settled["_tag"]> = new Set(["ApprovalDecided", "Interrupted", "TaskFailed", "TaskFinished"])

/** Events that must survive a power failure: decisions, file changes, endings. A read can be repeated. */
const isDurable = ({ event }: SessionEvent): boolean =>
  durableTags.has(event._tag) || (event._tag === "FileTouched" && event.kind !== "read")

export const layer = Layer.effect(
  EventLog,
  Effect.gen(function*() {
    const storage = yield* Storage
    const telemetry = yield* Telemetry

    const read = Effect.fn("EventLog.read")(function*(id: string) {
      const lines = yield* storage.read(id, 0)
      if (lines.length > 0) return yield* HashChain.verify(id, lines)
      const near = yield* storage.list({ limit: 5 })
      return yield* notFound(id, near.map((summary) => summary.id))
    })

    const lookup = Effect.fn("EventLog.open")(function*(id: string) {
      yield* storage.lease(id)
      // A store takes appends of a process without a lease, too: those of a writer that outlives its lease are refused here.
      let isHeld = true
      yield* Effect.addFinalizer(() => Effect.sync(() => void (isHeld = false)))
      const lines = yield* storage.read(id, 0)
      const past = yield* HashChain.verify(id, lines)
      const timeOf = yield* EventTime.make
      telemetry.open(id, past)
      yield* Effect.addFinalizer(() => Effect.sync(() => telemetry.close(id)))
      return yield* SessionLogLive.make({
        id,
        past,
        time: (_, event) => Effect.sync(() => timeOf(event)),
        persist: (lines, events, session, blobs) =>
          Effect.suspend(() =>
            isHeld
              ? storage.append(id, lines, { sync: events.some(isDurable), summary: SessionSummary.of(session), blobs })
              : Effect.fail(closed(id))
          ),
        stored: (events, blobs) => telemetry.record(id, events, blobs),
        read: (from) => Effect.flatMap(storage.read(id, from), (lines) => HashChain.verify(id, lines, lines[0]?.prev, from)),
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
      yield* storage.append(id, lines, { sync: true, summary: SessionSummary.of(Session.fold(yield* HashChain.verify(origin, lines))) })
      return last.hash
    })

    /** All openers of a session in one process share a log, until the last one closes it. */
    const logs = yield* RcMap.make({ lookup })

    return EventLog.of({ open: (id) => RcMap.get(logs, id), read, fork })
  })
)
