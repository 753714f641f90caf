/** The single log of a session: one fiber numbers, hashes, stores and folds appended events; everything else follows. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { LogError, Stale } from "../domain/session/LogError.ts"
import type { Session } from "../domain/session/Session.ts"
import type { Followed, Live, SessionEvent, Settled } from "../domain/session/SessionEvent.ts"

export interface SessionLog {
  readonly id: string
  /** The fold of everything appended so far. */
  readonly state: Effect.Effect<Session>
  /**
   * Appends events together, durable when it returns. With `after`, only if the log still ends there: what was decided
   * from an older state is decided again.
   */
  readonly append: {
    (events: ReadonlyArray<Settled>): Effect.Effect<void, LogError>
    (events: ReadonlyArray<Settled>, after: number): Effect.Effect<void, LogError | Stale>
  }
  /** Shows a live event to current followers; never waits. */
  readonly emit: (event: Live) => void
  /** Settled events from `from` on, then future ones with live ones between them; a slow follower loses only live ones. */
  readonly follow: (from: number) => Stream.Stream<Followed, LogError>
  /** Returns its digest; it is stored with the next append, whose events name it. */
  readonly putBlob: (bytes: Uint8Array) => Effect.Effect<string>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  /** Saves what a partial response has added since the last time, beside the log; null: it is settled. */
  readonly saveDraft: (bytes: Uint8Array | null) => Effect.Effect<void, LogError>
  readonly storedDraft: Effect.Effect<Uint8Array | null, LogError>
}

export class EventLog extends Context.Service<EventLog, {
  /**
   * Opens a session for writing, under a lease that the scope holds; creates it with its first event. All users within
   * a process share one log.
   */
  readonly open: (id: string) => Effect.Effect<SessionLog, LogError, Scope.Scope>
  /** Begins the session `id` with the events of another, up to and including `at`, and returns the hash of the last of them. */
  readonly fork: (origin: string, at: number, id: string) => Effect.Effect<string, LogError>
  /** Reads and verifies a log without the right to write it. */
  readonly read: (id: string) => Effect.Effect<ReadonlyArray<SessionEvent>, LogError>
}>()("dacapo/EventLog") {}
