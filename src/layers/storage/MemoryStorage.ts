/** Sessions in memory for the lifetime of the layer, for tests and for runs with --no-session. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { LogError } from "../../domain/session/LogError.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as SearchText from "../../domain/session/SearchText.ts"
import { type Line, Storage, type Summary } from "../../services/Storage.ts"
import type { Backend } from "./Backend.ts"
import { concat } from "./Draft.ts"
import * as HashChain from "./HashChain.ts"

interface StoredSession {
  readonly lines: Array<Line>
  summary: Summary
}

const make = Effect.sync(() => {
  const sessions = new Map<string, StoredSession>()
  const blobs = new Map<string, Uint8Array>()
  const drafts = new Map<string, ReadonlyArray<Uint8Array>>()
  const leases = new Set<string>()

  const lockedError = (session: string) =>
    new LogError({ session, message: `Session ${session} is already open for writing.`, reason: { _tag: "Locked", pid: 0 } })

  const watchers = new Set<Queue.Queue<string>>()

  return Storage.of({
    watch: (session) =>
      Stream.unwrap(Effect.map(
        Effect.acquireRelease(
          Effect.tap(Queue.sliding<string>(1024), (queue) => Effect.sync(() => watchers.add(queue))),
          (queue) => Effect.andThen(Effect.sync(() => watchers.delete(queue)), Queue.shutdown(queue))
        ),
        (queue) =>
          Stream.concat(
            Stream.succeed(undefined),
            Stream.fromQueue(queue).pipe(Stream.filter((id) => id === session), Stream.map(() => undefined))
          )
      )),
    append: (session, lines, { blobs: newBlobs = new Map(), summary }) =>
      Effect.suspend(() => {
        const stored = sessions.get(session)?.lines ?? []
        const error = HashChain.chainError(session, stored.at(-1) ?? HashChain.start, lines)
        if (error !== undefined) return Effect.fail(error)
        if (lines.length === 0) return Effect.void
        for (const line of lines) stored.push(line)
        for (const [hash, bytes] of newBlobs) blobs.set(hash, bytes)
        sessions.delete(session)
        sessions.set(session, { lines: stored, summary: { ...summary, id: session, events: stored.length } })
        watchers.forEach((queue) => Queue.offerUnsafe(queue, session))
        return Effect.void
      }),
    search: (query, { limit }) =>
      Effect.sync(() => {
        const terms = SearchText.terms(query)
        const hits = [...sessions.values()].reverse().flatMap(({ lines, summary }) => {
          const texts = terms.length === 0
            ? []
            : lines.map(({ body }) => SearchText.searchText((JSON.parse(body) as { readonly event: Settled }).event))
          const seq = texts.findIndex((text) => terms.every((term) => text.toLowerCase().includes(term.toLowerCase())))
          return seq < 0 ? [] : [{ session: summary, seq, text: SearchText.excerpt(texts[seq]!, terms) }]
        })
        return hits.slice(0, limit)
      }),
    archive: (session) =>
      Effect.sync(() => {
        const stored = sessions.get(session)
        if (stored !== undefined) stored.summary = { ...stored.summary, archived: true }
      }),
    sweep: Effect.sync(() => {
      if (leases.size > 0) return null
      const text = [...sessions.values()].flatMap(({ lines }) => lines.map(({ body }) => body)).join("\n")
      const unreferenced = [...blobs.keys()].filter((hash) => !text.includes(hash))
      unreferenced.forEach((hash) => blobs.delete(hash))
      return unreferenced.length
    }),
    backup: (file) =>
      Effect.fail(
        new LogError({
          session: "",
          message: `Can't back up to ${file}: these sessions exist only in memory.`,
          reason: { _tag: "Disk", code: "ENOTSUP" }
        })
      ),
    read: (session, from) => Effect.sync(() => sessions.get(session)?.lines.slice(Math.max(0, from)) ?? []),
    list: ({ cwd, id, limit, parent }) =>
      Effect.sync(() =>
        [...sessions.values()].reverse()
          .map(({ summary }) => summary)
          .filter((summary) =>
            (id === undefined || summary.id === id) &&
            (cwd === undefined || summary.cwd === cwd) &&
            (parent === undefined || (parent === null ? !sessions.has(summary.parent ?? "") : summary.parent === parent))
          )
          .sort((a, b) => b.updated - a.updated)
          .slice(0, limit)
      ),
    remove: (session) =>
      Effect.suspend(() => {
        if (leases.has(session)) return Effect.fail(lockedError(session))
        sessions.delete(session)
        drafts.delete(session)
        return Effect.void
      }),
    putBlob: (hash, bytes) =>
      Effect.sync(() => {
        if (!blobs.has(hash)) blobs.set(hash, bytes.slice())
      }),
    getBlob: (hash) =>
      Effect.suspend(() => {
        const bytes = blobs.get(hash)
        return bytes === undefined
          ? Effect.fail(new LogError({ session: "", message: `Blob ${hash} does not exist.`, reason: { _tag: "NotFound", near: [] } }))
          : Effect.succeed(bytes.slice())
      }),
    putDraft: (session, bytes) =>
      Effect.sync(() => {
        if (bytes === null) drafts.delete(session)
        else drafts.set(session, [...drafts.get(session) ?? [], bytes.slice()])
      }),
    getDraft: (session) =>
      Effect.sync(() => {
        const pieces = drafts.get(session)
        return pieces === undefined ? null : concat(pieces)
      }),
    lease: (session) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (leases.has(session)) return Effect.fail(lockedError(session))
          leases.add(session)
          return Effect.void
        }),
        () => Effect.sync(() => leases.delete(session))
      )
  })
})

/** A new, empty store. */
export const layer: Layer.Layer<Storage> = Layer.effect(Storage, make)

/** The back-end that keeps sessions in memory. */
export const Memory: Backend = { name: "memory", durable: false, layer: () => layer }
