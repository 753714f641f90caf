/** Where sessions are stored. Back-ends pass one conformance suite (dacapo/testing). */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { LogError } from "../domain/session/LogError.ts"

/** One line of a log as stored: `body` is the JSON text of `{ v, seq, time, event }`. */
export interface Line {
  readonly seq: number
  readonly prev: string
  readonly hash: string
  readonly body: string
}

/** What a list of sessions shows without reading their logs; updated by `append`. */
export interface Summary {
  readonly id: string
  readonly cwd: string
  readonly title: string
  readonly model: string
  /** ms since the epoch. */
  readonly created: number
  readonly updated: number
  readonly events: number
  /** The session that started it. */
  readonly parent?: string
  /** Its log is packed. */
  readonly archived?: true
}

/** A search result: the session, the event, and the text around the match. */
export interface Hit {
  readonly session: Summary
  readonly seq: number
  readonly text: string
}

export class Storage extends Context.Service<Storage, {
  /**
   * Appends lines that follow the existing ones; all or none. Acknowledged lines survive the death of the process; with
   * `sync` also a power cut. `blobs`, by their digest, are stored with them: what events name is never missing.
   */
  readonly append: (
    session: string,
    lines: ReadonlyArray<Line>,
    options: {
      readonly sync: boolean
      readonly blobs?: ReadonlyMap<string, Uint8Array>
      readonly summary: Omit<Summary, "id" | "events" | "archived">
    }
  ) => Effect.Effect<void, LogError>
  /** All lines from `from` on, in order; empty for a session that does not exist. */
  readonly read: (session: string, from: number) => Effect.Effect<ReadonlyArray<Line>, LogError>
  /** Emits at first, and whenever lines may have been appended to the session, by this or another process. */
  readonly watch: (session: string) => Stream.Stream<void>
  /** Newest first. `id`: only this session. `parent`: only sessions that this one started; null: only top-level sessions. */
  readonly list: (
    options: { readonly id?: string; readonly cwd?: string; readonly limit?: number; readonly parent?: string | null }
  ) => Effect.Effect<ReadonlyArray<Summary>, LogError>
  readonly remove: (session: string) => Effect.Effect<void, LogError>
  /** Sessions with an event that contains all of these words (phrases in quotation marks), best first. */
  readonly search: (query: string, options: { readonly limit: number }) => Effect.Effect<ReadonlyArray<Hit>, LogError>
  /** Packs a log: it can still be read, searched and appended to, in a fraction of the space. */
  readonly archive: (session: string) => Effect.Effect<void, LogError>
  /** Removes blobs that no event names, and returns how many; null: nothing was done because a session is open. */
  readonly sweep: Effect.Effect<number | null, LogError>
  /** A consistent copy of everything in a new file, while it is in use. */
  readonly backup: (file: string) => Effect.Effect<void, LogError>
  /** Content-addressed by SHA-256 in hex; storing existing content does nothing. */
  readonly putBlob: (hash: string, bytes: Uint8Array) => Effect.Effect<void, LogError>
  readonly getBlob: (hash: string) => Effect.Effect<Uint8Array, LogError>
  /** Appends to the partial response of a session, beside its log; null removes all of it. */
  readonly putDraft: (session: string, bytes: Uint8Array | null) => Effect.Effect<void, LogError>
  /** Everything that was appended, in order; null for nothing. */
  readonly getDraft: (session: string) => Effect.Effect<Uint8Array | null, LogError>
  /**
   * The right to write a session, until the scope closes or this process dies; fails with `Locked` while another living
   * process holds it.
   */
  readonly lease: (session: string) => Effect.Effect<void, LogError, Scope.Scope>
}>()("dacapo/Storage") {}

/**
 * The name of this process as a runner of a cluster (`host:port`); undefined for any other process. Runners take sessions over from
 * each other without waiting, because the cluster decides which one has a session; the former holder can't append any more.
 */
export const RunnerName = Context.Reference<string | undefined>("dacapo/RunnerName", { defaultValue: () => undefined })

/** The address of the store for this run (`--storage`); without one, DACAPO_STORAGE or the user's settings decide. */
export const StorageAddress = Context.Reference<string | undefined>("dacapo/StorageAddress", { defaultValue: () => undefined })
