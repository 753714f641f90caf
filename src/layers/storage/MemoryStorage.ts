/** Sessions that live as long as the layer: for tests, and for runs that keep nothing. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogError } from "../../domain/session/LogError.ts"
import type { Settled } from "../../domain/session/SessionEvent.ts"
import * as Words from "../../domain/session/SearchText.ts"
import { type Line, Storage, type Summary } from "../../services/Storage.ts"
import type { Backend } from "./Backend.ts"
import { joined } from "./Draft.ts"
import * as Follows from "./Follows.ts"

interface Kept {
  readonly lines: Array<Line>
  summary: Summary
}

const make = Effect.sync(() => {
  const sessions = new Map<string, Kept>()
  const blobs = new Map<string, Uint8Array>()
  const drafts = new Map<string, ReadonlyArray<Uint8Array>>()
  const leased = new Set<string>()

  const locked = (session: string) =>
    new LogError({ session, message: `Session ${session} is being written already.`, reason: { _tag: "Locked", pid: 0 } })

  return Storage.of({
    append: (session, lines, { blobs: put = new Map(), summary }) =>
      Effect.suspend(() => {
        const kept = sessions.get(session)?.lines ?? []
        const broken = Follows.broken(session, kept.at(-1) ?? Follows.start, lines)
        if (broken !== undefined) return Effect.fail(broken)
        if (lines.length === 0) return Effect.void
        for (const line of lines) kept.push(line)
        for (const [hash, bytes] of put) blobs.set(hash, bytes)
        sessions.delete(session)
        sessions.set(session, { lines: kept, summary: { ...summary, id: session, events: kept.length } })
        return Effect.void
      }),
    search: (words, { limit }) =>
      Effect.sync(() => {
        const terms = Words.terms(words)
        const found = [...sessions.values()].reverse().flatMap(({ lines, summary }) => {
          const texts = terms.length === 0 ? [] : lines.map(({ body }) => Words.of((JSON.parse(body) as { readonly event: Settled }).event))
          const seq = texts.findIndex((text) => terms.every((term) => text.toLowerCase().includes(term.toLowerCase())))
          return seq < 0 ? [] : [{ session: summary, seq, text: Words.excerpt(texts[seq]!, terms) }]
        })
        return found.slice(0, limit)
      }),
    archive: (session) =>
      Effect.sync(() => {
        const kept = sessions.get(session)
        if (kept !== undefined) kept.summary = { ...kept.summary, archived: true }
      }),
    sweep: Effect.sync(() => {
      if (leased.size > 0) return null
      const named = [...sessions.values()].flatMap(({ lines }) => lines.map(({ body }) => body)).join("\n")
      const unnamed = [...blobs.keys()].filter((hash) => !named.includes(hash))
      unnamed.forEach((hash) => blobs.delete(hash))
      return unnamed.length
    }),
    backup: (file) => Effect.fail(new LogError({ session: "", message: `${file}: sessions that live in memory have no copy.`, reason: { _tag: "Disk", code: "ENOTSUP" } })),
    read: (session, from) => Effect.sync(() => sessions.get(session)?.lines.slice(Math.max(0, from)) ?? []),
    list: ({ cwd, limit, parent }) =>
      Effect.sync(() =>
        [...sessions.values()].reverse()
          .map(({ summary }) => summary)
          .filter((summary) => (cwd === undefined || summary.cwd === cwd) && (parent === undefined || (parent === null ? !sessions.has(summary.parent ?? "") : summary.parent === parent)))
          .sort((a, b) => b.updated - a.updated)
          .slice(0, limit)
      ),
    remove: (session) =>
      Effect.suspend(() => {
        if (leased.has(session)) return Effect.fail(locked(session))
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
          ? Effect.fail(new LogError({ session: "", message: `There is no blob ${hash}.`, reason: { _tag: "NotFound", near: [] } }))
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
        return pieces === undefined ? null : joined(pieces)
      }),
    lease: (session) =>
      Effect.acquireRelease(
        Effect.suspend(() => {
          if (leased.has(session)) return Effect.fail(locked(session))
          leased.add(session)
          return Effect.void
        }),
        () => Effect.sync(() => leased.delete(session))
      )
  })
})

/** A new, empty store. */
export const layer: Layer.Layer<Storage> = Layer.effect(Storage, make)

export const Memory: Backend = { name: "memory", durable: false, layer: () => layer }
